"""Numbers of names, paths, field bags and folders: looked up once, kept while the writer lives."""

import os
import sqlite3
from typing import Any

from agentpprof.ingest.rows import FieldBag, OperationRow
from agentpprof.ingest.workspaces import find_workspace

_BAG_COLUMNS = (
    "op, phase_id, action_id, object_kind_id, skill_id, repeat_id, tool_id, category_id, "
    "cmd_id, effect_id, process_id, model_id, tier_id"
)


def stored_path(path: str) -> str | bytes:
    """Return a path as it is stored: text, or bytes where it is not UTF-8."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path) if _is_from_disk(path) else path.encode("utf-8", "replace")
    return path


def stored_text(text: str | None) -> str | None:
    """Return a text as it is stored: lone surrogates and NULs replaced, both can't be searched."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def _is_from_disk(path: str) -> bool:
    """Say whether the odd characters of a path are bytes that the system could not decode."""
    return all(
        not "\ud800" <= letter <= "\udfff" or "\udc80" <= letter <= "\udcff" for letter in path
    )


class Numbers:
    """Gives every distinct value a number; to be dropped after a rollback."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names: dict[str, int] = {"": 0}
        self._paths: dict[str, int] = {}
        self._bags: dict[FieldBag, int] = {}
        self._workspaces: dict[str, int] = {}

    def name(self, text: str) -> int:
        """Return the number of a short text."""
        number = self._names.get(text)
        if number is None:
            number = self._names[text] = self._number("name", "text", stored_text(text))
        return number

    def path(self, path: str) -> int:
        """Return the number of a path."""
        number = self._paths.get(path)
        if number is None:
            number = self._paths[path] = self._number("path", "path", stored_path(path))
        return number

    def _number(self, table: str, column: str, value: Any) -> int:
        """Return the number of a value, giving it one if it is new, as most are at first."""
        inserted = self._connection.execute(
            f"insert or ignore into {table} ({column}) values (?)",  # noqa: S608 # our own names
            (value,),
        )
        if inserted.rowcount == 1 and inserted.lastrowid is not None:
            return inserted.lastrowid
        found = self._connection.execute(
            f"select id from {table} where {column} = ?",  # noqa: S608 # our own names
            (value,),
        ).fetchone()
        return int(found[0])

    def object_of(self, row: OperationRow) -> int:
        """Return the number of an operation's object: a path's or a name's."""
        return self.path(row.object) if row.bag.object_kind == "path" else self.name(row.object)

    def bag(self, bag: FieldBag) -> int:
        """Return the number of a field bag."""
        number = self._bags.get(bag)
        if number is None:
            ids = (bag.op, *map(self.name, bag[1:]))
            number = self._bags[bag] = self._bag_number(ids)
        return number

    def _bag_number(self, ids: tuple[int, ...]) -> int:
        found = self._connection.execute(
            f"select id from field_bag where ({_BAG_COLUMNS}) = "  # noqa: S608 # our own names
            f"({', '.join('?' * len(ids))})",
            ids,
        ).fetchone()
        if found is not None:
            return int(found[0])
        inserted = self._connection.execute(
            f"insert into field_bag ({_BAG_COLUMNS}) "  # noqa: S608 # our own names
            f"values ({', '.join('?' * len(ids))})",
            ids,
        )
        return int(inserted.lastrowid or 0)

    def workspace(self, cwd: str) -> int:
        """Return the number of a working folder; its project is looked up once and stored."""
        number = self._workspaces.get(cwd)
        if number is None:
            stored = stored_text(cwd)
            found = self._connection.execute(
                "select id from workspace where cwd = ?", (stored,)
            ).fetchone()
            if found is None:
                found = self._connection.execute(
                    "insert into workspace (cwd, root, project, parent) values (?, ?, ?, ?) "
                    "returning id",
                    (stored, *map(stored_text, find_workspace(cwd))),
                ).fetchone()
            number = self._workspaces[cwd] = int(found[0])
        return number
