"""Back the database up while it is used, and put a backup in its place.

Neither opens the database's own files outside SQLite: closing them would drop its locks. A backup
appears whole or not at all; a restore never leaves a write-ahead log of the file before beside it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from agentpprof.counts import counted
from agentpprof.errors import StoreError, sqlite_name
from agentpprof.output import stream_of
from agentpprof.output_cache import clear_cache
from agentpprof.store.database import (
    check_place,
    held_for_writing,
    look_at,
    no_database,
    opened_for_reading,
    opened_for_writing,
)
from agentpprof.store.forgetting import apply_tombstones, compact
from agentpprof.store.leftovers import SIDECARS, clear_leftovers, new_path
from agentpprof.store.transactions import transaction
from agentpprof.store.watch_lock import watch_lock

_PAGES_A_STEP = 4096  # 16 MiB: other programs get in between
_LOCK_SECONDS = 60.0
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
_WITH_TOMBSTONES = 2  # from this version of the schema on
_TOMBSTONES = ("forgotten_session", "forgotten_operation")


def backup(database: Path, target: Path, *, replaces_all: bool = False) -> int:
    """Write a copy of the database as it stands now; returns its bytes.

    Others may read and write meanwhile. An older backup at that place is replaced, anything else
    is refused: also a backup with sessions that would be lost, unless `replaces_all`.
    """
    if look_at(database) == 0:
        raise no_database(database)
    if stream_of(str(target)) is not None or (target.exists() and not _may_be_replaced(target)):
        raise StoreError(f"{target} is a device or pipe: name a file")
    if target.exists():
        if target.samefile(database):
            raise StoreError(f"{target} is the database itself: name another file")
        if look_at(target, "") and not replaces_all:  # raises for what is not ours
            _check_nothing_is_lost(database, target)
    with _new_file(target) as temporary:
        _copy(database, temporary)
        _check(temporary, "quick_check")
        temporary.replace(target)
    _sync_folder(target.parent)
    return target.stat().st_size


def _may_be_replaced(target: Path) -> bool:
    """Say whether a place holds a file, or a folder, of which it is told that it is one."""
    return target.is_file() or target.is_dir()


def _check_nothing_is_lost(database: Path, target: Path) -> None:
    """Raise StoreError where a backup has sessions that the database neither has nor forgot."""
    with opened_for_reading(target) as connection:
        stored = {row[0] for row in connection.execute("select key from session")}
    with opened_for_reading(database) as connection:
        known = {row[0] for row in connection.execute("select key from session")}
        if look_at(database) >= _WITH_TOMBSTONES:
            known.update(row[0] for row in _rows(connection, "forgotten_session"))
    if lost := len(stored - known):
        raise StoreError(
            f"{target} holds {counted(lost, 'session')} that this database does not have: "
            "name another file, or replace it with --yes"
        )


def restore(database: Path, source: Path) -> Path | None:
    """Put a backup in the place of the database; returns where a damaged one was kept.

    What was forgotten since the backup was made stays forgotten.
    """
    if look_at(source, "") == 0:
        raise StoreError(f"{source} is no backup: there is no such file, or it is empty")
    if database.exists() and source.samefile(database):
        raise StoreError(f"{source} is the database itself: name a backup")
    _check(source, "integrity_check")
    check_place(database)
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with watch_lock(database), held_for_writing(database, _LOCK_SECONDS):
        clear_leftovers(database)
        with _new_file(database) as temporary:
            _copy(source, temporary)
            is_sound = _carry_tombstones(database, temporary)
            kept = _replace(database, temporary, is_sound)
            clear_cache()  # generations are counted from the backup's on: they would mean others
            return kept


def _copy(source: Path, target: Path) -> None:
    """Copy by SQLite's own means into an empty file that needs no sidecar afterwards."""
    with opened_for_reading(source) as reading, closing(_connect(target)) as writing:
        try:
            reading.backup(writing, pages=_PAGES_A_STEP, sleep=0.01)
            writing.execute("pragma journal_mode = delete")
        except sqlite3.Error as error:
            raise StoreError(
                f"{target.parent} can't hold the copy ({sqlite_name(error)}): "
                "free space, or name another place"
            ) from error


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _check(path: Path, pragma: str) -> None:
    try:
        with opened_for_reading(path) as connection:
            found = connection.execute(f"pragma {pragma}(1)").fetchone()[0]
    except sqlite3.DatabaseError:
        found = "unreadable"
    if found != "ok":
        raise StoreError(f"{path} is damaged and was left alone: name another backup")


def _carry_tombstones(database: Path, temporary: Path) -> bool:
    """Forget in the copy what was forgotten in the database; False when that is damaged.

    Raises StoreError when it can't be read just now: what was forgotten must not come back.
    """
    try:
        if look_at(database) == 0:
            return True
        with opened_for_reading(database) as connection:
            _check_readable(connection)
            tombstones = {table: _rows(connection, table) for table in _TOMBSTONES}
    except (StoreError, sqlite3.Error) as error:
        _raise_if_passing(database, error)
        return False
    if any(tombstones.values()):
        with opened_for_writing(temporary) as connection:
            with transaction(connection):
                for table, rows in tombstones.items():
                    marks = ", ".join("?" * len(rows[0])) if rows else ""
                    statement = f"insert or replace into {table} values ({marks})"  # noqa: S608 # ours
                    connection.executemany(statement, rows)
                apply_tombstones(connection)
            compact(connection)
            connection.execute("pragma journal_mode = delete")
    return True


def _raise_if_passing(database: Path, error: Exception) -> None:
    """Tell a full disk, a lock or a failing read from damage."""
    cause = error.__context__ if isinstance(error, StoreError) else error
    name = sqlite_name(cause) if cause is not None else ""
    if isinstance(cause, OSError | sqlite3.OperationalError) and not name.startswith(_DAMAGE):
        raise StoreError(
            f"{database} can't be read ({name}), so what was forgotten in it would come back: free "
            "space and try again, or move it away first"
        ) from error


def _check_readable(connection: sqlite3.Connection) -> None:
    if connection.execute("pragma quick_check(1)").fetchone()[0] != "ok":
        raise StoreError("the database is damaged")


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[int, ...]]:
    names = {name for (name,) in connection.execute("select name from sqlite_schema")}
    if table not in names:
        return []  # made by an older version
    return connection.execute(f"select * from {table}").fetchall()  # noqa: S608 # our own names


def _replace(database: Path, temporary: Path, is_sound: bool) -> Path | None:
    """Change the files over: in no order of events does an old log stand beside the new file."""
    kept = None
    if database.exists() and is_sound:
        with closing(_connect(database)) as connection:  # of any version: nothing else is changed
            connection.execute("pragma wal_checkpoint(truncate)")
    elif database.exists():
        kept = _free_name(database)
        database.rename(kept)
        for sidecar in SIDECARS:  # they belong to the damaged file and may mend it
            with_suffix = database.with_name(database.name + sidecar)
            if with_suffix.exists():
                with_suffix.rename(kept.with_name(kept.name + sidecar))
    for sidecar in SIDECARS:
        database.with_name(database.name + sidecar).unlink(missing_ok=True)
    temporary.replace(database)
    _sync_folder(database.parent)
    return kept


def _free_name(database: Path) -> Path:
    number = 1
    while (kept := database.with_name(f"{database.name}.corrupt-{number}")).exists():
        number += 1
    return kept


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Yield a new, private, empty file beside the target; removed unless it was renamed."""
    temporary = new_path(target)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise StoreError(
            f"{target} can't be written ({error.strerror}): name another place"
        ) from None
    os.close(descriptor)
    try:
        yield temporary
    finally:
        for suffix in ("", *SIDECARS):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Let the rename reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
