"""Whose lines these are: a fork or child begins with its ancestors' history, copied.

Every kind of copy is told by the best sign there is (docs/formats.md, "Forks and children"):
(a) `ordinal` below `subagent_history_start_ordinal`; (b) a copied `session_meta`, after which each
turn belongs to the nearest thread that had begun when the turn did; (c) lines that follow one
another within a second, where no turn says when it began: a guess, marked so. What a parent's file
could tell is found later by the natural ids, which are the ancestor's.
"""

import re
from datetime import datetime
from typing import Any

from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_records import Line, Payload, WholePayload
from agentpprof.agents.codex_state import MAX_ANCESTORS, Ancestor
from agentpprof.agents.codex_steps import close_step, flush_pending
from agentpprof.agents.times import to_ms

_BURST_MS = 1000
_MILLISECONDS_FROM = 100_000_000_000  # a unix time above this is in milliseconds
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
# Lines that may stand before a copied `session_meta` without being of a turn.
_NEUTRAL = frozenset({"session_meta", "world_state", "retained_context"})
_NO_HUMAN = frozenset({"subagent", "guardian_review", "memory_consolidation", "review"})


def add_meta_line(reading: Reading, _: Payload) -> None:
    """Take a `session_meta` line."""
    add_meta(reading, reading.whole())


def add_meta(reading: Reading, payload: WholePayload) -> None:
    """Take the file's own meta, the first one; a later one names an ancestor."""
    state = reading.state
    if not state.has_meta:
        _take_own(reading, payload)
    elif state.phase != "own" and payload.id and payload.id != state.thread:
        started = _time_of(payload.timestamp)
        if len(state.ancestors) < MAX_ANCESTORS:
            is_subagent = bool(_spawn_of(payload.source)) or payload.thread_source in _NO_HUMAN
            state.ancestors.append(Ancestor(payload.id, started, is_subagent))
        state.phase = "prefix"
        _hand_to(reading, payload.id)


def _take_own(reading: Reading, payload: WholePayload) -> None:
    state = reading.state
    state.has_meta = True
    state.thread = payload.id or state.thread
    state.started_ms = _time_of(payload.timestamp) or reading.at_ms
    state.cwd = state.own_cwd = payload.cwd or ""
    state.cli_version = payload.cli_version or ""
    if isinstance(payload.git, dict) and isinstance(payload.git.get("branch"), str):
        state.branch = payload.git["branch"]
    state.is_paginated = payload.history_mode == "paginated"
    _take_parent(reading, payload)
    base = payload.history_base if isinstance(payload.history_base, dict) else {}
    state.inherits = bool(state.parent or payload.forked_from_id or base)
    if payload.subagent_history_start_ordinal:
        state.history_start = payload.subagent_history_start_ordinal
        state.phase, state.is_dated = "prefix", True
        ancestor = state.parent or payload.forked_from_id or str(base.get("thread_id") or "")
        _hand_to(reading, ancestor or f"{state.thread}/inherited")
    reading.renew_where()


def _take_parent(reading: Reading, payload: WholePayload) -> None:
    """Find parent and kind of a sub-agent; a person's fork has no parent in this sense."""
    state = reading.state
    spawn = _spawn_of(payload.source)
    parent = spawn.get("parent_thread_id") or payload.parent_thread_id
    state.parent = parent if isinstance(parent, str) and parent != state.thread else ""
    state.is_subagent = bool(spawn) or payload.thread_source in _NO_HUMAN
    if state.is_subagent:
        role = payload.agent_role or spawn.get("agent_role") or spawn.get("kind")
        named = payload.thread_source if payload.thread_source != "subagent" else None
        state.agent_type = role if isinstance(role, str) else named or "default"


def _spawn_of(source: Any) -> dict[str, Any]:
    """Return what `source` says of a sub-agent: `review`, `{other: ..}`, `{thread_spawn: ..}`."""
    found = source.get("subagent") if isinstance(source, dict) else None
    if isinstance(found, str):
        return {"kind": found}
    if not isinstance(found, dict):
        return {}
    spawn = found.get("thread_spawn")
    return {"kind": "default", **spawn} if isinstance(spawn, dict) else {"kind": found.get("other")}


def watch(reading: Reading, line: Line) -> None:
    """Before each line until the file's own part begins: find whose line it is."""
    state = reading.state
    if state.phase == "head":
        if line.type not in _NEUTRAL:
            state.phase = "own"
        return
    if state.history_start is not None:
        if line.ordinal is not None and line.ordinal >= state.history_start:
            _begin_own(reading)
        return
    started = _turn_start(reading, line)
    if started is not None:
        state.is_dated = True
        _hand_to_thread_at(reading, started)
    elif not state.is_dated and _is_after_burst(reading):
        state.is_guess = True
        _begin_own(reading)
    state.last_ms = reading.at_ms if reading.at_ms is not None else state.last_ms


def _turn_start(reading: Reading, line: Line) -> int | None:
    """Return when the turn that this line opens began, in milliseconds; None if it does not say."""
    payload = line.payload
    if payload is None:
        return None
    if line.type == "event_msg" and payload.type in ("task_started", "turn_started"):
        return _time_of(reading.whole().started_at) or _time_of_id(payload.turn_id)
    if line.type == "turn_context" and payload.turn_id != reading.state.turn:
        return _time_of_id(payload.turn_id)
    return None


def _hand_to_thread_at(reading: Reading, started: int) -> None:
    """Give the lines to the nearest thread that had begun; `started_at` has whole seconds."""
    state = reading.state
    if state.started_ms is None or started // 1000 >= state.started_ms // 1000:
        _begin_own(reading)
        return
    for ancestor in state.ancestors:
        if ancestor.started_ms is None or started // 1000 >= ancestor.started_ms // 1000:
            _hand_to(reading, ancestor.thread)
            return
    _hand_to(reading, state.ancestors[-1].thread)


def _is_after_burst(reading: Reading) -> bool:
    """Whether this line was written after the copy, which takes a moment in one go."""
    state = reading.state
    if reading.at_ms is None or state.last_ms is None:
        return False
    is_after_start = state.started_ms is None or reading.at_ms >= state.started_ms
    return is_after_start and reading.at_ms - state.last_ms > _BURST_MS


def _hand_to(reading: Reading, thread: str) -> None:
    state = reading.state
    if state.owner == thread:
        return
    if state.pending:
        flush_pending(reading)
    state.owner = thread
    _forget_turn(reading)


def _begin_own(reading: Reading) -> None:
    """Begin the file's own part; the copied total stays as the baseline of its counts."""
    state = reading.state
    if state.pending:
        flush_pending(reading)
    state.phase, state.owner, state.cwd = "own", "", state.own_cwd
    state.open_calls, state.joined, state.sessions = {}, {}, {}
    _forget_turn(reading)


def _forget_turn(reading: Reading) -> None:
    state = reading.state
    close_step(reading)
    state.turn = ""
    state.prompts = state.event_prompts = state.item_prompts = state.unnamed = 0
    state.has_prompt_events = False
    reading.renew_where()


def _time_of(value: Any) -> int | None:
    """Return a time in milliseconds: RFC 3339, or unix seconds or milliseconds."""
    if isinstance(value, str):
        try:
            return to_ms(datetime.fromisoformat(value))
        except ValueError:
            return None
    if type(value) not in (int, float) or not 0 < value < 1e15:
        return None
    return int(value if value > _MILLISECONDS_FROM else value * 1000)


def _time_of_id(turn_id: str | None) -> int | None:
    """Return the time in an id of UUID version 7."""
    found = _UUID7.fullmatch(turn_id or "")
    return int(found.group(1) + found.group(2), 16) if found else None
