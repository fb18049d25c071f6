"""`doctor --repair`: damage in an index is mended from the rows; damaged rows are left alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from canonical import canonical_dump, differences
from command_line import run
from watching import Logs

from agentpprof.errors import StoreError
from agentpprof.ingest.indexer import sync
from agentpprof.store import repair as repair_module
from agentpprof.store.database import write_lock

PAGE = 4096


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(3):
        for line in range(5):
            logs.append(number, f"prompt {line} of {number}")
    return logs


@pytest.fixture
def database(logs: Logs, tmp_path: Path) -> Path:
    path = tmp_path / "store" / "agent.db"
    sync(path, logs.watched(path).roots)
    return path


def dump_of(database: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(database)) as connection:
        return canonical_dump(connection)


def root_page(database: Path, name: str) -> int:
    """Return where an index or a table begins in the file."""
    with closing(sqlite3.connect(database)) as connection:
        query = "select rootpage from sqlite_schema where name = ?"
        return (int(connection.execute(query, (name,)).fetchone()[0]) - 1) * PAGE


def damage(database: Path, at: int, data: bytes) -> None:
    with database.open("r+b") as stream:
        stream.seek(at)
        stream.write(data)


def doctor(logs: Logs, database: Path, *arguments: str) -> tuple[int, dict[str, bool]]:
    root = logs.home / "projects"
    ran = run("doctor", "--json", *arguments, "--db", database, "--claude-root", root)
    return ran.code, {each["name"]: each["ok"] for each in ran.summary["checks"]}


@pytest.mark.parametrize(
    "name",
    [
        "operation_prompt",
        "sqlite_autoindex_operation_1",
        "sqlite_autoindex_name_1",
        "sqlite_autoindex_log_file_1",
        "sqlite_autoindex_field_bag_1",
    ],
)
def test_damage_in_an_index_is_mended_without_a_log(logs: Logs, database: Path, name: str) -> None:
    wanted = dump_of(database)
    page = root_page(database, name)
    end = database.read_bytes()[page + PAGE - 1]
    damage(database, page + PAGE - 1, bytes([end ^ 0x15]))  # the number of the first entry's row
    code, found = doctor(logs, database, "--deep")
    assert code in (1, 3)
    assert not found.get("integrity_check", False)
    for path in (logs.home / "projects").rglob("*.jsonl"):
        path.rename(path.with_suffix(".away"))
    code, found = doctor(logs, database, "--repair")
    assert (code, found["repair"], found["integrity_check"]) == (0, True, True)
    assert doctor(logs, database, "--deep")[0] == 0
    assert not differences(wanted, dump_of(database))


def found_by_search(database: Path) -> int:
    """Return how many texts a search finds, or -1 where it fails."""
    ran = run("search", "prompt 3 of 1", "--db", database, "--no-sync", "--json")
    return len(ran.summary["hits"]) if ran.code == 0 else -1


def test_a_damaged_search_index_is_made_anew(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentpprof.commands.search.PENDING_BEARABLE", 0)
    assert found_by_search(database) == 1
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute("select indexed_to_id from search_state").fetchone()[0] == 15
        connection.execute("update search_text_data set block = x'00112233' where id > 1")
    assert found_by_search(database) < 1
    assert doctor(logs, database, "--repair")[1]["repair"]
    assert found_by_search(database) == 1


def test_damaged_rows_are_left_alone_and_told(logs: Logs, database: Path) -> None:
    damage(database, root_page(database, "operation") + 200, b"\x55" * (PAGE - 200))
    before = database.read_bytes()
    code, found = doctor(logs, database, "--repair")
    assert code in (1, 3)
    assert not found["repair"]
    assert database.read_bytes()[PAGE:] == before[PAGE:]  # the first page counts openings


def test_it_waits_for_a_writer_and_needs_a_database(
    logs: Logs, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair_module, "_LOCK_SECONDS", 0.05)
    with write_lock(database, 1), pytest.raises(StoreError, match="writing"):
        repair_module.repair(database)
    ran = run("doctor", "--repair", "--db", tmp_path / "none.db")
    assert (ran.code, ran.out) == (1, b"")
    assert not (tmp_path / "none.db").exists()


def test_a_sound_database_stays_as_it_is(logs: Logs, database: Path) -> None:
    wanted = dump_of(database)
    code, found = doctor(logs, database, "--repair")
    assert (code, found["repair"]) == (0, True)
    assert not differences(wanted, dump_of(database))
