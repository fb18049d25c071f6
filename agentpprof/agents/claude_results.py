"""What a tool result says: the result, and the sub-agent that the call started."""

import re
from typing import Any

import msgspec

from agentpprof.agents.claude_records import (
    BLOCKS_DECODER,
    Block,
    ToolResultDetails,
)

_HEAD = 400  # characters of a result that may say what kind of error it is
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d+)")
_AGENT_ID = re.compile(r"^agentId: ([A-Za-z0-9_-]+)", re.MULTILINE)
NO_DETAILS = ToolResultDetails()
# Beginnings of error texts that are no failure of the tool (docs/formats.md, "Results of tools").
_RESULT_OF_PREFIX = (
    ("The user doesn't want to", "rejected"),
    ("User rejected tool use", "rejected"),
    ("Error: User rejected tool use", "rejected"),
    ("[Request interrupted by user", "interrupted"),
    ("Sibling tool call errored", "cancelled"),
    ("<tool_use_error>Sibling tool call errored", "cancelled"),
)


def head_of(content: msgspec.Raw) -> str:
    """Return the first characters of a result's content, a string or a list of blocks."""
    first = bytes(memoryview(content)[:1])
    try:
        if first == b'"':
            text: Any = msgspec.json.decode(content, type=str)
        elif first == b"[":
            text = "\n".join(block.text or "" for block in BLOCKS_DECODER.decode(content))
        else:
            text = ""
    except (msgspec.MsgspecError, RecursionError):
        text = ""
    return str(text[:_HEAD])


def result_of(block: Block, details: ToolResultDetails) -> tuple[str, int | None]:
    """Return (value of vocabulary.RESULTS, exit code) of a tool_result block."""
    if details.interrupted is True:
        return "interrupted", None
    if not block.is_error:
        return "ok", None
    head = head_of(block.content).lstrip()
    for prefix, result in _RESULT_OF_PREFIX:
        if head.startswith(prefix):
            return result, None
    found = _EXIT_CODE.match(head)
    exit_code = int(found.group(1)[:9]) if found else None
    if isinstance(details.returnCodeInterpretation, str):
        return "ok", exit_code
    # No code, which would be weighed again: Claude Code has said itself that this one is an error.
    return "error", None


def agent_id_of(content: memoryview, details: ToolResultDetails) -> str:
    """Return the id of the sub-agent that a delegating call started, or an empty text.

    `content` is that of the call's result, as logged.
    """
    if isinstance(details.agentId, str):
        return details.agentId
    if b"agentId: " in content[-_HEAD:].tobytes():
        found = _AGENT_ID.search(_tail_of(content))
        return found.group(1) if found else ""
    return ""


def _tail_of(content: memoryview) -> str:
    """Return the last text of a result: the line with the agent's id stands at its end."""
    try:
        if content[:1].tobytes() == b'"':
            return str(msgspec.json.decode(content, type=str)[-_HEAD:])
        blocks = BLOCKS_DECODER.decode(content)
        return (blocks[-1].text or "")[-_HEAD:] if blocks else ""
    except (msgspec.MsgspecError, RecursionError):
        return ""
