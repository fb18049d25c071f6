"""`status`: what it says, its exit code, and that it changes nothing."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran, run
from watching import Logs

from agentpprof.ingest.indexer import sync
from agentpprof.store import health
from agentpprof.store.database import write_lock
from agentpprof.store.watch_lock import WatchNote, digest_of_roots, watch_lock

DAY = 86_400


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path / "home")


@pytest.fixture
def database(logs: Logs, tmp_path: Path) -> Path:
    path = tmp_path / "store" / "agent.db"
    logs.append(1, "one", tail=b'{"type":"use\n')
    logs.append(2, "two", tail=b"half a li")
    sync(path, logs.watched(path).roots)
    return path


def status(logs: Logs, database: Path, *more: str) -> Ran:
    return run("status", "--db", database, "--claude-root", logs.home / "projects", *more)


def record(logs: Logs, database: Path) -> dict[str, Any]:
    return status(logs, database, "--json").summary


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Return sizes and times; a reader may make an empty log and its index, as SQLite does."""
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def test_all_is_well(logs: Logs, database: Path) -> None:
    before = tree(database.parent)
    ran = status(logs, database)
    assert ran.code == 0, ran.out
    found = record(logs, database)
    assert found["files"] == 2
    assert found["files_pending"] == found["lag_bytes"] == found["files_gone"] == 0
    assert found["files_unfinished"] == 1
    assert found["lines_damaged"] == 1
    assert found["sessions"] == found["operations"] == 2
    assert found["watcher"] == "none"
    assert found["schema"] == found["known_schema"]
    assert found["attention"] == []
    assert tree(database.parent) == before


def test_what_is_pending_and_gone(logs: Logs, database: Path) -> None:
    path = logs.append(3, "three")
    found = record(logs, database)
    assert (found["files_pending"], found["lag_bytes"]) == (1, path.stat().st_size)
    sync(database, logs.watched(database).roots)
    path.unlink()
    sync(database, logs.watched(database).roots)
    found = record(logs, database)
    assert (found["files_pending"], found["files_gone"]) == (0, 1)
    assert found["sessions"] == 3


def test_who_watches(logs: Logs, database: Path) -> None:
    note = WatchNote(
        pid=4711,
        version="0.1.0",
        mode="events",
        roots=digest_of_roots(logs.watched(database).roots),
        scanned_at_ms=time.time_ns() // 1_000_000,
        due_at=time.monotonic() + 30,
    )
    with watch_lock(database) as lock:
        lock.write(note)
        found = record(logs, database)
        assert (found["watcher"], found["watcher_pid"], found["mode"]) == ("fresh", 4711, "events")
        lock.write(note._replace(mode="polling", reason="no watches left"))
        found = record(logs, database)
        assert (found["watcher"], found["mode_reason"]) == ("polling", "no watches left")
        assert b"no watches left" in status(logs, database).out
        lock.write(note._replace(error="ENOSPC", last_error="ENOSPC", last_error_at_ms=1))
        ran = status(logs, database)
        assert ran.code == 3
        assert b"ENOSPC" in ran.out
        lock.write(note._replace(due_at=time.monotonic() - 1000))
        assert record(logs, database)["attention"] == ["the watcher hangs: restart it"]
    assert record(logs, database)["watcher"] == "none"


def test_a_held_write_lock_is_seen(logs: Logs, database: Path) -> None:
    with write_lock(database, 1):
        assert record(logs, database)["write_lock_held"]
    assert not record(logs, database)["write_lock_held"]


def test_transcripts_that_will_be_deleted(logs: Logs, database: Path) -> None:
    path = logs.append(3, "three")
    old = time.time() - 29 * DAY
    os.utime(path, (old, old))
    ran = status(logs, database)
    assert ran.code == 3
    assert b"will be deleted" in ran.out


def test_no_database_and_no_usable_one(logs: Logs, tmp_path: Path) -> None:
    ran = status(logs, tmp_path / "none.db")
    assert ran.code == 1
    assert b"no database yet" in ran.out
    (tmp_path / "letter.db").write_bytes(b"Dear Sir, " * 1000)
    ran = status(logs, tmp_path / "letter.db", "--json")
    assert ran.code == 1
    assert ran.summary["attention"]
    assert (tmp_path / "letter.db").read_bytes() == b"Dear Sir, " * 1000


def test_a_long_reader_raises_the_alarm(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentpprof.runs.condition.WAL_ALARM_BYTES", 100_000)
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from operation").fetchone()
        for _ in range(20):
            for number in range(5):
                logs.append(number, "more")
            sync(database, logs.watched(database).roots)
        ran = status(logs, database)
        assert ran.code == 3
        assert b"write-ahead log has grown" in ran.out
        reader.execute("commit")
    logs.append(1, "more")
    sync(database, logs.watched(database).roots)
    assert record(logs, database)["wal_bytes"] < 100_000


VERSIONS = [
    ((3, 6, 23), False),
    ((3, 7, 0), True),
    ((3, 40, 1), True),
    ((3, 44, 5), True),
    ((3, 44, 6), False),
    ((3, 45, 0), True),
    ((3, 50, 6), True),
    ((3, 50, 7), False),
    ((3, 51, 2), True),
    ((3, 51, 3), False),
    ((3, 52, 0), False),
]


@pytest.mark.parametrize(("version", "is_affected"), VERSIONS)
def test_which_sqlite_has_the_bug(version: tuple[int, int, int], is_affected: bool) -> None:
    assert health.has_wal_reset_bug(version) is is_affected


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Iterator[None]:
    """Looking at locks must leave none open."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208
    yield
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before + 1  # noqa: PTH208
