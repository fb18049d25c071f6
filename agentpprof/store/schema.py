"""Bring a database's schema up to date: migrations once, views whenever their text changed."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from agentpprof.resources import folder
from agentpprof.store.transactions import transaction

if TYPE_CHECKING:
    from sqlite_utils import Database

_ZONE_SPAN_MS = (1_577_836_800_000, 2_208_988_800_000)  # 2020 to 2040


def schema_version() -> int:
    """Return the schema this version writes: the number of its migrations."""
    return len(list(folder("migrations").glob("*.sql")))


def bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    """Apply pending migrations and changed views in one transaction; nothing when current."""
    if is_current(connection, version):
        return
    digest = sql_digest()
    # Taken by hand: simultaneous first starts would each try to create the tables.
    with transaction(connection):
        _apply(connection, digest)


def is_current(connection: sqlite3.Connection, version: int) -> bool:
    """Say whether a database of schema `version` has this version's tables and views."""
    return version == schema_version() and _stored_digest(connection) == sql_digest()


def sql_digest() -> str:
    """Return a digest of the view files, which are edited in place."""
    digest = blake2b(digest_size=16)
    for path in sorted((folder("sql") / "views").glob("*.sql")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _stored_digest(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("select value from meta where key = 'sql_digest'").fetchone()
    return row[0] if row else None


def _apply(connection: sqlite3.Connection, digest: str) -> None:
    from sqlite_utils import Database, Migrations

    database = Database(connection, execute_plugins=False)
    migrations = Migrations("agentpprof")
    for path in sorted(folder("migrations").glob("*.sql")):
        migrations(name=path.stem)(_script(path.read_text(encoding="utf-8")))
    migrations.apply(database)
    _refresh_views(database)
    made_at_ms = str(time.time_ns() // 1_000_000)
    defaults = {"generation": "0", "made_at_ms": made_at_ms, "zone": local_zone()}
    for key, value in defaults.items():
        connection.execute("insert or ignore into meta (key, value) values (?, ?)", (key, value))
    connection.execute(
        "insert or replace into meta (key, value) values ('sql_digest', ?)", (digest,)
    )
    _save_zone_spans(connection)
    connection.execute(f"pragma user_version = {schema_version()}")


def _save_zone_spans(connection: sqlite3.Connection) -> None:
    """Store the offsets of the database's zone once: SQL knows no zones, and views count days."""
    from agentpprof.zones import zone_spans

    if connection.execute("select 1 from zone_span").fetchone():
        return
    zone = connection.execute("select value from meta where key = 'zone'").fetchone()[0]
    connection.executemany(
        "insert into zone_span (from_ms, offset_ms) values (?, ?)", zone_spans(zone, _ZONE_SPAN_MS)
    )


def _script(text: str) -> "Callable[[Database], None]":
    """Return a migration that runs a script within the transaction it finds itself in."""

    def apply(database: "Database") -> None:
        for statement in _statements(text):
            database.execute(statement)

    return apply


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, each ended at the end of a line.

    `Connection.executescript` would commit, and that of sqlite-utils looks for the end of a
    statement behind every sign, all of it again: 30 ms for ours.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def _refresh_views(database: "Database") -> None:
    """Make every view of sql/views, and drop views that no longer have a file."""
    files = {path.stem: path for path in sorted((folder("sql") / "views").glob("*.sql"))}
    for name in database.view_names():
        if name not in files:
            database.view(name).drop()
    for name, path in files.items():
        text = path.read_text(encoding="utf-8").strip().removesuffix(";")
        database.create_view(name, text, replace=True)


def local_zone() -> str:
    """Return the zone that days are counted in from now on: the machine's, by name; else UTC."""
    from agentpprof.zones import is_zone

    names = (_zone_of(text) for text in _zones_told())
    return next((name for name in names if is_zone(name)), "UTC")


def _zones_told() -> Iterator[str]:
    """Yield what may say the machine's zone; TZ alone where it is set, as in the C library."""
    told = os.environ.get("TZ", "").removeprefix(":")
    if told:
        yield told
        return
    with suppress(OSError):
        yield str(Path("/etc/localtime").resolve())
    with suppress(OSError, UnicodeError):  # where /etc/localtime is a copy
        yield Path("/etc/timezone").read_text(encoding="utf-8").strip()


def _zone_of(text: str) -> str:
    """Return the zone's name of a path to it, or of a POSIX rule that begins with one."""
    return text.rpartition("zoneinfo/")[2].partition(",")[0]
