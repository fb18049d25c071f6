"""Numbers of names, paths, field bags and folders: looked up once, kept while the writer lives."""

import os
import sqlite3
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec.structs import astuple

from agentpprof.store.rows import FieldBag
from agentpprof.workspaces import find_workspace

_Value = TypeVar("_Value")
_OP, *_TEXTS = FieldBag.__struct_fields__
_BAG_COLUMNS = ", ".join((_OP, *(f"{text}_id" for text in _TEXTS)))


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


class Numbered(dict[_Value, int], Generic[_Value]):
    """Value -> its number. What is not there yet is found once; the rest costs no call."""

    def __init__(self, find: Callable[[_Value], int]) -> None:
        """Take what finds the number of a value."""
        super().__init__()
        self._find = find

    def __missing__(self, value: _Value) -> int:
        number = self[value] = self._find(value)
        return number


class Numbers:
    """Gives every distinct value a number; to be dropped after a rollback.

    `names[text]`, `paths[path]`, `bags[bag]` and `workspaces[cwd]`: a working folder's project is
    looked up once and stored.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.names: Numbered[str] = Numbered(self._name)
        self.names[""] = 0
        self.paths: Numbered[str] = Numbered(self._path)
        self.bags: Numbered[FieldBag] = Numbered(self._bag)
        self.workspaces: Numbered[str] = Numbered(self._workspace)

    def _name(self, text: str) -> int:
        return self._number("name", "text", stored_text(text))

    def _path(self, path: str) -> int:
        return self._number("path", "path", stored_path(path))

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

    def _bag(self, bag: FieldBag) -> int:
        op, *texts = astuple(bag)
        ids = (op, *(self.names[text] for text in texts))
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

    def _workspace(self, cwd: str) -> int:
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
        return int(found[0])
