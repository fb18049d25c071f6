"""Run one statement that may only read, within limits (docs/security.md, S15 to S23).

What may be done is a list of what is allowed, asked by SQLite itself for every step of a
statement. Words of the statement are never looked at: comments, `with … delete` or several
statements at once would get past any such look.
"""

import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.errors import AgentPprofError, StoppedError, UsageError
from agentpprof.models import Answer
from agentpprof.store.database import opened_for_reading
from agentpprof.terminal import show

_ALLOWED_ACTIONS = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))
# They reach out of the database, fill memory within one step, or write by reading.
_DENIED_FUNCTIONS = frozenset(
    (
        "edit",
        "fts3_tokenizer",
        "fts5",
        "load_extension",
        "optimize",
        "randomblob",
        "readfile",
        "sqlite_log",
        "writefile",
        "zeroblob",
    )
)
_LONGEST_VALUE = 1_000_000
_SQLITE_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 200_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 500,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_HEAP_BYTES = 256 * 1024 * 1024  # of SQLite in this whole process: it can't be raised again
_WIDE = re.compile(r"%[^a-zA-Z%]*(\*|\d{5})")
_STEPS = 1_000  # of SQLite's machine between two looks at the clock
# Virtual tables prepare statements of their own when first used, which the guard would refuse.
_WARMED = (
    "select 1 from search_text limit 0",
    "select 1 from json_each('[]') limit 0",
    "select 1 from json_tree('[]') limit 0",
)


class Limits(NamedTuple):
    """How much one statement may take and give."""

    seconds: float = 10.0
    rows: int = 10_000
    cell_characters: int = 100_000
    total_characters: int = 50_000_000


DEFAULT_LIMITS = Limits()


@contextmanager
def opened_guarded(path: Path) -> Iterator["Guarded"]:
    """Open a database for statements that people and agents write."""
    with opened_for_reading(path) as connection:
        yield Guarded(connection)


class Guarded:
    """A connection that can only read, and stops in time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Put the guard on a connection; it can't be taken off again."""
        self._connection = connection
        self._denied = ""
        connection.text_factory = _text
        connection.execute("pragma query_only = on")
        connection.execute(f"pragma hard_heap_limit = {_HEAP_BYTES}")
        for category, limit in _SQLITE_LIMITS.items():
            connection.setlimit(category, limit)
        for name in ("printf", "format"):
            connection.create_function(name, -1, self._printf, deterministic=True)
        self._set_guard()

    def _set_guard(self) -> None:
        """Use virtual tables once, also after a change of the schema by others, then guard."""
        self._connection.set_authorizer(None)
        for statement in _WARMED:
            self._connection.execute(statement).fetchall()
        self._connection.set_authorizer(self._authorize)

    def run(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Answer:
        """Run one statement; raises UsageError or StoppedError that say what is wrong with it."""
        deadline = time.monotonic() + limits.seconds
        self._denied = ""
        self._set_guard()
        self._connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            cursor = self._connection.execute(statement, parameters or {})
            if cursor.description is None:
                raise UsageError("there is no statement: write one that begins with select")
            columns = _distinct(column[0] for column in cursor.description)
            rows, cut = _fetch(cursor, limits)
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError, OverflowError) as error:
            raise self._explained(error, limits) from None
        finally:
            self._connection.set_progress_handler(None, 0)
        cursor.close()  # an open one would hold the write-ahead log back
        return Answer(columns, rows, cut)

    def explain(self, statement: str, parameters: Mapping[str, Any] | None = None) -> Answer:
        """Return how SQLite would carry out a statement, one step a row, indented."""
        answer = self.run(f"explain query plan {statement}", parameters)
        depth: dict[int, int] = {0: -1}
        rows: list[tuple[Any, ...]] = []
        for number, parent, _, detail in answer.rows:
            depth[number] = depth.get(parent, -1) + 1
            rows.append(("  " * depth[number] + detail,))
        return Answer(("plan",), rows)

    def _printf(self, form: Any = None, *values: Any) -> Any:
        """Do what SQLite's own printf does, but for widths that keep it busy within one step."""
        if isinstance(form, str) and _WIDE.search(form):
            self._denied = "printf takes widths up to 9,999, written out"
            raise ValueError(self._denied)
        marks = ", ".join("?" * (1 + len(values)))
        with closing(sqlite3.connect(":memory:")) as scratch:
            statement = f"select printf({marks})"
            return scratch.execute(statement, (form, *values)).fetchone()[0]

    def _authorize(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        """Answer SQLite's question whether a step of a statement is allowed."""
        if action in _ALLOWED_ACTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            if (second or "").lower() not in _DENIED_FUNCTIONS:
                return sqlite3.SQLITE_OK
            self._denied = f"the function {second} is not allowed here"
            return sqlite3.SQLITE_DENY
        # Full-text search asks for it before each use.
        if action == sqlite3.SQLITE_PRAGMA and first == "data_version" and second is None:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA:
            self._denied = "pragmas are not allowed: agentpprof sql --schema lists what there is"
        else:
            self._denied = "only reading is allowed: select, with … select, values, explain"
        return sqlite3.SQLITE_DENY

    def _explained(self, error: BaseException, limits: Limits) -> AgentPprofError:
        """Say what stopped a statement; SQLite's own words only quote the statement."""
        if self._denied:
            return UsageError(self._denied)
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_INTERRUPT":
            return StoppedError(
                f"stopped after {limits.seconds:g} seconds: ask for less, look at the plan with "
                "--explain, or allow more with --seconds"
            )
        if isinstance(error, MemoryError) or name == "SQLITE_NOMEM":
            return StoppedError("stopped: it needs too much memory; sort or group fewer rows")
        if name == "SQLITE_TOOBIG":
            return StoppedError(
                f"stopped: a value is longer than {_LONGEST_VALUE:,} bytes; use substr()"
            )
        if "one statement at a time" in str(error):
            return UsageError("only one statement at a time")
        return UsageError(show(str(error)) + _hint(str(error)))


def _hint(reason: str) -> str:
    """Return what to do about an error of SQLite's, empty where its words say all."""
    if reason.startswith(("no such column", "no such table")):
        return ": agentpprof sql --schema shows views and columns"
    unbound = re.search(r"binding(?: parameter)? :(\w+)", reason)
    return f" Give it with -p {unbound[1]}=VALUE" if unbound else ""


def _text(data: bytes) -> str:
    """Decode a text whatever its bytes: `cast(x'ff' as text)` makes any."""
    return data.decode("utf-8", "replace")


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Number column names that come again, so that a row can be an object."""
    seen: dict[str, int] = {}
    columns = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        columns.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(columns)


def _fetch(cursor: sqlite3.Cursor, limits: Limits) -> tuple[list[tuple[Any, ...]], str]:
    """Return rows within limits, and what was cut."""
    rows: list[tuple[Any, ...]] = []
    total = 0
    has_cut_cells = False
    for row in cursor:
        if len(rows) >= limits.rows:
            return rows, f"more than {limits.rows:,} rows: the others are left out"
        cells = tuple(_cell(value, limits.cell_characters) for value in row)
        has_cut_cells = has_cut_cells or cells != row
        total += sum(len(cell) for cell in cells if isinstance(cell, str | bytes))
        if total > limits.total_characters:
            return rows, f"more than {limits.total_characters:,} characters: rows are left out"
        rows.append(cells)
    cut = f"values are cut at {limits.cell_characters:,} characters" if has_cut_cells else ""
    return rows, cut


def _cell(value: Any, longest: int) -> Any:
    if isinstance(value, str | bytes) and len(value) > longest:
        return value[:longest]
    return value
