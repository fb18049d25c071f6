"""Codex CLI: where its logs lie, and how a line becomes facts (docs/formats.md).

Natural ids, the same in every copy of a line:

| what | id |
|---|---|
| session | thread id: the first `session_meta`, else the file's name |
| prompt | `thread/turn/n`, the n-th of its turn; `thread/#n` without turn ids |
| response | `thread/turn/total before it` (codex_reading); a record without items: its own |
| call | `thread/call_id`; nested in code mode `thread/call_id/n`; without an id `thread/#n` |

Copied lines at the head of a fork carry the ids of the thread they were copied from, so they add
nothing where that thread's own log is known, and are marked as copies.
"""

import re
from collections.abc import Callable, Iterator

from agentpprof.agents import codex_events, codex_items, codex_lineage, codex_tokens
from agentpprof.agents.codex_reading import Reading, is_line
from agentpprof.agents.codex_records import LINE_DECODER, RECORD_KINDS, Line, Payload
from agentpprof.agents.codex_state import State, initial_state
from agentpprof.agents.facts import BadLineFact, Fact
from agentpprof.agents.lines import BadSpan, decode_values
from agentpprof.agents.times import to_ms

__all__ = [
    "RECORD_KINDS",
    "State",
    "decode",
    "decode_sidecar",
    "initial_state",
    "looks_like",
    "sidecar_path",
]

_ENVELOPE = re.compile(
    rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state'
    rb'|token_usage_record)"'
)
_BARE_HEAD = re.compile(
    rb'[ \t]*\{\s*(?:"record_type"\s*:|"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,'
    rb'\s*"(?:instructions|git)"|"type"\s*:\s*"(?:message|function_call|reasoning)")'
)


def looks_like(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of a rollout of any generation."""
    return (b'"payload"' in head and _ENVELOPE.search(head) is not None) or bool(
        _BARE_HEAD.match(head)
    )


def decode(data: bytes, offset: int, log_path: str, state: State) -> tuple[list[Fact], State]:
    """Decode whole lines that begin at byte `offset` of a log.

    `state` is that after the bytes before `offset` (`initial_state` at 0) and stays as it is; the
    one to go on with is returned beside the facts.
    """
    reading = Reading(data, offset, state)
    state = reading.state
    if offset == 0:
        state.is_bare = _BARE_HEAD.match(data) is not None
    is_record = _is_bare_record if state.is_bare else is_line
    decoded = decode_values(data, offset, LINE_DECODER, is_record)
    bad = iter(decoded.bad)
    next_bad = next(bad, None)
    item_of, event_of, other_of = codex_items.ITEMS.get, codex_events.EVENTS.get, _OTHERS.get
    for line, at in zip(decoded.values, decoded.offsets, strict=True):
        if next_bad is not None and next_bad.offset < at:
            next_bad = _add_bad(reading, next_bad, bad, at)
        reading.offset = at
        if state.phase != "own":
            reading.at_ms = to_ms(line.timestamp)
            codex_lineage.watch(reading, line)
        payload, kind = line.payload, line.type
        if payload is None:
            add_kind: _Add | None = None
        elif kind == "response_item":
            add_kind = item_of(payload.type)
        elif kind == "event_msg":
            add_kind = event_of(payload.type)
        else:
            add_kind = other_of(kind)
        if payload is not None and add_kind is not None:
            reading.at_ms = to_ms(line.timestamp)
            add_kind(reading, payload)
        else:
            _add_odd(reading, line)
    if next_bad is not None:
        _add_bad(reading, next_bad, bad, offset + len(data))
    return reading.facts, state


def _is_bare_record(line: Line) -> bool:
    return line.type in codex_items.ITEMS or bool(line.record_type) or is_line(line)


def _add_bad(
    reading: Reading, span: BadSpan, others: Iterator[BadSpan], until: int
) -> BadSpan | None:
    """Add `span` and the others before byte `until`; return the one after."""
    following: BadSpan | None = span
    while following is not None and following.offset < until:
        reading.facts.append(
            BadLineFact(reading.where, following.offset, None, following.length, following.reason)
        )
        following = next(others, None)
    return following


def _add_odd(reading: Reading, line: Line) -> None:
    """Add a line of a kind that has no facts of its own, or that we don't know."""
    payload, kind = line.payload, line.type
    if payload is None:
        reading.at_ms = to_ms(line.timestamp)
        _add_bare(reading, line)
        return
    if kind in ("response_item", "event_msg"):
        kind = f"{kind}/{payload.type}"
    if kind in RECORD_KINDS:
        return
    reading.at_ms = to_ms(line.timestamp)
    if kind == "response_item/" and payload.role:
        codex_items.add_message(reading, payload)  # foreign files leave the type out
    else:
        reading.skip(kind or "(no type)", is_unknown=True)


def _add_bare(reading: Reading, line: Line) -> None:
    """Add a line without an envelope: header, state mark or item (May to September 2025)."""
    if line.record_type:
        return
    payload = reading.bare()
    if add_kind := codex_items.ITEMS.get(line.type):
        add_kind(reading, payload)
    elif not line.type and payload.id and not reading.state.has_meta:
        codex_lineage.add_meta(reading, payload)
    elif f"response_item/{line.type}" not in RECORD_KINDS:
        reading.skip(line.type or "(no type)", is_unknown=True)


_Add = Callable[[Reading, Payload], None]
_OTHERS: dict[str, _Add] = {
    "session_meta": codex_lineage.add_meta_line,
    "turn_context": codex_events.add_turn_context,
    "token_usage_record": codex_tokens.add_usage_record,
}


def sidecar_path(path: str) -> str | None:
    """Return None: Codex writes nothing beside its logs that we need."""
    return None


def decode_sidecar(data: bytes, path: str) -> list[Fact]:
    """Return nothing, as there is no such file."""
    return []
