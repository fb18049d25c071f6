"""How the database is: read from the file, its locks and the watcher's note, changing nothing.

It works when the watcher is dead or hangs, and when the database is damaged or not there.
"""

import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.errors import StoreError, sqlite_name
from agentpprof.store.database import look_at, opened_for_reading, wal_path, write_lock_path
from agentpprof.store.files import KnownFile, read_known_files
from agentpprof.store.forgetting import RESET, is_compaction_due
from agentpprof.store.schema import schema_version
from agentpprof.store.watch_lock import WatchNote, is_lock_held, is_watched, lock_path, read_note

WAL_ALARM_BYTES = 256 * 1024 * 1024  # four times what a writer leaves: a reader holds it
DISK_ALARM_BYTES = 256 * 1024 * 1024
_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))  # lines of SQLite in which the WAL-reset bug ended


class StoredCounts(NamedTuple):
    """What the database holds."""

    sessions: int = 0  # sub-agents among them
    operations: int = 0
    gone_files: int = 0
    damaged_files: int = 0
    damaged_lines: int = 0
    is_compaction_due: bool = False  # forgotten bytes may still stand in the file
    subagents: int = 0


class Health(NamedTuple):
    """How the database and its watcher are."""

    schema: int
    known_schema: int
    error: str  # why the database can't be used; empty when it can
    counts: StoredCounts
    database_bytes: int
    wal_bytes: int
    disk_free_bytes: int
    written_at_ms: int | None
    sqlite_version: str
    has_wal_reset_bug: bool
    is_watch_lock_held: bool
    is_write_lock_held: bool
    is_watched: bool
    note: WatchNote | None

    @property
    def watcher(self) -> str:
        """How the watcher is: none, fresh, late (hangs or fails), or polling."""
        if not self.is_watch_lock_held:
            return "none"
        if self.is_watched:
            return "fresh"
        return "late" if self.note is None or self.is_late else "polling"

    @property
    def is_late(self) -> bool:
        """Whether a watcher's last pass failed, or its next one is overdue."""
        note = self.note
        return note is not None and (bool(note.error) or time.monotonic() > note.due_at + 60)


def read_health(database: Path) -> tuple[Health, dict[str, KnownFile]]:
    """Return how the database is, and what it knows of log files, by path."""
    schema, counts, error = 0, StoredCounts(), ""
    known: dict[str, KnownFile] = {}
    try:
        schema = look_at(database)
        if schema:
            counts, known = _read_counts(database)
    except StoreError as reason:
        error = str(reason)
    except sqlite3.Error as reason:
        error = sqlite_name(reason)
    wal = wal_path(database)
    note = read_note(database)
    health = Health(
        schema,
        schema_version(),
        error,
        counts,
        _size(database),
        _size(wal),
        _free(database),
        _written_at_ms(database, wal),
        sqlite3.sqlite_version,
        has_wal_reset_bug(sqlite3.sqlite_version_info),
        is_lock_held(lock_path(database)),
        is_lock_held(write_lock_path(database)),
        is_watched(database),
        note,
    )
    return health, known


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Say whether this SQLite can lose committed pages when two connections checkpoint at once.

    From 3.7.0 on; mended in 3.51.3, 3.50.7 and 3.44.6. Here it can't happen as long as all writers
    take the write lock.
    """
    if version < (3, 7, 0) or version >= _FIXED[0]:
        return False
    return not any(version[:2] == fixed[:2] and version >= fixed for fixed in _FIXED)


def _read_counts(database: Path) -> tuple[StoredCounts, dict[str, KnownFile]]:
    with opened_for_reading(database) as connection:

        def count(query: str, *values: Any) -> int:
            return int(connection.execute(f"select count(*) from {query}", values).fetchone()[0])  # noqa: S608 # ours

        counts = StoredCounts(
            count("session"),
            count("operation"),
            count("log_file where gone"),
            count("log_file where damage is not null and damage != ?", RESET),
            count("bad_line"),
            is_compaction_due(connection),
            count("session inner join session as parent on parent.key = session.parent_key"),
        )
        return counts, read_known_files(connection)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _free(database: Path) -> int:
    place = next((each for each in database.absolute().parents if each.exists()), None)
    return shutil.disk_usage(place).free if place is not None else 0


def _written_at_ms(*paths: Path) -> int | None:
    times = [path.stat().st_mtime_ns for path in paths if path.exists()]
    return max(times) // 1_000_000 if times else None
