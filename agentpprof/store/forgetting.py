"""Forget sessions for good: rows, texts, names that nothing else uses, and the bytes themselves.

Tombstones stay, so that a log that is read again brings nothing back. A session that goes on after
it was forgotten is kept from there on.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import NothingFoundError, StoreError
from agentpprof.resources import read_text
from agentpprof.store.database import (
    look_at,
    opened_for_reading,
    opened_for_writing,
    schema_version,
    write_lock,
)
from agentpprof.store.search_index import empty_search_index

RESET = "forgotten"  # stands in log_file.damage of a log that is to be read from its start
FORGETTINGS = "forgettings"  # the key in `meta` of how often something was forgotten
_LOCK_SECONDS = 60.0
_BAG_NAMES = (
    "phase_id, action_id, object_kind_id, skill_id, repeat_id, tool_id, category_id, cmd_id, "
    "effect_id, process_id, model_id, tier_id"
)
_TEMPORARY = """
create temporary table forgotten_now (session_key integer primary key, until_ms integer not null);
"""
_MATCHING = """
    select operation.key from operation
    inner join {sessions} as told on operation.session_key = told.session_key
    where coalesce(operation.started_at_ms, operation.ended_at_ms, 0) <= told.until_ms
"""


class Wish(NamedTuple):
    """What to forget: all conditions that are given hold together."""

    session_id: str | None = None
    project: str | None = None  # its name, or the folder of its root
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


def count_forgettable(database: Path, wish: Wish) -> Forgotten:
    """Return what a wish is about; raises NothingFoundError when that is nothing."""
    if look_at(database) == 0:
        raise NothingFoundError("there is no database yet, so there is nothing to forget")
    if look_at(database) < schema_version():
        with opened_for_writing(database):
            pass  # an older schema has no tombstones
    with opened_for_reading(database) as connection:
        _choose(connection, wish)
        sessions = connection.execute("select count(*) from temp.forgotten_now").fetchone()[0]
        matching = _MATCHING.format(sessions="temp.forgotten_now")
        operations, prompts = connection.execute(
            "select count(*), coalesce(sum(op = 0), 0) from operation "  # noqa: S608 # ours
            f"where key in ({matching})"
        ).fetchone()
    if not sessions:
        raise NothingFoundError("no stored session is meant, so nothing was forgotten")
    return Forgotten(sessions, operations, prompts)


def forget(database: Path, wish: Wish) -> Forgotten:
    """Remove what a wish is about and compact the database; returns what is gone."""
    with _held(database), opened_for_writing(database) as connection:
        with _transaction(connection):
            _choose(connection, wish)
            connection.execute(
                "insert or replace into forgotten_session "
                "select session_key, until_ms from temp.forgotten_now"
            )
            gone = apply_tombstones(connection)
        return gone._replace(is_compacted=compact(connection))


def apply_tombstones(connection: sqlite3.Connection) -> Forgotten:
    """Delete everything that a tombstone stands for, within the caller's transaction."""
    empty_search_index(connection)
    before = _counts(connection)
    matching = _MATCHING.format(sessions="forgotten_session")
    connection.execute(f"insert or ignore into forgotten_operation {matching}")
    _reset_files(connection)
    for statement in _deletions():
        connection.execute(statement)
    connection.execute(
        "insert into meta (key, value) values (?, 1) "
        "on conflict do update set value = cast(value as integer) + 1",
        (FORGETTINGS,),
    )
    connection.execute("update meta set value = value + 1 where key = 'generation'")
    after = _counts(connection)
    counts = (old - new for old, new in zip(before, after, strict=True))
    return Forgotten._make((*counts, True))


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file without what was deleted, and empty the write-ahead log."""
    connection.execute("vacuum")
    busy = connection.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
    return not busy


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
    tables = ("session", "operation", "operation where op = 0", "path", "name", "tag")
    return tuple(
        connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608 # ours
        for table in tables
    )


def _reset_files(connection: sqlite3.Connection) -> None:
    """Forget how far logs of forgotten sessions were read: the state beside it holds their words.

    Such a log is read from its start when it grows; the tombstones keep out what was forgotten.
    """
    connection.execute(
        "create temporary table if not exists forgotten_file (log_file_id integer primary key)"
    )
    connection.execute("delete from temp.forgotten_file")
    connection.execute(
        "insert or ignore into temp.forgotten_file "
        "select log_file_id from operation where key in (select key from forgotten_operation) "
        "union select log_file_id from usage_line "
        "where operation_key in (select key from forgotten_operation) "
        "union select log_file_id from told_record "
        "where session_key in (select session_key from forgotten_session) "
        "union select log_file_id from session "
        "where key in (select session_key from forgotten_session)"
    )
    reset_log_files(connection, "select log_file_id from temp.forgotten_file")


def reset_log_files(connection: sqlite3.Connection, chosen: str) -> None:
    """Let logs, chosen by a statement of ours, be read from their start when they grow."""
    connection.execute(
        "update log_file set offset = 0, head_length = 0, head_hash = x'', tail_hash = x'', "
        f"damage = '{RESET}' "
        f"where id in ({chosen})"  # our own statements
    )
    connection.execute(f"delete from log_file_state where log_file_id in ({chosen})")  # noqa: S608


def _deletions() -> Iterator[str]:
    gone = "(select key from forgotten_operation)"
    for table in ("operation_path", "operation_host", "stray_result", "usage_line"):
        yield f"delete from {table} where operation_key in {gone}"  # noqa: S608 # our own names
    yield f"delete from operation where key in {gone}"  # noqa: S608 # our own names
    yield f"update operation set prompt_key = null where prompt_key in {gone}"  # noqa: S608 # ours
    yield f"delete from session_spawn where call_key in {gone}"  # noqa: S608 # our own names
    emptied = (
        "(select session_key from forgotten_session "
        "except select session_key from operation)"  # one that goes on keeps its row
    )
    for table in ("usage_line", "told_record", "session_spawn"):
        yield f"delete from {table} where session_key in {emptied}"  # noqa: S608 # our own names
    yield f"delete from session where key in {emptied}"  # noqa: S608 # our own names
    yield (
        "update session set started_at_ms = forgotten_session.until_ms from forgotten_session "
        "where forgotten_session.session_key = session.key "
        "and session.started_at_ms < forgotten_session.until_ms"
    )
    yield "delete from tag where text_hash not in (" + _HASHES + ")"
    yield from _unused()


_HASHES = "select text_hash from operation where text_hash is not null"


def _unused() -> Iterator[str]:
    """Yield what removes names, paths, folders and logs that nothing refers to any more."""
    yield "delete from field_bag where id not in (select bag_id from operation)"
    yield (
        "delete from workspace where id not in "
        "(select workspace_id from session where workspace_id is not null)"
    )
    kind = (
        "select operation.object_id from operation "
        "inner join field_bag as bag on operation.bag_id = bag.id "
        "inner join name on bag.object_kind_id = name.id where name.text {} 'path'"
    )
    yield (
        f"delete from path where id not in ({kind.format('=')}) "  # noqa: S608 # our own names
        "and id not in (select path_id from operation_path)"
    )
    columns = [f"select {name} from field_bag" for name in _BAG_NAMES.split(", ")]
    columns += [f"select {name} from session" for name in ("agent_type_id", "branch_id")]
    columns += ["select version_id from session", "select host_id from operation_host"]
    used = " union ".join([*columns, kind.format("!=")])
    yield f"delete from name where id > 0 and id not in ({used})"  # noqa: S608 # our own names
    dead = (
        "(select id from log_file where gone and id in (select log_file_id from "
        "temp.forgotten_file) and id not in (select log_file_id from operation) "
        "and id not in (select log_file_id from session) "
        "and id not in (select log_file_id from usage_line))"
    )
    for table in ("bad_line", "skipped_record", "stray_result", "told_record"):
        yield f"delete from {table} where log_file_id in {dead}"  # noqa: S608 # our own names
    yield f"delete from log_file where id in {dead}"  # noqa: S608 # our own names


@contextmanager
def _held(database: Path) -> Iterator[None]:
    with write_lock(database, _LOCK_SECONDS) as is_held:
        if not is_held:
            raise StoreError("another agentpprof is writing: try again when it is done")
        yield


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
