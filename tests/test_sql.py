"""`agentpprof sql`: honest questions, forms of output, parameters, limits."""

import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest
from command_line import Ran, run, write_history

from agentpprof.errors import StoppedError, UsageError
from agentpprof.store.guard import Limits, opened_guarded


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of two agents."""
    home = tmp_path_factory.mktemp("sql")
    write_history(home)
    path = home / "agentpprof.db"
    roots = ("--claude-root", home / ".claude", "--codex-root", home / ".codex")
    assert run("index", *roots, "--db", path).code == 0
    return path


def ask(database: Path, *arguments: str | Path, stdin: bytes = b"") -> Ran:
    return run("sql", *arguments, "--db", database, stdin=stdin)


HONEST = [
    "select 1",
    "select * from sessions",
    "select tool, count(*) from tool_calls group by tool having count(*) > 1 order by 2 desc",
    "with t as (select * from prompts) select count(*) from t",
    "values (1, 'x'), (2, 'y')",
    "select value from json_each('[1, 2]')",
    "select json_group_array(tool) from tool_calls",
    "select json_extract('{\"a\": 1}', '$.a'), '{\"a\": 2}' ->> 'a'",
    "select row_number() over (partition by session_id order by started_at_ms) from operations",
    "select count(*) from search_text",
    "select rowid from search_text where search_text match '\"pyt\"'",
    "select highlight(search_text, 0, '<', '>') from search_text limit 1",
    "select printf('%5.2f %s', 1.5, 'x'), format('%d%%', 3)",
    "select date('now'), strftime('%Y', 0, 'unixepoch'), unixepoch()",
    "select upper(tool), substr(object, 1, 3), tool like 'B%', tool glob 'B*' from tool_calls",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n",
    "explain query plan select * from sessions",
    "explain select 1",
    "select name from sqlite_master -- what is there?",
    "/* first */ select 1; -- last",
    "select sqrt(2), round(1.5)",
]


@pytest.mark.parametrize("statement", HONEST)
def test_honest_question_is_answered(database: Path, statement: str) -> None:
    ran = ask(database, statement)
    assert ran.code == 0, ran.err


def test_json_has_columns_rows_and_what_was_cut(database: Path) -> None:
    ran = ask(database, "select project, count(*) as n from sessions group by 1", "--json")
    assert json.loads(ran.out) == {
        "columns": ["project", "n"],
        "rows": [{"project": "docs", "n": 1}, {"project": "shop", "n": 2}],
        "row_count": 2,
        "cut": None,
    }


def test_json_lines_csv_and_markdown(database: Path) -> None:
    statement = "select 1 as a, '=x' as b union select 2, 'y'"
    assert ask(database, statement, "--jsonl").out == b'{"a": 1, "b": "=x"}\n{"a": 2, "b": "y"}\n'
    rows = list(csv.reader(io.StringIO(ask(database, statement, "--csv").out.decode())))
    assert rows == [["a", "b"], ["1", "'=x"], ["2", "y"]]
    markdown = ask(database, statement, "--markdown").out.decode()
    assert markdown.splitlines()[1] == "| ---: | --- |"


def test_table_is_the_default(database: Path) -> None:
    assert ask(database, "select 7 as seven").out.decode().split() == ["seven", "7"]


def test_two_forms_contradict(database: Path) -> None:
    assert ask(database, "select 1", "--json", "--csv").code == 2


def test_statement_from_a_file_and_from_stdin(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text("select 42 as n")
    for ran in (
        ask(database, f"@{file}", "--jsonl"),
        ask(database, "--file", file, "--jsonl"),
        ask(database, "-", "--jsonl", stdin=b"select 42 as n"),
    ):
        assert ran.out == b'{"n": 42}\n', ran.err


def test_statement_is_named_once(database: Path, tmp_path: Path) -> None:
    assert ask(database).code == 2
    assert ask(database, "select 1", "--file", tmp_path / "x").code == 2
    assert ask(database, "@/no/such/file").code == 2


def test_parameters_have_types(database: Path) -> None:
    given = ("-p", "a=5", "-p", "b=x y", "-p", "c=null", "-p", "d=1.5", "-p", "e=007")
    ran = ask(database, "select :a + 1 as a, :b as b, :c as c, @d as d, $e as e", *given, "--jsonl")
    assert json.loads(ran.out) == {"a": 6, "b": "x y", "c": None, "d": 1.5, "e": "007"}


@pytest.mark.parametrize("given", ["a", "=1", "a b=1"])
def test_parameter_needs_a_name(database: Path, given: str) -> None:
    assert ask(database, "select :a", "-p", given).code == 2


def test_parameter_that_is_missing_is_told(database: Path) -> None:
    ran = ask(database, "select :a")
    assert ran.code == 2
    assert "a" in ran.err


def test_schema_shows_views_and_their_meaning(database: Path) -> None:
    text = ask(database, "--schema").out.decode()
    assert "\nsessions\n  One row per session" in text
    views = json.loads(ask(database, "--schema", "--json").out)["views"]
    sessions = next(view for view in views if view["name"] == "sessions")
    assert "session_id" in sessions["columns"]


def test_explain_shows_the_plan_and_runs_nothing(database: Path) -> None:
    assert b"SCAN" in ask(database, "select * from operation", "--explain").out
    assert ask(database, "delete from session", "--explain").code == 2


def test_error_is_one_line_that_names_what_is_wrong(database: Path) -> None:
    ran = ask(database, "select no_such_column from sessions")
    assert ran.code == 2
    assert ran.err == (
        "Error: no such column: no_such_column: agentpprof sql --schema shows views and columns\n"
    )


def test_error_shows_no_terminal_escape(database: Path) -> None:
    ran = ask(database, 'select "\x1b[2J\u202e" from nothing')
    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert "\u202e" not in ran.err


def test_rows_are_cut_and_that_is_said(database: Path) -> None:
    statement = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
    ran = ask(database, statement, "--max-rows", "3", "--json")
    answer = json.loads(ran.out)
    assert answer["row_count"] == 3
    assert "more than 3 rows" in answer["cut"]
    assert "cut:" in ask(database, statement, "--max-rows", "3", "--csv").err
    assert b"cut:" in ask(database, statement, "--max-rows", "3").out


def test_cells_and_the_whole_are_cut(database: Path) -> None:
    with opened_guarded(database) as guarded:
        cells = guarded.run("select printf('%900d', 1)", None, Limits(cell_characters=10))
        whole = guarded.run(
            "select printf('%900d', value) from json_each('[1,2,3]')",
            None,
            Limits(total_characters=1_000),
        )
    assert len(cells.rows[0][0]) == 10
    assert "cut at 10" in cells.cut
    assert len(whole.rows) == 1
    assert "1,000 characters" in whole.cut


def test_time_is_limited(database: Path) -> None:
    statement = (
        "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    )
    ran = ask(database, statement, "--seconds", "0.1")
    assert ran.code == 1
    assert "stopped after 0.1 seconds" in ran.err


def test_value_is_limited(database: Path) -> None:
    with opened_guarded(database) as guarded, pytest.raises(StoppedError, match="longer than"):
        guarded.run("select group_concat(printf('%9999d', a.id)) from operation a, operation b")


def test_odd_values_are_told_without_failing(database: Path) -> None:
    statement = "select cast(x'ff' as text) as t, x'ff41' as b, 9e999 as i, null as n, -1 as m"
    assert json.loads(ask(database, statement, "--jsonl").out) == {
        "t": "�",
        "b": "\\xffA",
        "i": "inf",
        "n": None,
        "m": -1,
    }


def test_equal_column_names_are_numbered(database: Path) -> None:
    with opened_guarded(database) as guarded:
        assert guarded.run("select 1 as a, 2 as a").columns == ("a", "a_2")


def test_guard_survives_a_change_by_another(database: Path) -> None:
    with opened_guarded(database) as guarded:
        guarded.run("select rowid from search_text where search_text match '\"pyt\"'")
        with sqlite3.connect(database) as other:
            other.execute("create table foreign_table (x)")
            other.execute("insert into meta values ('foreign', 'x')")
        other.close()
        query = "select rowid from search_text where search_text match '\"pyt\"'"
        guarded.run(query)
        assert guarded.run("select value from meta where key = 'foreign'").rows == [("x",)]
    with sqlite3.connect(database) as other:
        other.execute("drop table foreign_table")
        other.execute("delete from meta where key = 'foreign'")
    other.close()


@pytest.mark.parametrize("form", ["%99999d", "%.99999f", "%*d", "%-99999s", "%,99999d"])
def test_wide_printf_is_refused(database: Path, form: str) -> None:
    with opened_guarded(database) as guarded, pytest.raises(UsageError, match="widths"):
        guarded.run("select printf(:form, 1, 2)", {"form": form})


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "md"])
def test_the_name_of_the_output_says_its_form(database: Path, tmp_path: Path, form: str) -> None:
    output = tmp_path / f"a.{form}"
    flag = {"md": "markdown"}.get(form, form)
    question = ("sql", "select 1 as a, 'x' as b", "--db", database)
    assert run(*question, "-o", output).code == 0
    assert output.read_bytes() == run(*question, f"--{flag}").out
    assert run(*question, "-o", output, "--json").code == 0
    assert json.loads(output.read_text())["row_count"] == 1


def test_output_goes_to_a_private_file(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert ask(database, "select 1 as a", "--csv", "-o", target).code == 0
    assert target.read_bytes() == b"a\n1\n"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_named_database_is_taken_as_it_is(database: Path, isolated_machine: Path) -> None:
    """Logs of this machine have no place in a database that somebody names."""
    write_history(isolated_machine)
    before = ask(database, "select count(*) as n from sessions", "--jsonl").out
    assert (
        ask(database, "select count(*) as n from sessions", "--jsonl").out
        == before
        == (b'{"n": 3}\n')
    )


def test_the_usual_database_is_brought_up_to_date_first(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    ran = run("sql", "select count(*) as n from sessions", "--jsonl", "-q")
    assert (ran.code, ran.out) == (0, b'{"n": 3}\n')
    assert run("sql", "select 1", "--no-sync", "-q").code == 0


def test_no_database_is_told(tmp_path: Path) -> None:
    ran = run("sql", "select 1", "--db", tmp_path / "none.db")
    assert ran.code == 1
    assert "agentpprof index" in ran.err
    assert not (tmp_path / "none.db").exists()


def test_stale_views_are_made_anew(database: Path) -> None:
    with sqlite3.connect(database) as other:
        other.execute("drop view sessions")
        other.execute("update meta set value = 'old' where key = 'sql_digest'")
    other.close()
    assert ask(database, "select count(*) from sessions").code == 0
