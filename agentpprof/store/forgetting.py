"""Forget sessions for good: rows, texts, names that nothing else uses, and the bytes themselves.

Tombstones stay, so that a log that is read again brings nothing back. A session that goes on after
it was forgotten is kept from there on.
"""

import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import NothingFoundError, StoreError, sqlite_name
from agentpprof.output_cache import clear_cache
from agentpprof.resources import read_text
from agentpprof.store.database import (
    held_for_writing,
    look_at,
    opened_for_reading,
    opened_for_writing,
    renew_schema,
)
from agentpprof.store.leftovers import clear_leftovers
from agentpprof.store.schema import schema_version
from agentpprof.store.search_index import empty_search_index
from agentpprof.store.transactions import bump_generation, transaction

RESET = "forgotten"  # stands in log_file.damage of a log that is to be read from its start
FORGETTINGS = "forgettings"  # the key in `meta` of how often something was forgotten
COMPACTION_DUE = "compaction_due"  # the key in `meta` while forgotten bytes may stand in the file
_LOCK_SECONDS = 60.0
_TEMPORARY = (
    "create temporary table forgotten_now "
    "(session_key integer primary key, until_ms integer not null)"
)
_COUNTED = ("session", "operation", "operation where op = 0", "path", "name", "tag")


class Wish(NamedTuple):
    """What to forget: all conditions that are given hold together."""

    session_id: str | None = None
    root: str | None = None  # the folder of a project
    before_ms: int | None = None


class Forgotten(NamedTuple):
    """How much is, or would be, gone."""

    sessions: int = 0
    operations: int = 0
    prompts: int = 0
    paths: int = 0
    names: int = 0
    tags: int = 0
    is_compacted: bool = True  # else a reader held the old bytes in the write-ahead log
    roots: tuple[str, ...] = ()  # the projects that lose something, where it was only counted
    subagents: int = 0  # of the sessions, where it was only counted


def count_forgettable(database: Path, wish: Wish) -> Forgotten:
    """Return what a wish is about; raises NothingFoundError when that is nothing."""
    renew_schema(database)  # an older one has no tombstones
    with opened_for_reading(database) as connection:
        _choose(connection, wish)
        sessions = connection.execute("select count(*) from temp.forgotten_now").fetchone()[0]
        subagents = connection.execute(read_text("sql", "forget/subagents.sql")).fetchone()[0]
        operations, prompts = connection.execute(read_text("sql", "forget/count.sql")).fetchone()
        roots = connection.execute(read_text("sql", "forget/roots.sql")).fetchall()
    if not sessions:
        raise NothingFoundError("no stored session is meant, so nothing was forgotten")
    names = tuple(root for (root,) in roots)
    return Forgotten(sessions, operations, prompts, roots=names, subagents=subagents)


def forget(database: Path, wish: Wish) -> Forgotten:
    """Remove what a wish is about and compact the database; returns what is gone."""
    with held_for_writing(database, _LOCK_SECONDS), opened_for_writing(database) as connection:
        clear_leftovers(database)  # a restore that was killed may have left a copy of all
        with transaction(connection):
            _choose(connection, wish)
            connection.execute(
                "insert or replace into forgotten_session "
                "select session_key, until_ms from temp.forgotten_now"
            )
            gone = apply_tombstones(connection)
        clear_cache()
        return gone._replace(is_compacted=_compact_or_tell(connection))


def finish_forgetting(database: Path) -> bool | None:
    """Compact what an earlier run had to leave as it was: a reader or a full disk was in its way.

    Returns whether it is done, None where nothing is left to do.
    """
    if look_at(database) < schema_version():
        return None
    with opened_for_reading(database) as connection:
        if not is_compaction_due(connection):
            return None
    with held_for_writing(database, _LOCK_SECONDS), opened_for_writing(database) as connection:
        return _compact_or_tell(connection)


def is_compaction_due(connection: sqlite3.Connection) -> bool:
    """Say whether bytes of what was forgotten may still stand in the file."""
    query = "select 1 from meta where key = ?"
    return connection.execute(query, (COMPACTION_DUE,)).fetchone() is not None


def apply_tombstones(connection: sqlite3.Connection) -> Forgotten:
    """Delete everything that a tombstone stands for, within the caller's transaction."""
    empty_search_index(connection)
    before = _counts(connection)
    for statement in read_text("sql", "forget/delete.sql").split(";\n"):
        connection.execute(statement)
    connection.execute(
        "insert into meta (key, value) values (?, 1) "
        "on conflict do update set value = cast(value as integer) + 1",
        (FORGETTINGS,),
    )
    bump_generation(connection)
    connection.execute("insert or replace into meta values (?, '1')", (COMPACTION_DUE,))
    after = _counts(connection)
    counts = (old - new for old, new in zip(before, after, strict=True))
    return Forgotten._make((*counts, True, (), 0))


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file without what was deleted, and empty the write-ahead log."""
    connection.execute("vacuum")
    if connection.execute("pragma wal_checkpoint(truncate)").fetchone()[0]:
        return False
    connection.execute("delete from meta where key = ?", (COMPACTION_DUE,))
    connection.execute("pragma wal_checkpoint(truncate)")
    return True


def _compact_or_tell(connection: sqlite3.Connection) -> bool:
    try:
        return compact(connection)
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"it is forgotten, but the file could not be rewritten ({sqlite_name(error)}), so its "
            "bytes may still stand there: free twice the database's size, then run agentpprof "
            "forget"
        ) from error


def read_forgettings(connection: sqlite3.Connection) -> int:
    """Return how often something was forgotten; 0 where there are no tombstones."""
    row = connection.execute("select value from meta where key = ?", (FORGETTINGS,)).fetchone()
    return int(row[0]) if row else 0


def _choose(connection: sqlite3.Connection, wish: Wish) -> None:
    """Put the sessions of a wish into a temporary table, with the time up to which."""
    connection.execute("drop table if exists temp.forgotten_now")
    connection.execute(_TEMPORARY)
    before = wish.before_ms
    until_ms = time.time_ns() // 1_000_000 if before is None else before - 1
    connection.execute(
        read_text("sql", "forget/select.sql"), {**wish._asdict(), "until_ms": until_ms}
    )


def _counts(connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(
        connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608 # ours
        for table in _COUNTED
    )


def reset_log_files(connection: sqlite3.Connection, log_file_ids: Iterable[int]) -> None:
    """Let logs be read from their start when they grow, and keep nothing of their last words."""
    for log_file_id in log_file_ids:
        connection.execute(
            "update log_file set offset = 0, head_length = 0, head_hash = x'', tail_hash = x'', "
            "is_tail_seen = 1, damage = ? where id = ?",
            (RESET, log_file_id),
        )
        connection.execute("delete from log_file_state where log_file_id = ?", (log_file_id,))
