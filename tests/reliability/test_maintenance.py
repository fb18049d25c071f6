"""Full disks and kills inside backup, restore and forget: all of it or nothing.

T2 (a kill at every call that changes a file), T4 and T5 (no space).
"""

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical_dump, differences
from command_line import PROGRAM
from namespaces import needs_namespaces, on_a_disk
from stopping import KILL, NO_SPACE, Store
from tracing import needs_strace
from watching import Logs

from agentpprof.ingest.indexer import sync
from agentpprof.store.forgetting import Wish, finish_forgetting, forget
from agentpprof.store.maintenance import backup, restore

_PRELUDE = """
import sys
from pathlib import Path
database, place = Path(sys.argv[1]), Path(sys.argv[2])
"""
BACKUP = f"""{_PRELUDE}
from agentpprof.store.maintenance import backup
backup(database, place / "copy.db")
"""
RESTORE = f"""{_PRELUDE}
from agentpprof.store.maintenance import restore
restore(database, place / "kept.db")
"""
FORGET = f"""{_PRELUDE}
from agentpprof.store.forgetting import Wish, forget
forget(database, Wish(session_id="session-1"))
"""
Dump = Mapping[str, list[tuple[Any, ...]]]


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(2):
        for line in range(3):
            logs.append(number, f"prompt {line} of {number}")
    return logs


def new_store(folder: Path, logs: Logs) -> Store:
    """Index the logs into a database that is kept aside."""
    first = folder / "first.db"
    sync(first, logs.watched(first).roots)
    return Store(folder / "store", first)


def dump_of(database: Path) -> Dump:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        return canonical_dump(connection)


@pytest.fixture
def store(tmp_path: Path, logs: Logs) -> Store:
    return new_store(tmp_path, logs)


# ------------------------------------------------------------------------------ backup, restore


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("fault", [KILL, NO_SPACE], ids=["kill", "full"])
def test_a_backup_that_is_stopped_is_whole_or_not_there(store: Store, fault: str) -> None:
    wanted = dump_of(store.first)
    for _ in store.stopped_at(BACKUP, fault):
        copy = store.place / "copy.db"
        assert not copy.exists() or not differences(wanted, dump_of(copy))
        assert not differences(wanted, dump_of(store.database))
        if fault == NO_SPACE:
            left = {path.name for path in store.place.iterdir()}
            assert left <= {"agent.db", "agent.db-wal", "agent.db-shm", "copy.db"}
        backup(store.database, copy)
        assert not differences(wanted, dump_of(copy))


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("fault", [KILL, NO_SPACE], ids=["kill", "full"])
@pytest.mark.parametrize("before", ["stale log", "damaged", "forgotten"])
def test_a_restore_that_is_stopped_leaves_one_of_both(
    tmp_path: Path, logs: Logs, fault: str, before: str
) -> None:
    """The database of before or the backup, never a mixture, and once more does it."""
    store = new_store(tmp_path, logs)
    shutil.copyfile(store.first, tmp_path / "kept.db")
    store.extra["kept.db"] = tmp_path / "kept.db"
    wanted = dump_of(tmp_path / "kept.db")
    logs.append(0, "later")
    sync(store.first, logs.watched(store.first).roots)
    if before == "forgotten":
        forget(store.first, Wish(session_id="session-1"))
        shutil.copyfile(store.first, tmp_path / "expected.db")
        restore(tmp_path / "expected.db", tmp_path / "kept.db")
        wanted = dump_of(tmp_path / "expected.db")
    newer = dump_of(store.first)
    if before == "stale log":
        newer = leave_log(store.first, tmp_path, store.extra)
    if before == "damaged":
        store.first.write_bytes(b"SQLite format 3\0" + b"\x55" * 8192)
    for when in store.stopped_at(RESTORE, fault):
        if store.database.exists() and not is_damaged(store.database):
            found = dump_of(store.database)
            assert not differences(newer, found) or not differences(wanted, found), when
        else:
            assert before == "damaged"
        restore(store.database, store.place / "kept.db")
        assert not differences(wanted, dump_of(store.database)), when
        assert not list(store.place.glob(".agent.db.*")), when


def is_damaged(database: Path) -> bool:
    return database.read_bytes()[16:20] == b"\x55" * 4


def leave_log(database: Path, folder: Path, extra: dict[str, Path]) -> Dump:
    """Keep a committed change in the write-ahead log only, as a crash leaves it."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("update operation set active_ms = 77")
        wal = database.with_name(database.name + "-wal")
        shutil.copyfile(wal, folder / "kept-wal")
        shutil.copyfile(database, folder / "kept-first")
        dump = dump_of(database)
    shutil.copyfile(folder / "kept-first", database)
    extra["agent.db-wal"] = folder / "kept-wal"
    return dump


# --------------------------------------------------------------------------------------- forget


@needs_strace
@pytest.mark.slow
def test_a_full_disk_while_something_is_forgotten(store: Store) -> None:
    """Everything is still there, or it is gone and `forget` ends the rest once there is space."""
    wanted, states = dump_of(store.first), set()
    for when in store.stopped_at(FORGET, NO_SPACE):
        with closing(sqlite3.connect(store.database)) as connection:
            left = connection.execute("select count(*) from operation").fetchone()[0]
        states.add(left)
        if left == 6:
            assert not differences(wanted, dump_of(store.database)), when
            forget(store.database, Wish(session_id="session-1"))
        else:
            assert finish_forgetting(store.database) in (True, None)
        files = store.place.glob("agent.db*")
        assert not any(b"prompt 1 of 1" in path.read_bytes() for path in files), when
        assert len(dump_of(store.database)["operation"]) == 1 + 3
    assert states == {3, 6}


@needs_namespaces
def test_the_commands_on_a_disk_that_is_nearly_full(tmp_path: Path, logs: Logs) -> None:
    """Told in a line, nothing changed, no half file left; space is all it takes."""
    for line in range(300):
        logs.append(line % 2, f"later {line} " + "x" * 4000)
    store = new_store(tmp_path, logs)
    script = f"""
cp {store.first} agent.db; chmod 600 agent.db
{PROGRAM} backup --db agent.db copy.db; echo backup $?
{PROGRAM} forget --db agent.db --session-id session-1 --yes; echo forget $?
ls -A; cp agent.db {tmp_path}/same.db
mount -o remount,size=64m .
{PROGRAM} backup --db agent.db copy.db; echo backup again $?
{PROGRAM} forget --db agent.db --session-id session-1 --yes; echo forget again $?
cp agent.db copy.db {tmp_path}/
"""
    told = on_a_disk(tmp_path / "disk", "2m", script)
    for expected in ("backup 1", "forget 1", "backup again 0", "forget again 0"):
        assert f"{expected}\n" in told, told
    assert told.count("(SQLITE_FULL)") == 2, told
    assert "Traceback" not in told
    assert ".copy.db" not in told
    wanted = dump_of(store.first)
    assert not differences(wanted, dump_of(tmp_path / "same.db"))
    assert not differences(wanted, dump_of(tmp_path / "copy.db"))
    assert len(dump_of(tmp_path / "agent.db")["operation"]) == 1 + 153
    assert b"prompt 1 of 1" not in (tmp_path / "agent.db").read_bytes()
