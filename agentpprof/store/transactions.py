"""Transactions, and the count of changes by which finished outputs are known to be stale."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all of it or nothing; begun by hand, as the one writer (`begin immediate`)."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:  # SQLite itself ends one when the disk is full
            connection.execute("rollback")
        raise


def bump_generation(connection: sqlite3.Connection) -> None:
    """Count a change of the rows, within its transaction: no finished output is used again."""
    connection.execute("update meta set value = value + 1 where key = 'generation'")
