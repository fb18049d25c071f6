"""The search index is brought up to date at a search, never while logs are read.

So indexing pays nothing for it. A few new texts are read as they are (they cost less than a write
would); from some thousand on they are added, under the write lock that every writer takes.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agentpprof.resources import read_text
from agentpprof.store.database import is_read_only, opened_for_writing, write_lock
from agentpprof.store.transactions import transaction

PENDING_BEARABLE = 2_000  # texts read one by one in some milliseconds
_CHUNK_ROWS = 100_000  # operations of one transaction
_LOCK_SECONDS = 1.0

OnIndexed = Callable[[int, int], None]


class Unindexed(NamedTuple):
    """What the search index lacks."""

    texts: int
    last_id: int
    indexed_to_id: int


def read_pending(connection: sqlite3.Connection) -> Unindexed:
    """Return how far the search index is."""
    row = connection.execute(read_text("sql", "select/search_pending.sql")).fetchone()
    return Unindexed._make(row)


def save_search_index(database: Path, on_indexed: OnIndexed | None = None) -> bool:
    """Add what the index lacks; False when it can't be, or somebody else is writing just now."""
    if is_read_only(database):
        return False
    with write_lock(database, _LOCK_SECONDS) as is_held:
        if not is_held:
            return False
        with opened_for_writing(database) as connection:
            _add_changed(connection)
            fill_search_index(connection, on_indexed)
    return True


def empty_search_index(connection: sqlite3.Connection) -> None:
    """Forget everything the index knows, within the caller's transaction; a search refills it.

    Whoever deletes texts for good calls this: entries of deleted rows would tell of their words.
    """
    connection.execute("insert into search_text (search_text) values ('delete-all')")
    connection.execute("delete from search_changed")
    connection.execute("update search_state set indexed_to_id = 0")


def _add_changed(connection: sqlite3.Connection) -> None:
    """Add texts that have changed once more; their old entries only find too much."""
    with transaction(connection):
        connection.execute(
            "insert into search_text (rowid, text) select id, text from operation "
            "where id in (select operation_id from search_changed) and text is not null"
        )
        connection.execute("delete from search_changed")


def fill_search_index(connection: sqlite3.Connection, on_indexed: OnIndexed | None = None) -> int:
    """Add what is new, in several transactions; returns up to which number the index is full."""
    pending = read_pending(connection)
    for start in range(pending.indexed_to_id, pending.last_id, _CHUNK_ROWS):
        end = min(start + _CHUNK_ROWS, pending.last_id)
        with transaction(connection):
            connection.execute(
                "insert into search_text (rowid, text) select id, text from operation "
                "where id > ? and id <= ? and text is not null",
                (start, end),
            )
            connection.execute("update search_state set indexed_to_id = ?", (end,))
        if on_indexed is not None:
            on_indexed(end, pending.last_id)
    return pending.last_id
