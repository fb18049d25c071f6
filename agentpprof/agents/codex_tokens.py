"""Counts of responses, from `token_count` events and `token_usage_record` lines, never both."""

import msgspec
from msgspec import Raw

from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_records import COUNTS_DECODER, INFO_DECODER, Payload
from agentpprof.agents.codex_state import State
from agentpprof.agents.codex_steps import close_step, flush_pending, step_id
from agentpprof.agents.codex_usage import (
    ZERO,
    Step,
    Vector,
    add,
    first_step,
    next_step,
    usage_of,
    vector_of,
)
from agentpprof.agents.facts import ResponseFact, Usage
from agentpprof.agents.versions import version_of

# Builds before this one wrote a response's items only after its count.
_ITEMS_BEFORE_COUNT = (0, 60, 0)
_MAX_COVERED = 8


def add_token_count(reading: Reading, payload: Payload) -> None:
    """Add what a `token_count` event says: a running total, and the last response's counts."""
    state = reading.state
    state.has_counts = True
    if state.pending:
        flush_pending(reading)
    try:
        info = INFO_DECODER.decode(payload.info)
    except (msgspec.MsgspecError, RecursionError):
        _put_invalid(reading)
        return
    if info is None:
        return
    total, last = info.total_token_usage, info.last_token_usage
    if total is not None:
        counts = vector_of(last) if last is not None else None
        _add_total(reading, vector_of(total), counts, info.model or "")
    elif last is not None:
        _add_lone_last(reading, vector_of(last), info.model or "")


def _add_total(reading: Reading, total: Vector, last: Vector | None, model: str) -> None:
    state = reading.state
    before = state.total
    if before is None:
        step = first_step(total, last, state.inherits and not state.owner)
    else:
        step = next_step(before, total, last, state.last_delta)
    if step.kind == "repeat":
        _repeat(reading)
    elif step.kind == "stale":
        if before is None:
            state.total = total
        _put_stale(reading, step)
    else:
        # The step's id is that of the total before it, so it is made before the total moves.
        natural_id = _step_id(reading) if step.delta != ZERO else ""
        state.total, state.records = total, 0
        if step.kind == "reset":
            state.epoch += 1
        if _is_covered(state, step.delta, last):
            _repeat(reading)
        elif natural_id:
            _count(reading, natural_id, step, model)
            state.awaits_record = True


def _is_covered(state: State, delta: Vector, last: Vector | None) -> bool:
    """Say whether a usage record has counted these already; a record covers one count.

    Counts come in the order of their records, and some records have none.
    """
    places = (place for place, counts in enumerate(state.covered) if counts in (delta, last))
    found = next(places, None)
    state.covered = [] if found is None else state.covered[found + 1 :]
    return found is not None


def _add_lone_last(reading: Reading, last: Vector, model: str) -> None:
    """Count a `last` without a total (foreign files), but for direct repeats in a turn."""
    state = reading.state
    if last == ZERO:
        return
    if _is_covered(state, last, None) or (last == state.lone_last and not state.step):
        _repeat(reading)
        return
    natural_id = _step_id(reading)
    state.total, state.records = add(state.total or ZERO, last), 0
    _count(reading, natural_id, Step("moved", last), model)
    state.lone_last, state.awaits_record = last, True


def add_usage_record(reading: Reading, _: Payload) -> None:
    """Add a `token_usage_record`: the counts of one response, by its own id (0.153 and later)."""
    state = reading.state
    payload = reading.whole()
    state.has_counts = True
    if state.pending:
        flush_pending(reading)
    delta = _record_counts(payload.usage)
    response_id = payload.response_id or ""
    if delta is None:
        _put_invalid(reading)
    elif response_id and response_id == state.record_id:
        _repeat(reading)
    elif state.awaits_record and not state.step and delta == state.last_delta:
        # The count stood before its record.
        state.record_id, state.awaits_record = response_id, False
        _repeat(reading)
    elif delta != ZERO:
        is_foreign = bool(payload.thread_id) and payload.thread_id != reading.owner
        natural_id = state.step or response_id or _step_id(reading)
        if is_foreign and not reading.is_copy:
            natural_id = response_id or natural_id
        if payload.service_tier:
            state.tier = tier_name(payload.service_tier)
        _count(reading, natural_id, Step("moved", delta), "", is_foreign)
        state.record_id, state.awaits_record = response_id, False
        state.covered = [*state.covered[-_MAX_COVERED + 1 :], delta]
        state.records += 1


def _record_counts(raw: Raw) -> Vector | None:
    try:
        return vector_of(COUNTS_DECODER.decode(raw))
    except (msgspec.MsgspecError, RecursionError):
        return None


def tier_name(tier: str) -> str:
    """Return a service tier, empty for the usual one."""
    return "" if tier in ("default", "auto", "standard") else tier


def _step_id(reading: Reading) -> str:
    """Return the id of the step that a count closes."""
    return reading.state.step or step_id(reading)


def _count(
    reading: Reading, natural_id: str, step: Step, model: str, is_foreign: bool = False
) -> None:
    """Add the counts of a response and close its step."""
    state = reading.state
    usage, is_whole = usage_of(step.delta)
    is_copy = is_foreign or bool(state.owner)
    is_sure = is_whole and step.is_sure and (state.is_dated or not is_copy) and not state.is_guess
    had_items = bool(state.step)
    fact = _put(reading, natural_id, usage, "inherited" if is_copy else "own")
    if model:
        fact.model = model
    if had_items and natural_id == state.step:
        fact.result = state.step_result
    if not is_sure:
        fact.quality = "uncertain"
        if not is_copy:
            state.is_guess = False  # only the first count stands beside the doubtful border
    close_step(reading)
    state.last_id, state.last_delta, state.lone_last = natural_id, step.delta, None
    state.last_quality = fact.quality
    if not had_items and not is_copy:
        state.is_late = _writes_items_late(state.cli_version)


def _repeat(reading: Reading) -> None:
    """Add a count that says again what the one before it said; SQL sees that by the same id."""
    state = reading.state
    if state.last_delta is not None:
        usage, _ = usage_of(state.last_delta)
        fact = _put(reading, state.last_id, usage, "inherited" if state.owner else "own")
        fact.quality = state.last_quality


def _put_stale(reading: Reading, step: Step) -> None:
    """Add a late or doubtful line under the response before it, so that it makes none."""
    usage, _ = usage_of(step.delta)
    fact = _put(reading, reading.state.last_id or _step_id(reading), usage, "stale")
    if not step.is_sure:
        fact.quality = "uncertain"


def _put_invalid(reading: Reading) -> None:
    """Add a count that is none; the response is there, how much it used is not known."""
    _put(reading, _step_id(reading), Usage(), "invalid").quality = "uncertain"


def _put(reading: Reading, natural_id: str, usage: Usage, reason: str) -> ResponseFact:
    state = reading.state
    fact = ResponseFact(
        reading.where,
        reading.offset,
        reading.at_ms,
        natural_id,
        state.model or "unknown",
        "unknown",
        "",
        usage,
        "exact",
        reason,
        state.tier,
    )
    reading.facts.append(fact)
    return fact


def _writes_items_late(version: str) -> bool:
    return (0, 0, 0) < version_of(version) < _ITEMS_BEFORE_COUNT
