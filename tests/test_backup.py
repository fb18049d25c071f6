"""`backup` and `restore`: whole or not at all, private, and never beside a stale log."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession
from canonical import canonical_dump
from command_line import run

from agentpprof.errors import StoreError
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.store.database import write_lock
from agentpprof.store.forgetting import Wish, forget
from agentpprof.store.maintenance import backup, restore
from agentpprof.store.watch_lock import watch_lock


def write_session(home: Path, number: int) -> None:
    log = ClaudeSession(f"session-{number}", cwd=f"/home/dev/shop-{number}")
    log.user(f"Fix the test {number}")
    log.call("Bash", {"command": "pytest -q"})
    log.write(home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_session(tmp_path / "home", 1)
    return tmp_path / "home"


@pytest.fixture
def database(home: Path, tmp_path: Path) -> Path:
    return index(home, tmp_path / "store" / "agent.db")


def index(home: Path, database: Path) -> Path:
    sync(database, [Root("claude", str(home / "projects"))])
    return database


def dump(database: Path) -> object:
    with closing(sqlite3.connect(database)) as connection:
        return canonical_dump(connection)


def sessions(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("select count(*) from session").fetchone()[0])


def test_a_backup_holds_all_and_is_private(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    before = os.umask(0)
    try:
        assert backup(database, target) == target.stat().st_size
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"copy.db", "home", "store"}
    assert dump(target) == dump(database)


def test_a_backup_while_somebody_writes(database: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("begin immediate")
        writer.execute("delete from operation")
        backup(database, tmp_path / "copy.db")
        writer.execute("rollback")
    assert dump(tmp_path / "copy.db") == dump(database)


def test_a_strangers_file_is_not_replaced(database: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(StoreError):
        backup(database, tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "Dear Sir"
    with pytest.raises(StoreError):
        backup(database, database)


def test_an_older_backup_is_replaced_but_none_with_sessions_that_would_be_lost(
    database: Path, home: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    backup(database, copy)
    write_session(home, 2)
    backup(index(home, database), copy)
    assert sessions(copy) == 2
    forget(database, Wish(root="/home/dev/shop-2"))
    backup(database, copy)
    assert sessions(copy) == 1

    write_session(tmp_path / "other", 3)
    other = index(tmp_path / "other", tmp_path / "other.db")
    with pytest.raises(StoreError, match=r"holds 1 sessions? that this database does not have"):
        backup(other, copy)
    assert dump(copy) == dump(database)
    assert run("backup", "--db", other, copy, "--yes").code == 0
    assert dump(copy) == dump(other)


def test_a_failed_backup_leaves_nothing(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("full")

    monkeypatch.setattr("agentpprof.store.maintenance._check", fail)
    with pytest.raises(StoreError):
        backup(database, tmp_path / "copy.db")
    assert {path.name for path in tmp_path.iterdir()} == {"home", "store"}


def test_restore_brings_the_rows_back_and_logs_add_the_rest(
    database: Path, home: Path, tmp_path: Path
) -> None:
    backup(database, tmp_path / "copy.db")
    write_session(home, 2)
    index(home, database)
    whole = dump(database)
    assert restore(database, tmp_path / "copy.db") is None
    assert sessions(database) == 1
    index(home, database)
    assert dump(database) == whole


def test_a_stale_wal_is_removed(database: Path, home: Path, tmp_path: Path) -> None:
    backup(database, tmp_path / "copy.db")
    wanted = dump(database)
    _leave_wal(database)
    restore(database, tmp_path / "copy.db")
    assert dump(database) == wanted


def test_no_log_of_the_old_file_stays_while_others_have_it_open(
    database: Path, tmp_path: Path
) -> None:
    backup(database, tmp_path / "copy.db")
    wanted = dump(database)
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("update operation set active_ms = 77")
        restore(database, tmp_path / "copy.db")
        assert {path.name for path in database.parent.glob("agent.db-*")} == set()
        assert dump(database) == wanted


def test_a_copy_beside_a_stale_wal_is_silently_mixed(
    database: Path, home: Path, tmp_path: Path
) -> None:
    """The control: what a plain copy does instead."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        backup(database, tmp_path / "copy.db")
    wanted = dump(database)
    _leave_wal(database)
    shutil.copyfile(tmp_path / "copy.db", database)
    assert dump(database) != wanted


def _leave_wal(database: Path) -> None:
    """Commit something into the write-ahead log and leave it there, as a crash does."""
    child = os.fork()
    if child == 0:
        connection = sqlite3.connect(database, isolation_level=None)
        connection.execute("pragma journal_mode = wal")
        connection.execute("update operation set active_ms = 77")
        os._exit(0)
    os.waitpid(child, 0)
    assert database.with_name(database.name + "-wal").stat().st_size > 0


def test_a_damaged_backup_is_refused(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    backup(database, target)
    data = bytearray(target.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = b"\x55" * 4096
    target.write_bytes(data)
    wanted = dump(database)
    with pytest.raises(StoreError):
        restore(database, target)
    assert dump(database) == wanted


def test_a_damaged_database_is_kept_beside(database: Path, tmp_path: Path) -> None:
    backup(database, tmp_path / "copy.db")
    wanted = dump(database)
    database.write_bytes(b"SQLite format 3\0" + b"\x55" * 8192)
    kept = restore(database, tmp_path / "copy.db")
    assert kept is not None
    assert kept.read_bytes().endswith(b"\x55" * 8192)
    assert dump(database) == wanted


def test_what_was_forgotten_stays_forgotten(database: Path, home: Path, tmp_path: Path) -> None:
    write_session(home, 2)
    index(home, database)
    backup(database, tmp_path / "copy.db")
    forget(database, Wish(root="/home/dev/shop-2"))
    restore(database, tmp_path / "copy.db")
    assert sessions(database) == 1
    assert b"Fix the test 2" not in database.read_bytes()
    index(home, database)
    assert sessions(database) == 1


def test_restore_waits_for_nobody_in_vain(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentpprof.store.maintenance._LOCK_SECONDS", 0.05)
    backup(database, tmp_path / "copy.db")
    with watch_lock(database), pytest.raises(StoreError, match="watches"):
        restore(database, tmp_path / "copy.db")
    with write_lock(database, 1), pytest.raises(StoreError, match="writing"):
        restore(database, tmp_path / "copy.db")


def test_the_commands(database: Path, tmp_path: Path) -> None:
    assert run("backup", "--db", database, tmp_path / "copy.db").code == 0
    assert run("restore", "--db", database, tmp_path / "copy.db").code != 0  # nobody said yes
    assert run("restore", "--db", database, tmp_path / "copy.db", "--yes").code == 0
    assert run("backup", "--db", tmp_path / "none.db", tmp_path / "x.db").code == 1
    assert run("restore", "--db", database, tmp_path / "none.db", "--yes").code == 1
    assert run("restore", "--db", tmp_path / "new" / "a.db", tmp_path / "copy.db").code == 0
    assert sessions(tmp_path / "new" / "a.db") == 1
