"""One writer at a time, and all of a change or nothing."""

import sqlite3
from pathlib import Path

import pytest

from agentpprof.errors import StoreError, sqlite_name
from agentpprof.store.database import (
    held_for_writing,
    opened_for_reading,
    opened_for_writing,
    wal_path,
    write_lock,
    write_lock_path,
)
from agentpprof.store.transactions import bump_generation, transaction


def generation(database: Path) -> int:
    """The number of changes that are counted."""
    with opened_for_reading(database) as connection:
        row = connection.execute("select value from meta where key = 'generation'").fetchone()
    return int(row[0])


def test_a_transaction_that_fails_leaves_nothing_and_is_over(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    with opened_for_writing(database) as connection:
        with pytest.raises(KeyboardInterrupt), transaction(connection):
            bump_generation(connection)
            raise KeyboardInterrupt
        assert not connection.in_transaction
        with transaction(connection):
            bump_generation(connection)
    assert generation(database) == 1


def test_what_ends_a_transaction_by_itself_is_told_not_the_missing_rollback(
    tmp_path: Path,
) -> None:
    with (
        opened_for_writing(tmp_path / "a.db") as connection,
        pytest.raises(ValueError, match="the cause"),
        transaction(connection),
    ):
        connection.execute("rollback")  # as SQLite does it on a full disk
        raise ValueError("the cause")


def test_a_writer_that_may_not_wait_longer_is_told_for_how_long_another_one_wrote(
    tmp_path: Path,
) -> None:
    database = tmp_path / "a.db"
    with held_for_writing(database, 0):
        assert write_lock_path(database).name == "a.db.write.lock"
        with (
            pytest.raises(StoreError, match="writing for 0 seconds: try again"),
            held_for_writing(database, 0),
        ):
            pass  # pragma: no cover
    with write_lock(database, 0) as is_held:
        assert is_held


def test_the_write_ahead_log_lies_where_sqlite_puts_it(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    with opened_for_writing(database):
        assert wal_path(database).exists()


def test_an_error_goes_by_sqlites_name_or_else_by_its_type() -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(":memory:").execute("select secret from nowhere")
    assert sqlite_name(caught.value) == "SQLITE_ERROR"
    assert sqlite_name(ValueError("secret")) == "ValueError"
