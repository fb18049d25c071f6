"""Numbers in SQL mean what vocabulary.py says: one row a code goes in, its name comes out."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentpprof.models import Checkpoint, LogFile
from agentpprof.resources import folder
from agentpprof.store.audits import read_audit_lines
from agentpprof.store.database import opened_for_writing
from agentpprof.store.rows import FieldBag, FileRows, OperationRow, SessionRow
from agentpprof.store.writer import FileRead, Writer
from agentpprof.vocabulary import (
    ACCESSES,
    LLM,
    OPS,
    ORIGINS,
    OUTCOMES,
    PROMPT,
    QUALITIES,
    REASONS,
    RESULTS,
    TOOL,
)

BAGS = (
    FieldBag(PROMPT, "prompt", "request", "prompt"),
    FieldBag(LLM, "model", "", "model", model="m"),
    FieldBag(TOOL, "edit", "edit", "path", tool="Edit"),
)
EFFECTS_OF_NO_CALL = ("rejected", "cancelled")
NAMED_EFFECTS = ("ok", "error", "interrupted")
SESSION = 7


class Rows(FileRows):
    """Rows of one session, each operation with a key and an offset of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions[SESSION] = SessionRow(SESSION, "s", None, "", 1, "/w", "", "", 1, 2)

    def add(self, op: int, **fields: int) -> int:
        """Add an operation; returns its key."""
        key = len(self.operations) + 1
        prompt = key if op == PROMPT else None
        self.put(OperationRow(key, op, 5, SESSION, prompt, key, key, key, BAGS[op], "", **fields))
        return key


def all_codes() -> FileRows:
    """Rows in which every code of every list stands once at least."""
    rows = Rows()
    for origin, _ in enumerate(ORIGINS):
        for outcome, _ in enumerate(OUTCOMES):
            rows.add(PROMPT, origin=origin, outcome=outcome)
    for result, _ in enumerate(RESULTS):
        rows.add(LLM, result=result, input_tokens=1)  # with a count: a response
        call = rows.add(TOOL, result=result)
        for access, _ in enumerate(ACCESSES):
            rows.paths.add((call, f"/w/{access}", access))
            rows.hosts.add((call, f"{access}.example", access))
    for quality, _ in enumerate(QUALITIES):
        rows.add(LLM, quality=quality)
    for reason, _ in enumerate(REASONS):
        key = rows.add(LLM, input_tokens=1)
        rows.usage_lines.append((1000 + key, key, reason, SESSION, 1, 0, 0, 0, 0, 0))
    return rows


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A database with a row for every code."""
    log_file = LogFile("/logs/a.jsonl", "claude", 1, 1, 100, 1, 1)
    read = FileRead(log_file, Checkpoint(100, 4, b"h", b"t"), 1, b"{}", all_codes(), -1)
    with opened_for_writing(tmp_path / "a.db") as connection:
        Writer(connection).save([read])
        yield connection


def pairs(connection: sqlite3.Connection, column: str, view: str) -> set[tuple[int, str]]:
    """Return (stored code, name in a view) of the operations in it that have a code."""
    return set(
        connection.execute(
            f"select operation.{column}, shown.{column} from {view} as shown "
            "inner join operation on shown.operation_id = operation.id "
            f"where operation.{column} is not null"
        )
    )


def test_operations_are_named(connection: sqlite3.Connection) -> None:
    assert pairs(connection, "op", "operations") == set(enumerate(OPS))


@pytest.mark.parametrize("view", ["responses", "tool_calls"])
def test_results_are_named(connection: sqlite3.Connection, view: str) -> None:
    assert pairs(connection, "result", view) == set(enumerate(RESULTS))


def test_qualities_are_named(connection: sqlite3.Connection) -> None:
    assert pairs(connection, "quality", "operations") == set(enumerate(QUALITIES))


@pytest.mark.parametrize("view", ["operations", "prompts"])
@pytest.mark.parametrize(("column", "names"), [("origin", ORIGINS), ("outcome", OUTCOMES)])
def test_prompts_are_named(
    connection: sqlite3.Connection, view: str, column: str, names: tuple[str, ...]
) -> None:
    """The view of prompts has those of a person alone, who is no agent."""
    shown = set(
        connection.execute(
            f"select operation.{column}, shown.{column} from {view} as shown "
            "inner join operation on shown.started_at_ms = operation.started_at_ms "
            "where operation.op = 0"
        )
    )
    assert shown == {pair for pair in enumerate(names) if (view, pair[1]) != ("prompts", "agent")}


@pytest.mark.parametrize("view", ["file_events", "network_events"])
def test_effects_are_named_and_a_call_that_never_began_has_none(
    connection: sqlite3.Connection, view: str
) -> None:
    assert pairs(connection, "result", view) == {
        (code, name if name in NAMED_EFFECTS else "unknown")
        for code, name in enumerate(RESULTS)
        if name not in EFFECTS_OF_NO_CALL
    }
    place = "path" if view == "file_events" else "domain"
    accesses = connection.execute(f"select distinct access, {place} from {view}").fetchall()
    where = "/w/{}" if view == "file_events" else "{}.example"
    assert set(accesses) == {(name, where.format(code)) for code, name in enumerate(ACCESSES)}


def test_a_response_that_may_go_on_is_thinking(connection: sqlite3.Connection) -> None:
    thinking = connection.execute("select distinct result from responses where action = 'think'")
    assert {name for (name,) in thinking} == {"unknown", "tool-use", "error"}


def test_reasons_are_named(connection: sqlite3.Connection) -> None:
    verdicts = {line.operation_key: line.verdict for line in read_audit_lines(connection)}
    expected = ["counted" if name in ("own", "copy", "progress") else name for name in REASONS]
    assert [verdicts[key] for key in sorted(verdicts)] == expected


def test_persons_are_told_from_agents_by_the_one_number(connection: sqlite3.Connection) -> None:
    persons = (len(ORIGINS) - 1) * len(OUTCOMES)
    assert connection.execute("select sum(prompts) from sessions").fetchall() == [(persons,)]
    assert connection.execute("select sum(prompts) from daily").fetchall() == [(persons,)]


def test_weights_leave_out_the_results_that_had_no_effect() -> None:
    for view in ("files", "network"):
        text = (folder("sql") / "weights" / f"{view}.sql").read_text(encoding="utf-8")
        (codes,) = re.findall(r"result not in \(([\d, ]+)\)", text)
        assert tuple(RESULTS[int(code)] for code in codes.split(",")) == EFFECTS_OF_NO_CALL
