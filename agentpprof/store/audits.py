"""What an audit reads: every value that carried usage with its verdict, and what counts."""

import json
import os
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from agentpprof.resources import read_text


class AuditLine(NamedTuple):
    """One value that carried usage."""

    agent: str
    session_key: int
    verdict: str
    path: str
    offset: int
    operation_key: int
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int


class CountedSums(NamedTuple):
    """What counts of one session."""

    session_key: int
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int
    responses: int
    prompts: int
    tool_calls: int


class SkippedKind(NamedTuple):
    """Records of one kind that are no operation, or unknown."""

    agent: str
    kind: str
    version: str
    is_unknown: int
    records: int


def read_audit_lines(connection: sqlite3.Connection) -> list[AuditLine]:
    """Return every value that carried usage, in no order."""
    rows = connection.execute(read_text("sql", "select/audit_lines.sql"))
    return [AuditLine._make((*row[:3], os.fsdecode(row[3]), *row[4:])) for row in rows]


def read_counted_sums(connection: sqlite3.Connection) -> dict[int, CountedSums]:
    """Return what counts by session."""
    rows = connection.execute(read_text("sql", "select/audit_sums.sql"))
    return {row[0]: CountedSums(*row) for row in rows}


def read_told(connection: sqlite3.Connection) -> list[tuple[int, int, int, int]]:
    """Return (session, op, is copy, records): how often logs told of prompts and calls."""
    return connection.execute(read_text("sql", "select/audit_told.sql")).fetchall()


def read_skipped_kinds(
    connection: sqlite3.Connection, session_keys: Iterable[int] | None = None
) -> list[SkippedKind]:
    """Return the records that are no operation, by agent, kind and version.

    Of all logs, or of those that tell of some sessions.
    """
    keys = None if session_keys is None else json.dumps(list(session_keys))
    statement = read_text("sql", "select/audit_skipped.sql")
    rows = connection.execute(statement, {"session_keys": keys})
    return [SkippedKind(*row) for row in rows]
