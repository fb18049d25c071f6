"""Databases of every earlier schema: made by its migrations, filled with rows of today's."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database, Migrations

from agentpprof.resources import folder
from agentpprof.store.database import APPLICATION_ID
from agentpprof.store.schema import _script, schema_version

EARLIER = range(1, schema_version())
_KEPT_BY_MIGRATIONS = {"_sqlite_migrations", "search_state", "zone_span"}


def write_older(current: Path, target: Path, version: int) -> None:
    """Write a database of an earlier schema with all rows that it has a place for."""
    target.touch(mode=0o600)
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute(f"pragma application_id = {APPLICATION_ID}")
        connection.execute("pragma journal_mode = wal")
        migrations = Migrations("agentpprof")
        for path in sorted(folder("migrations").glob("*.sql"))[:version]:
            migrations(name=path.stem)(_script(path.read_text()))
        connection.execute("begin")
        migrations.apply(Database(connection, execute_plugins=False))
        connection.execute("create view gone as select 1 as since_then_taken_away")
        connection.execute(f"pragma user_version = {version}")
        connection.execute("commit")
        connection.execute("attach ? as today", (str(current),))
        for table in _tables(connection):
            columns = ", ".join(row[1] for row in connection.execute(f"pragma table_info({table})"))
            connection.execute(
                f"insert or ignore into {table} ({columns}) select {columns} from today.{table}"
            )


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("select name from main.sqlite_schema where type = 'table'")
    names = [name for (name,) in found if not name.startswith(("sqlite_", "search_text"))]
    return [name for name in names if name not in _KEPT_BY_MIGRATIONS]
