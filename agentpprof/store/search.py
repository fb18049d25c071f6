"""Find words in prompts, commands and answers: an index narrows down, the text itself decides."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentpprof.resources import read_text

KINDS = ("prompt", "answer", "command")  # in the order of vocabulary.OPS
_RUN = 3  # characters of one entry of the index
_MOST_RUNS = 24  # of one phrase: more hardly narrow it down further
_MATCHES_NOTHING = '"\ue000\ue000\ue000"'  # an empty query is an error


class Search(NamedTuple):
    """What is looked for: texts that must all occur, and where; None means anywhere."""

    phrases: tuple[str, ...]
    kind: str | None = None
    project: str | None = None
    agent: str | None = None
    tag: str | None = None
    session_id: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None


class Hit(NamedTuple):
    """One operation whose text holds what was looked for."""

    operation_id: int
    kind: str
    session_id: str
    agent: str
    project: str | None
    started_at_ms: int | None
    tag: str | None
    tool: str | None
    log_path: str
    log_offset: int
    text: str


def find_hits(connection: sqlite3.Connection, question: Search) -> Iterator[Hit]:
    """Yield hits, the newest first; stop whenever there are enough."""
    words = [phrase.lower() for phrase in question.phrases]
    candidates = connection.execute(
        read_text("sql", "select/search.sql"), _parameters(question)
    ).fetchall()
    statement = read_text("sql", "select/search_hit.sql")
    for (operation_id,) in candidates:
        row = connection.execute(statement, (operation_id,)).fetchone()
        if row is not None and row[-1] is not None:
            text = row[-1].lower()
            if all(word in text for word in words):
                yield Hit._make((*row[:8], os.fsdecode(row[8]), *row[9:]))


def match_expression(phrases: Sequence[str]) -> str | None:
    """Return the index's query for texts that may hold all phrases; None if none is long enough."""
    runs = dict.fromkeys(run for phrase in phrases for run in _runs(phrase))
    if not runs:
        return None
    return " AND ".join('"' + run.replace('"', '""') + '"' for run in runs)


def _runs(phrase: str) -> list[str]:
    """Return runs of three characters of a phrase, evenly over its length."""
    runs = [phrase[at : at + _RUN] for at in range(len(phrase) - _RUN + 1)]
    step = -(-len(runs) // _MOST_RUNS) or 1
    return runs[::step]


def _parameters(question: Search) -> dict[str, object]:
    match = match_expression(question.phrases)
    word = max(question.phrases, key=len).lower()
    return {
        "by_index": match is not None,
        "match": match or _MATCHES_NOTHING,
        "word": word,
        "has_case": word.upper() != word,
        "op": None if question.kind is None else KINDS.index(question.kind),
        **{
            name: value
            for name, value in question._asdict().items()
            if name not in ("phrases", "kind")
        },
    }
