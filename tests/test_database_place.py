"""Where the database is: a name that leads to none is told, whoever gave it."""

import os
from pathlib import Path

import pytest
from command_line import check_refused, run, write_history

# Commands that need a database that is there.
ASKING = [
    ("sessions", "--all-projects", "--no-sync"),
    ("--all-projects", "--no-sync"),
    ("audit", "--all-projects", "--no-sync"),
    ("diff", "all", "all", "--all-projects", "--no-sync"),
    ("tags", "list", "--all-projects", "--no-sync"),
    ("sql", "select 1", "--no-sync"),
    ("ask", "prompts-by-tokens", "--no-sync"),
    ("search", "cart", "--no-sync"),
    ("forget", "--session-id", "aaaa1111", "--yes"),
    ("tags", "set", "aaaa1111", "deploy"),
    ("doctor", "--repair"),
    ("backup", "copy.db"),
]


@pytest.mark.parametrize("command", ASKING)
def test_a_missing_database_is_named_and_not_made(tmp_path: Path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    missing = tmp_path / "folder" / "none.db"
    check_refused(run(*command, "--db", missing), 1, f"no database yet at {missing};")
    monkeypatch.setenv("AGENTPPROF_DB", str(missing))
    check_refused(run(*command), 1, f"no database yet at {missing} (AGENTPPROF_DB);")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    ran = run("sql", "select 1", "--db", tmp_path / "empty.db")
    check_refused(ran, 1, "empty.db: the file is empty")


def test_the_home_folder_is_not_spelled_out(isolated_machine: Path) -> None:
    ran = run("sql", "select 1", "--db", isolated_machine / "none.db")
    check_refused(ran, 1, "no database yet at ~/none.db;")
    assert str(isolated_machine) not in ran.err


@pytest.mark.parametrize("command", [("index",), ("sessions", "--all-projects"), ("status",)])
@pytest.mark.parametrize(
    ("name", "reason"),
    [("{}", "is a folder"), ("/dev/null", "is a device or pipe"), ("x" * 300, "too long")],
)
def test_a_name_that_can_be_no_file_is_told_with_who_gave_it(
    tmp_path: Path, monkeypatch, command, name, reason
) -> None:
    place = name.format(tmp_path)
    check_refused(run(*command, "--db", place), 2, f"--db {place} ", reason)
    monkeypatch.setenv("AGENTPPROF_DB", place)
    check_refused(run(*command), 2, f"AGENTPPROF_DB={place} ", reason)


@pytest.mark.parametrize(
    "command", [("index",), ("watch", "--once"), ("sessions", "--all-projects"), ("top",)]
)
def test_a_named_database_that_is_made_is_told_once(
    isolated_machine: Path, tmp_path: Path, command
) -> None:
    write_history(isolated_machine)
    told = f"a new database was made: {tmp_path / 'new.db'}\n"
    assert told in run(*command, "--db", tmp_path / "new.db").err
    assert told not in run(*command, "--db", tmp_path / "new.db").err
    assert run("index", "-q", "--db", tmp_path / "quiet.db").err == ""


def test_a_blank_variable_names_no_database(monkeypatch) -> None:
    monkeypatch.setenv("AGENTPPROF_DB", "  ")
    assert run("index").code == 0
    assert not os.path.exists("  ")  # noqa: PTH110 # a name of blanks
