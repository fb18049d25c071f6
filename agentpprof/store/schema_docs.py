"""What the database offers to people: its views with their columns, tables with their meaning."""

import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

from agentpprof.resources import folder
from agentpprof.store.database import opened_for_reading

_TABLE = re.compile(r"((?:^--.*\n)+)create (?:virtual )?table (\w+)", re.MULTILINE)


class Shown(NamedTuple):
    """One view or table."""

    name: str
    meaning: str
    columns: tuple[str, ...]


def shown_views(connection: sqlite3.Connection) -> list[Shown]:
    """Return every view with the head comment of its file."""
    return [
        Shown(
            path.stem, _comment(path.read_text(encoding="utf-8")), _columns(connection, path.stem)
        )
        for path in sorted((folder("sql") / "views").glob("*.sql"))
    ]


def shown_tables(connection: sqlite3.Connection) -> list[Shown]:
    """Return every table with the comment that stands above it in its migration."""
    there = {row[0] for row in connection.execute("select name from sqlite_master")}
    found: list[Shown] = []
    for path in sorted((folder("migrations")).glob("*.sql")):
        for comment, name in _TABLE.findall(path.read_text(encoding="utf-8")):
            if name in there:
                found.append(Shown(name, _comment(comment), _columns(connection, name)))
    return found


def read_schema(path: Path) -> list[Shown]:
    """Return the views of a database."""
    with opened_for_reading(path) as connection:
        return shown_views(connection)


def _comment(text: str) -> str:
    """Return the comment at the head of a text, in one line."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return " ".join(lines)


def _columns(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    rows = connection.execute("select name from pragma_table_info(?)", (name,))
    return tuple(row[0] for row in rows)
