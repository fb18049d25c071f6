"""Mend what can be made anew from the rows themselves: SQLite's indexes and the search index.

Rows are never touched. Where they are damaged, nothing is mended and the caller says so.
"""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import sqlite_name
from agentpprof.output_cache import clear_cache
from agentpprof.store.database import (
    held_for_writing,
    look_at,
    no_database,
    opened_for_writing,
)
from agentpprof.store.search_index import empty_search_index, fill_search_index
from agentpprof.store.transactions import transaction

_LOCK_SECONDS = 60.0


class Repair(NamedTuple):
    """What was made anew, and whether the file is sound now."""

    indexes: int
    searchable: int  # operations in the search index; 0 where nobody has searched yet
    error: str  # SQLite's name of what stopped it, or of what is left; empty when all is sound


def repair(database: Path) -> Repair:
    """Make every index anew, then let SQLite check the whole file; raises StoreError."""
    if look_at(database) == 0:
        raise no_database(database)
    with held_for_writing(database, _LOCK_SECONDS):
        try:
            return _repair(database)
        except sqlite3.DatabaseError as error:
            return Repair(0, 0, sqlite_name(error))
        finally:
            clear_cache()  # outputs were made by way of the damaged indexes


def _repair(database: Path) -> Repair:
    with opened_for_writing(database) as connection:
        indexes = connection.execute(
            "select count(*) from sqlite_schema where type = 'index'"
        ).fetchone()[0]
        was_searched = connection.execute("select indexed_to_id from search_state").fetchone()[0]
        with transaction(connection):
            connection.execute("reindex")
            empty_search_index(connection)
        searchable = fill_search_index(connection) if was_searched else 0
        found = connection.execute("pragma integrity_check(1)").fetchone()[0]
        connection.execute("pragma wal_checkpoint(truncate)")
        return Repair(indexes, searchable, "" if found == "ok" else "SQLITE_CORRUPT")
