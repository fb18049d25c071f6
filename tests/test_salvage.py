"""`doctor --salvage`: all that a damaged file still gives; logs that are there add the rest."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical_dump, differences
from command_line import run
from watching import Logs

from agentpprof.errors import StoreError
from agentpprof.ingest.indexer import sync
from agentpprof.store.database import look_at
from agentpprof.store.forgetting import Wish, forget
from agentpprof.store.salvage import salvage
from agentpprof.store.schema import schema_version

PAGE = 4096


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for line in range(60):
        for number in range(4):
            logs.append(number, f"prompt {line} of {number} " + "x" * 300)
    return logs


@pytest.fixture
def database(logs: Logs, tmp_path: Path) -> Path:
    """A database with a log that is gone, tags by hand, and something forgotten."""
    path = tmp_path / "store" / "agent.db"
    sync(path, logs.watched(path).roots)
    assert run("tags", "set", "--db", path, "session-1", "debug").code == 0
    forget(path, Wish(session_id="session-3"))
    logs.sessions[0].path(logs.home).unlink()
    sync(path, logs.watched(path).roots)
    return path


def dump_of(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        return canonical_dump(connection)


def pages_of(database: Path, name: str) -> list[int]:
    """Return the leaf pages of a table, found by damaging none: by their kind and root."""
    with closing(sqlite3.connect(database)) as connection:
        query = "select rootpage from sqlite_schema where name = ?"
        root = int(connection.execute(query, (name,)).fetchone()[0])
    data = database.read_bytes()

    def page(number: int) -> bytes:
        return data[(number - 1) * PAGE : number * PAGE]

    if page(root)[0] not in (2, 5):
        return [root]
    cells = int.from_bytes(page(root)[3:5])
    starts = [int.from_bytes(page(root)[12 + 2 * n : 14 + 2 * n]) for n in range(cells)]
    children = [int.from_bytes(page(root)[at : at + 4]) for at in starts]
    return [*children, int.from_bytes(page(root)[8:12])]


def damage(database: Path, page: int) -> None:
    with database.open("r+b") as stream:
        stream.seek((page - 1) * PAGE)
        stream.write(b"\x55" * PAGE)


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def test_a_sound_database_gives_everything(logs: Logs, database: Path, tmp_path: Path) -> None:
    found = salvage(database, tmp_path / "saved.db")
    assert not any(found.gaps.values())
    sync(tmp_path / "saved.db", logs.watched(database).roots)
    wanted, got = dump_of(database), dump_of(tmp_path / "saved.db")
    del wanted["log_file"], got["log_file"]  # how far a log that is gone was read says no more
    assert not differences(wanted, got)


def told_by_logs(dump: dict[str, list[tuple[Any, ...]]]) -> list[str]:
    """Return the operations and sessions of the two logs that are there."""
    every = [repr(row) for table in ("operation", "session") for row in dump[table]]
    return sorted(row for row in every if "session-1.jsonl" in row or "session-2.jsonl" in row)


SMALL = ("session", "name", "field_bag", "log_file", "usage_line", "workspace", "tagger")


@pytest.mark.parametrize(
    ("table", "which"), [*(("operation", n) for n in (0, 1, -1)), *((each, 0) for each in SMALL)]
)
def test_what_a_damaged_table_still_gives(
    logs: Logs, database: Path, tmp_path: Path, table: str, which: int
) -> None:
    """Logs that are there give their rows again; of those that are gone all else is kept."""
    wanted = told_by_logs(dump_of(database))
    damage(database, pages_of(database, table)[which])
    saved = tmp_path / "saved.db"
    found = salvage(database, saved)
    assert found.gaps[table]
    sync(saved, logs.watched(saved).roots)
    assert told_by_logs(dump_of(saved)) == wanted
    assert rows(saved, "select tag from manual_tag") == [("debug",)]
    texts = [text for (text,) in rows(saved, "select text from operation where op = 0")]
    assert {text for text in texts if " of 1 " in text or " of 2 " in text} == {
        f"prompt {line} of {number} " + "x" * 300 for line in range(60) for number in (1, 2)
    }
    kept = sum(" of 0 " in text for text in texts)
    assert (30 < kept < 60) if table == "operation" and which in (0, 1) else kept == 60, kept
    assert not any(" of 3 " in text for text in texts)  # it stays forgotten
    assert len(rows(saved, "select * from prompts")) == len(texts)  # no row is hidden


def test_the_command_tells_what_was_read_and_what_to_do(
    logs: Logs, database: Path, tmp_path: Path
) -> None:
    damage(database, pages_of(database, "operation")[1])
    before, saved = database.read_bytes(), tmp_path / "saved.db"
    root = ("--claude-root", logs.home / "projects")
    ran = run("doctor", "--salvage", saved, "--db", database, *root)
    assert ran.code in (1, 3)
    told = ran.out.decode()
    assert "salvage: " in told
    assert f"agentpprof restore {saved}" in told
    assert "operation" in told
    assert database.read_bytes() == before
    assert saved.stat().st_mode & 0o777 == 0o600
    assert run("restore", "--db", database, saved, "--yes").code == 0
    assert run("index", "--db", database, *root).code == 0
    assert run("doctor", "--deep", "--db", database, *root).code == 0
    assert rows(database, "select tag from manual_tag") == [("debug",)]


def test_a_copy_that_can_not_be_filled_is_not_left(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agentpprof.store.salvage._copy", fail)
    with pytest.raises(KeyboardInterrupt):
        salvage(database, tmp_path / "saved.db")
    assert not list(tmp_path.glob("saved.db*"))


def test_what_gives_nothing_is_told(database: Path, tmp_path: Path) -> None:
    (tmp_path / "letter").write_bytes(b"Dear Sir" * 999)
    for wrong in (tmp_path / "letter", tmp_path / "none"):
        with pytest.raises(StoreError):
            salvage(wrong, tmp_path / "saved.db")
        assert not (tmp_path / "saved.db").exists()
    with pytest.raises(StoreError, match="exists already"):
        salvage(database, database)
    assert look_at(database) == schema_version()
