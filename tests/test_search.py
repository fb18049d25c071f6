"""`agentpprof search`: words in prompts, commands and answers, in any script."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import Ran, run, write_history

from agentpprof.commands.search import snippet
from agentpprof.redactor import SECRET
from agentpprof.store import search_index
from agentpprof.store.database import opened_for_reading, opened_for_writing
from agentpprof.store.search import Search, find_hits, match_expression
from agentpprof.store.search_index import empty_search_index, read_pending, save_search_index


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A database of three sessions and one in other scripts."""
    write_history(tmp_path)
    log = ClaudeSession("dddd4444-0000-4000-8000-000000000004", cwd="/home/dev/shop")
    log.user("请修复购物车的测试")
    log.call("Bash", {"command": "export API_TOKEN=hunter2secret && ./deploy.sh --très-vite"}, "ok")
    log.assistant("カートのテストを直しました。Готово: ГОТОВО")
    log.write(tmp_path / ".claude")
    database = tmp_path / "store" / "agentpprof.db"
    roots = ("--claude-root", tmp_path / ".claude", "--codex-root", tmp_path / ".codex")
    assert run("index", *roots, "--db", database).code == 0
    return database


@pytest.fixture(params=["tail", "index"])
def database(history: Path, request: pytest.FixtureRequest) -> Path:
    """The same searched without an index, and with one: the answers are equal."""
    if request.param == "index":
        assert save_search_index(history)
    return history


def search(database: Path, *arguments: str) -> Ran:
    return run("search", "--db", database, *arguments)


def hits(database: Path, *arguments: str) -> list[dict[str, object]]:
    ran = search(database, "--json", *arguments)
    assert ran.code == 0, ran.err
    found: list[dict[str, object]] = json.loads(ran.out)["hits"]
    return found


def texts(database: Path, *arguments: str) -> list[object]:
    return [hit["text"] for hit in hits(database, *arguments)]


def test_prompts_commands_and_answers_are_found(database: Path) -> None:
    kinds = {
        kind for kind in ("prompt", "answer", "command") if hits(database, "a", "--kind", kind)
    }
    assert kinds == {"prompt", "answer", "command"}
    assert texts(database, "failing test") == ["Fix the failing test of the cart"]


def test_all_words_must_occur_in_any_case_and_order(database: Path) -> None:
    assert texts(database, "CART", "failing") == ["Fix the failing test of the cart"]
    assert not texts(database, "failing", "gate")


def test_a_quoted_argument_is_one_phrase(database: Path) -> None:
    assert texts(database, "the cart")
    assert not texts(database, "cart the")


@pytest.mark.parametrize(
    "word", ["修复", "购物车", "试", "テスト", "カート", "готово", "ГОТОВО", "très"]
)
def test_other_scripts_are_found(database: Path, word: str) -> None:
    assert len(texts(database, word)) == 1


def test_parts_of_words_and_signs_are_found(database: Path) -> None:
    assert texts(database, "./...") == ["go build ./..."]
    assert texts(database, "pi.exam")
    assert texts(database, "--", "-q tests/cart | tail")


@pytest.mark.parametrize(
    "words", ['"', "'", "%", 'a"b', "AND", "NEAR(", "*", "\\", "(", "text:x", "-x", "x OR"]
)
def test_query_syntax_is_plain_text(database: Path, words: str) -> None:
    assert search(database, "--", words).code == 0


def test_filters(database: Path) -> None:
    assert {hit["project"] for hit in hits(database, "the", "--project", "docs")} == {"docs"}
    assert {hit["agent"] for hit in hits(database, "build", "--agent", "codex")} == {"codex"}
    assert {hit["session_id"] for hit in hits(database, "the", "--session-id", "bbbb")} == {
        "bbbb2222-0000-4000-8000-000000000002"
    }
    assert texts(database, "diff", "--tag", "review")
    assert not texts(database, "diff", "--tag", "perf")
    assert not texts(database, "the", "--until", "2026-01-01")
    assert not texts(database, "cart", "--since", "2026-05-05")
    assert texts(database, "README", "--since", "2026-05-05")


def test_newest_come_first_and_the_rest_is_told(database: Path) -> None:
    times = [hit["started_at_ms"] for hit in hits(database, "the")]
    assert times == sorted(times, reverse=True)
    ran = search(database, "the", "--limit", "1", "--json")
    assert json.loads(ran.out)["has_more"] is True
    assert b"more than 1" in search(database, "the", "--limit", "1").out


def test_hit_leads_back_to_its_line(database: Path) -> None:
    hit = hits(database, "failing test")[0]
    with Path(str(hit["log_path"])).open("rb") as log:
        log.seek(int(str(hit["log_offset"])))
        assert b"Fix the failing test" in log.readline()


def test_text_output_shows_place_and_snippet(database: Path) -> None:
    out = search(database, "failing test").out.decode()
    assert "Fix the failing test of the cart" in out
    assert "claude aaaa1111-0000-4000-8000-000000000001" in out
    assert ".jsonl:" in out


def test_nothing_found_is_no_error(database: Path) -> None:
    ran = search(database, "nowhere-to-be-found")
    assert ran.code == 0
    assert b"nothing was found" in ran.out


def test_empty_word_is_refused(database: Path) -> None:
    assert search(database, " ").code == 2
    assert run("search").code == 2


def test_a_word_may_be_the_name_of_a_command(database: Path) -> None:
    assert search(database, "index").code == 0


def test_redact_takes_secrets_out_of_text_and_snippet(database: Path) -> None:
    plain = search(database, "deploy.sh", "--json").out.decode()
    assert "hunter2secret" in plain
    for form in ((), ("--json",)):
        redacted = search(database, "deploy.sh", "--redact", *form).out.decode()
        assert "hunter2secret" not in redacted
        assert SECRET in redacted


def test_terminal_escapes_in_texts_are_shown_not_obeyed(tmp_path: Path) -> None:
    log = ClaudeSession("eeee", cwd="/home/dev/shop")
    log.user("look \x1b[2J\x1b]52;c;eA==\x07 here \u202e now")
    log.write(tmp_path / ".claude")
    ran = run("search", "look", "--claude-root", tmp_path / ".claude")
    text = ran.out.decode()
    assert "look" in text
    assert all(character.isprintable() or character == "\n" for character in text)


@contextmanager
def changed(database: Path) -> Iterator[sqlite3.Connection]:
    with opened_for_writing(database) as connection:
        yield connection


def test_changed_and_deleted_texts_are_followed(history: Path) -> None:
    save_search_index(history)
    with changed(history) as connection:
        connection.execute(
            "update operation set text = text || ' zebracrossing' where text like '%failing test%'"
        )
    assert len(texts(history, "zebracrossing")) == 1
    save_search_index(history)
    assert len(texts(history, "zebracrossing")) == 1
    with changed(history) as connection:
        connection.execute("delete from operation where text like '%zebracrossing%'")
    assert not texts(history, "zebracrossing")


def test_a_number_given_away_again_is_indexed_again(history: Path) -> None:
    save_search_index(history)
    with changed(history) as connection:
        last = connection.execute("select max(id) from operation").fetchone()[0]
        connection.execute(
            "create temp table kept as select * from operation where id = ?", (last,)
        )
        connection.execute("delete from operation where id = ?", (last,))
        connection.execute("update kept set text = 'walrus on the beach'")
        connection.execute("insert into operation select * from kept")
        assert read_pending(connection).texts == 1
    assert texts(history, "walrus") == ["walrus on the beach"]


def test_an_update_that_changes_no_text_costs_nothing(history: Path) -> None:
    save_search_index(history)
    with changed(history) as connection:
        connection.execute("update operation set text = text, result = result")
        assert read_pending(connection).texts == 0


def test_many_new_texts_are_indexed_at_a_search(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_for_reading(history) as connection:
        assert read_pending(connection).indexed_to_id == 0
    assert texts(history, "failing test")
    with opened_for_reading(history) as connection:
        assert read_pending(connection).indexed_to_id == 0  # a few are read as they are
    monkeypatch.setattr("agentpprof.commands.search.PENDING_BEARABLE", 3)
    monkeypatch.setattr(search_index, "_CHUNK_ROWS", 4)
    assert texts(history, "failing test")
    with opened_for_reading(history) as connection:
        pending = read_pending(connection)
        assert pending.texts == 0
        assert pending.indexed_to_id == pending.last_id


def test_index_is_emptied_whole(history: Path) -> None:
    save_search_index(history)
    with changed(history) as connection:
        connection.execute("begin")
        empty_search_index(connection)
        connection.execute("commit")
        connection.execute("vacuum")
        connection.execute("pragma wal_checkpoint(truncate)")
        blocks = connection.execute("select max(length(block)) from search_text_data").fetchone()
    assert blocks[0] < 50
    assert texts(history, "failing test")


def test_search_goes_on_while_somebody_writes(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentpprof.store.database import write_lock

    monkeypatch.setattr("agentpprof.commands.search.PENDING_BEARABLE", 3)
    monkeypatch.setattr(search_index, "_LOCK_SECONDS", 0.05)
    with write_lock(history, 1.0) as is_held:
        assert is_held
        assert texts(history, "failing test")


def test_index_is_sound(history: Path) -> None:
    save_search_index(history)
    with closing(sqlite3.connect(history)) as connection:
        connection.execute("insert into search_text (search_text) values ('integrity-check')")
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_match_expression() -> None:
    assert match_expression(["abcd"]) == '"abc" AND "bcd"'
    assert match_expression(["ab", 'a"b']) == '"a""b"'
    assert match_expression(["ab"]) is None
    long = match_expression(["x".join(str(number) for number in range(500))])
    assert long is not None
    assert long.count("AND") < 24


def test_snippet_is_cut_around_the_word() -> None:
    text = "a " * 200 + "needle" + " b" * 200
    assert "needle" in snippet(text, ("NEEDLE",))
    assert len(snippet(text, ("needle",))) <= 122
    assert snippet("short", ("x",)) == "short"


def test_hits_are_found_lazily(history: Path) -> None:
    with opened_for_reading(history) as connection:
        assert next(find_hits(connection, Search(("the",)))).text
