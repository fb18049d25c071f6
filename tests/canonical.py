"""What "equal" means for two databases: every table by natural key and names.

Left out is only what depends on when or in which order things were written: numbers given by the
database, the identity of files on a disk, names and field bags that nothing uses, times of writing.
Keys of sessions and operations are hashes of natural ids, so they stand as they are.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync

_BAG = ", ".join(
    f"(select text from name where id = bag.{name}_id) as {name}"
    for name in (
        "phase",
        "action",
        "object_kind",
        "skill",
        "repeat",
        "tool",
        "category",
        "cmd",
        "effect",
        "process",
        "model",
        "tier",
    )
)
# Columns that say nothing of the logs, by table; every other column is in the dump.
_LEFT_OUT = {
    "log_file": {"id", "device", "inode", "mtime_ns", "ctime_ns", "is_tail_seen"},
    "operation": {"id", "log_file_id", "bag_id", "object_id"},
    "session": {"log_file_id", "agent_type_id", "workspace_id", "branch_id", "version_id"},
    "workspace": {"id"},
    "usage_line": {"log_file_id"},
    "stray_result": {"log_file_id"},
    "bad_line": {"log_file_id"},
    "skipped_record": {"log_file_id"},
    "told_record": {"log_file_id"},
    "operation_path": {"path_id"},
    "operation_host": {"host_id"},
    "session_spawn": set(),
    "tag": {"tagger_id", "created_at_ms"},
    "tagger": {"id", "created_at_ms"},
    "meta": set(),
    "zone_span": set(),
    "forgotten_session": set(),
    "forgotten_operation": set(),
    "manual_tag": {"set_at_ms"},
}
# What stands for the columns left out: SQL expressions over the table, under its own name.
_JOINED = {
    "operation": (
        "(select path from log_file where id = operation.log_file_id) as log_path",
        _BAG,
        """case (select text from name where id = bag.object_kind_id)
            when 'path' then (select path from path where id = operation.object_id)
            else (select text from name where id = operation.object_id)
        end as object""",
    ),
    "session": (
        "(select path from log_file where id = session.log_file_id) as log_path",
        "(select text from name where id = session.agent_type_id) as agent_type",
        "(select cwd from workspace where id = session.workspace_id) as cwd",
        "(select text from name where id = session.branch_id) as branch",
        "(select text from name where id = session.version_id) as version",
    ),
    "operation_path": ("(select path from path where id = operation_path.path_id) as path",),
    "operation_host": ("(select text from name where id = operation_host.host_id) as host",),
    "tag": ("(select definition from tagger where id = tag.tagger_id) as definition",),
    **{
        table: (f"(select path from log_file where id = {table}.log_file_id) as log_path",)
        for table in ("usage_line", "stray_result", "bad_line", "skipped_record", "told_record")
    },
}
_FROM = {"operation": "operation inner join field_bag as bag on operation.bag_id = bag.id"}
# Counters, times and digests of the database itself.
_WHERE = {
    "meta": "key not in ('generation', 'made_at_ms', 'sql_digest', 'tagger_id', 'forgettings', "
    "'tagged')"
}
# Numbers to names alone, what a later read carries on, and what the migrations themselves note.
_NOT_DUMPED = {"name", "path", "field_bag", "log_file_state", "_sqlite_migrations"}


def index_home(home: Path, database: Path | None = None) -> sqlite3.Connection:
    """Index a home of Claude Code in one pass and return a connection to its database."""
    database = database or home.parent / "agent.db"
    sync(database, [Root("claude", str(home / "projects"))])
    return sqlite3.connect(database)


def rows_of(connection: sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    """Return the rows of a query as dicts by column."""
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def canonical_dump(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table, sorted; equal for databases that say the same.

    The first row of each table holds the names of its columns. A table that this module does not
    know is an error, so a new one can't be forgotten.
    """
    tables = {
        name
        for (name,) in connection.execute(
            # The search index is made of the operations' texts, whenever somebody searches.
            "select name from sqlite_schema where type = 'table' "
            "and name not like 'sqlite\\_%' escape '\\' and name not like 'search\\_%' escape '\\'"
        )
    }
    unknown = tables - _LEFT_OUT.keys() - _NOT_DUMPED
    assert not unknown, f"canonical_dump does not know the tables {sorted(unknown)}"
    return {table: _rows(connection, table) for table in sorted(tables - _NOT_DUMPED)}


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
    kept = [f"{table}.{name}" for name in columns if name not in _LEFT_OUT[table]]
    cursor = connection.execute(
        f"select {', '.join([*kept, *_JOINED.get(table, ())])} "
        f"from {_FROM.get(table, table)} where {_WHERE.get(table, 'true')}"
    )
    names = tuple(column[0] for column in cursor.description)
    return [names, *sorted(cursor.fetchall(), key=repr)]


def differences(
    one: dict[str, list[tuple[Any, ...]]], other: dict[str, list[tuple[Any, ...]]]
) -> list[str]:
    """Say in which rows and columns two dumps differ, for a message that can be read."""
    found = []
    for table in sorted(one.keys() | other.keys()):
        names, *rows = one.get(table, [()])
        _, *others = other.get(table, [()])
        missing = [row for row in rows if row not in others]
        added = [row for row in others if row not in rows]
        for left, right in zip(missing, added, strict=False):
            pairs = zip(names, left, right, strict=True)
            changed = {name: (a, b) for name, a, b in pairs if a != b}
            found.append(f"{table} {left[0]!r}: {changed}")
        found += [f"{table} only in the first: {row}" for row in missing[len(added) :]]
        found += [f"{table} only in the second: {row}" for row in added[len(missing) :]]
        if not missing and not added and len(rows) != len(others):
            found.append(f"{table}: {len(rows)} and {len(others)} rows")
    return found


def dump_of(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the canonical dump of a database file."""
    with closing(sqlite3.connect(database)) as connection:
        return canonical_dump(connection)
