"""Calls from their line to their result: what goes on with what, and what is told twice."""

from typing import Any
from zlib import crc32

import msgspec

from agentpprof.agents.codex_calls import signed_signature_of
from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_state import MAX_CLOSED, MAX_OPEN_CALLS, MAX_SESSIONS
from agentpprof.agents.facts import CallFact, ResultFact, ResumeFact


def number_call(reading: Reading) -> str:
    """Return an id for a call that has none in the log: its number in the thread."""
    reading.state.unnamed += 1
    return f"#{reading.state.unnamed}"


def natural_call(reading: Reading, call_id: str) -> str:
    """Return the id of a call over all files: call ids alone are not unique."""
    return reading.state.joined.get(call_id) or f"{reading.owner}/{call_id}"


def add_call(
    reading: Reading, call_id: str, name: str, given: Any, *, signature: int, step: str
) -> None:
    """Add a tool call and keep it open until its result."""
    state = reading.state
    natural_id = f"{state.owner or state.thread}/{call_id}"
    reading.facts.append(
        CallFact(
            reading.where, reading.offset, reading.at_ms, natural_id, name, given, signature, step
        )
    )
    open_call(reading, call_id, name)


def open_call(reading: Reading, call_id: str, name: str) -> None:
    """Keep a call open; the oldest goes when there are too many."""
    calls = reading.state.open_calls
    calls[call_id] = [name]
    if len(calls) > MAX_OPEN_CALLS:
        oldest = next(iter(calls))
        del calls[oldest]
        reading.state.joined.pop(oldest, None)


def close_call(reading: Reading, call_id: str) -> list[str]:
    """Close a call; return its name and those of its nested calls."""
    state = reading.state
    state.joined.pop(call_id, None)
    _remember_closed(reading, call_id)
    return state.open_calls.pop(call_id, [])


def _remember_closed(reading: Reading, call_id: str) -> None:
    closed = reading.state.closed
    closed.append(crc32(call_id.encode("utf-8", "replace")))
    if len(closed) > MAX_CLOSED:
        del closed[0]


def is_known_call(reading: Reading, call_id: str) -> bool:
    """Whether a call of this id was seen, open or closed a short while ago."""
    if call_id in reading.state.open_calls:
        return True
    return crc32(call_id.encode("utf-8", "replace")) in reading.state.closed


def join_call(reading: Reading, call_id: str, session: str, step: str) -> bool:
    """Make a call go on with the one that started `session`; False if that is not known."""
    started = reading.state.sessions.get(session)
    if started is None:
        return False
    reading.state.joined[call_id] = started
    open_call(reading, call_id, "")
    reading.facts.append(ResumeFact(reading.where, reading.offset, reading.at_ms, started, step))
    return True


def keep_session(reading: Reading, session: str, natural_id: str) -> None:
    """Remember which call started a process that runs on."""
    sessions = reading.state.sessions
    sessions.pop(session, None)
    sessions[session] = natural_id
    if len(sessions) > MAX_SESSIONS:
        del sessions[next(iter(sessions))]


def drop_sessions(reading: Reading, natural_id: str) -> None:
    """Forget the processes of a call that has ended."""
    sessions = reading.state.sessions
    for session in [name for name, call in sessions.items() if call == natural_id]:
        del sessions[session]


def add_result(
    reading: Reading, natural_id: str, result: str, size: int = 0, exit_code: int | None = None
) -> None:
    """Add what came back for a call."""
    reading.facts.append(
        ResultFact(
            reading.where, reading.offset, reading.at_ms, natural_id, result, size, exit_code
        )
    )


def finish_call(
    reading: Reading,
    call_id: str,
    tool: str,
    given: Any,
    *,
    result: str,
    exit_code: int | None = None,
    started_ms: int | None = None,
) -> None:
    """Add the end of a call that an event or item tells of, never as a second operation.

    It is the end of a known call, of one that a script in code mode made, or a call that only
    this record tells of, with the time it began if it says one.
    """
    if is_known_call(reading, call_id):
        natural_id = natural_call(reading, call_id)
    else:
        natural_id = _take_nested(reading, tool)
        if not natural_id:
            natural_id = f"{reading.owner}/{call_id}"
            packed = msgspec.json.encode(given, order="sorted")
            reading.facts.append(
                CallFact(
                    reading.where,
                    reading.offset,
                    reading.at_ms if started_ms is None else started_ms,
                    natural_id,
                    tool,
                    given,
                    signed_signature_of(packed),
                    "" if reading.is_copy else reading.state.step,
                )
            )
            _remember_closed(reading, call_id)
    add_result(reading, natural_id, result, 0, exit_code)


def _take_nested(reading: Reading, tool: str) -> str:
    """Return the id of the oldest nested call of this tool without an end, if there is one."""
    for outer, names in reading.state.open_calls.items():
        for number, name in enumerate(names[1:], 1):
            if name and _same_tool(name, tool):
                names[number] = ""
                return f"{natural_call(reading, outer)}/{number}"
    return ""


def _same_tool(nested: str, told: str) -> bool:
    """Whether a name in a script means the tool that an event names."""
    return nested == told or (nested == "web__run" and told == "web_search_call")
