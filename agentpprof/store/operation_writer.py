"""Save operations: insert what is new, join what is known, let the better claim own it.

What an older parser said of an operation is replaced, not joined, by the first thing that a newer
one says of it, where the log that owns the operation is read again in the same pass.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from agentpprof.resources import read_text
from agentpprof.store.numbers import Numbered, Numbers, stored_text
from agentpprof.store.rereading import Rereading
from agentpprof.store.rows import FieldBag, FileRows, OperationRow
from agentpprof.vocabulary import LLM, PROMPT, TOOL

Origin = tuple[int, int]  # number of the log file, version of the parser that read it
_OPERATION_COLUMNS = (
    "key",
    "op",
    "owner_rank",
    "session_key",
    "prompt_key",
    "offset",
    "started_at_ms",
    "ended_at_ms",
    "active_ms",
    "idle_ms",
    "result",
)
# One statement a kind of operation: columns that a kind never has are not even bound.
_COLUMNS_OF_KIND = {
    PROMPT: (
        "prompt",
        attrgetter(
            *_OPERATION_COLUMNS, "origin", "outcome", "outcome_at_ms", "text_hash", "natural_id"
        ),
    ),
    LLM: (
        "response",
        attrgetter(
            *_OPERATION_COLUMNS,
            "input_tokens",
            "cache_read_tokens",
            "cache_write_5m_tokens",
            "cache_write_1h_tokens",
            "output_tokens",
            "reasoning_tokens",
            "estimate_tokens",
            "web_searches",
            "quality",
        ),
    ),
    TOOL: ("tool_call", attrgetter(*_OPERATION_COLUMNS, "result_bytes")),
}


class OperationWriter:
    """The statements of operations, on the one connection that writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read the statements of sql/save/."""
        self._connection = connection
        names = [name for name, _ in _COLUMNS_OF_KIND.values()]
        self._joins = {name: read_text("sql", f"save/{name}.sql") for name in names}
        self._inserts = {name: _insert_alone(self._joins[name]) for name in names}
        self._replacements = {name: _replacement(self._joins[name]) for name in names}
        self.inserted = 0  # operations that were not known before
        self._claims = [read_text("sql", f"save/{name}.sql") for name in ("owner", "times")]

    def save(self, rows: FileRows, numbers: Numbers, origin: Origin, rereading: Rereading) -> None:
        """Insert new operations; join known ones, then let the better claim own them."""
        before = self._connection.execute("select coalesce(max(id), 0) from operation").fetchone()
        every = [*rows.displaced, *rows.operations.values()]
        self._send(self._inserts, every, numbers, origin)
        counted = self._connection.execute("select count(*) from operation where id > ?", before)
        new = counted.fetchone()[0]
        self.inserted += new
        if new == len(every):
            return
        inserted = {
            key
            for (key,) in self._connection.execute("select key from operation where id > ?", before)
        }
        twice = {row.key for row in rows.displaced}
        known = [row for row in every if row.key not in inserted or row.key in twice]
        if rereading:
            self._replace_outdated(known, numbers, origin, rereading)
        self._send(self._joins, known, numbers, origin)
        claims = [_claim(row, numbers, origin) for row in known]
        for statement in self._claims:
            self._connection.executemany(statement, claims)

    def _replace_outdated(
        self,
        known: Sequence[OperationRow],
        numbers: Numbers,
        origin: Origin,
        rereading: Rereading,
    ) -> None:
        """Let the first row of each key take the place of what an older parser said of it."""
        first = {row.key: row for row in reversed(known)}
        outdated = rereading.outdated(first, origin[1])
        rereading.forget_places(outdated)
        self._send(self._replacements, [first[key] for key in outdated], numbers, origin)
        rereading.join_kept(outdated)

    def _send(
        self,
        statements: Mapping[str, str],
        rows: Sequence[OperationRow],
        numbers: Numbers,
        origin: Origin,
    ) -> None:
        """Run the statement of each row's kind with its columns."""
        bags = numbers.bags
        for op, (name, read_columns) in _COLUMNS_OF_KIND.items():
            self._connection.executemany(
                statements[name],
                [
                    (
                        *origin,
                        bags[row.bag],
                        _objects_of(row.bag, numbers)[row.object],
                        row.text and stored_text(row.text),
                        *read_columns(row),
                    )
                    for row in rows
                    if row.op == op
                ],
            )


def _insert_alone(joining: str) -> str:
    """Return a statement that inserts new rows like `joining`, and leaves known ones alone.

    Most rows are new. An update that may set off a trigger is prepared to be undone, for every
    row anew, and that is a third of the time of an insert.
    """
    insert, _, _ = joining.partition(" on conflict")
    return insert.replace("insert into", "insert or ignore into", 1)


def _replacement(joining: str) -> str:
    """Return a statement that puts the columns of `joining` into the row that has the key."""
    names = joining.partition("(")[2].partition(")")[0].replace("\n", " ").split(",")
    columns = [name.strip() for name in names]
    assigned = ", ".join(f"{name} = ?{number}" for number, name in enumerate(columns, 1))
    return f"update operation set {assigned} where key = ?{columns.index('key') + 1}"  # noqa: S608


def _objects_of(bag: FieldBag, numbers: Numbers) -> Numbered[str]:
    """Return what the objects of operations with this bag are numbered by."""
    return numbers.paths if bag.object_kind == "path" else numbers.names


def _claim(row: OperationRow, numbers: Numbers, origin: Origin) -> dict[str, Any]:
    return {
        "key": row.key,
        "owner_rank": row.owner_rank,
        "session_key": row.session_key,
        "prompt_key": row.prompt_key,
        "log_file_id": origin[0],
        "offset": row.offset,
        "active_ms": row.active_ms,
        "idle_ms": row.idle_ms,
        "bag_id": numbers.bags[row.bag],
        "object_id": _objects_of(row.bag, numbers)[row.object],
        "parser_version": origin[1],
    }
