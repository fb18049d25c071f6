"""Claude Code: how the lines of a log become facts (docs/formats.md).

Decoding looks at one line at a time. The small state holds only what a later line may need: the
session of an old sub-agent's file, a slash command that no answer has confirmed yet, and prompts
that wait in the queue.
"""

from pathlib import PurePath
from typing import Any

import msgspec

from agentpprof.agents.claude_messages import add_assistant, add_results
from agentpprof.agents.claude_prompts import (
    add_prompt,
    add_queue_operation,
    add_queued_command,
    add_user,
    confirm_command,
)
from agentpprof.agents.claude_reading import Reading, State
from agentpprof.agents.claude_records import RECORD_DECODER, RECORD_KINDS, Record
from agentpprof.agents.facts import BadLineFact, Fact, LinkFact, Where
from agentpprof.agents.lines import decode_values

__all__ = [
    "RECORD_KINDS",
    "State",
    "decode",
    "decode_sidecar",
    "initial_state",
    "looks_like",
    "sidecar_path",
]


def looks_like(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of a Claude Code transcript."""
    return b'"sessionId"' in head or b'"leafUuid"' in head or b'"file-history-snapshot"' in head


def initial_state(path: str) -> State:
    """Return the state at byte 0: a sub-agent's file is known by its name and folder."""
    pure = PurePath(path)
    if not pure.name.startswith("agent-"):
        return State(file_session=pure.stem)
    folders = pure.parts
    session = folders[folders.index("subagents") - 1] if "subagents" in folders[1:] else ""
    return State(file_session=session, agent_id=pure.stem.removeprefix("agent-"))


def sidecar_path(path: str) -> str | None:
    """Return the path of the small file that says which call started a sub-agent."""
    pure = PurePath(path)
    return str(pure.with_suffix(".meta.json")) if pure.name.startswith("agent-") else None


def decode_sidecar(data: bytes, path: str) -> list[Fact]:
    """Turn a sub-agent's `meta.json` into a link to the call that started it."""
    state = initial_state(path)
    try:
        meta = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return []
    call_id, agent_type = meta.get("toolUseId"), meta.get("agentType")
    if not state.file_session:
        return []
    session = f"{state.file_session}/{state.agent_id}"
    where = Where(session, state.file_session, state.agent_id, is_subagent=True)
    call = call_id if isinstance(call_id, str) else ""
    kind = agent_type if isinstance(agent_type, str) else ""
    return [LinkFact(where, 0, None, session, call, kind)]


def decode(data: bytes, offset: int, path: str, state: State) -> tuple[list[Fact], State]:
    """Decode whole lines that begin at byte `offset` of the file `path`."""
    decoded = decode_values(data, offset, RECORD_DECODER, _is_record)
    reading = Reading(msgspec.structs.replace(state, queued=list(state.queued)))
    for record, at in zip(decoded.values, decoded.offsets, strict=True):
        _add_record(reading, record, at)
    for span in decoded.bad:
        where = reading.file_where()
        reading.facts.append(BadLineFact(where, span.offset, None, span.length, span.reason))
    return reading.facts, reading.state


def _is_record(record: Record) -> bool:
    return bool(record.type) and (record.type in RECORD_KINDS or record.uuid is not None)


def _add_record(reading: Reading, record: Record, offset: int) -> None:
    """Add the facts of one record."""
    kind = record.type
    if record.version and record.version != reading.state.version:
        reading.state.version = record.version
    if kind == "assistant":
        if reading.state.command is not None:
            confirm_command(reading, record)
        add_assistant(reading, record, reading.where(record), offset)
    elif kind == "user":
        add_user(reading, record, offset)
    elif kind == "progress":
        _add_progress(reading, record, offset)
    elif kind == "attachment":
        add_queued_command(reading, record, offset)
    elif kind == "queue-operation":
        add_queue_operation(reading, record, offset)
    elif kind not in RECORD_KINDS:
        name = kind or "(no type)"
        reading.skip(reading.where(record), record, offset, name, is_unknown=True)


def _add_progress(reading: Reading, record: Record, offset: int) -> None:
    """Add the copy of a sub-agent's message; other progress says nothing new."""
    data = record.data
    if data is None or data.type != "agent_progress" or not data.agentId:
        return
    copied = data.message
    where = reading.copy_where(record, data.agentId)
    if record.parentToolUseID:
        link = LinkFact(where, offset, None, where.session_id, record.parentToolUseID)
        reading.facts.append(link)
    if copied is None or copied.message is None:
        return
    if copied.timestamp is None:
        copied.timestamp = record.timestamp
    if copied.type == "assistant":
        add_assistant(reading, copied, where, offset)
    elif copied.type == "user" and not add_results(reading, copied, where, offset):
        add_prompt(reading, copied, copied.message, where, offset)
