"""Assistant records and tool results: responses, calls, and what came back."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from agentpprof.agents import claude_results, claude_usage, claude_users
from agentpprof.agents.claude_reading import Reading
from agentpprof.agents.claude_records import (
    ANY_DECODER,
    INPUT_DECODERS,
    INPUTS_NOT_READ,
    Block,
    CopiedRecord,
    Iteration,
    Message,
    Record,
    ToolResultDetails,
)
from agentpprof.agents.facts import (
    MAX_RESPONSE_TEXT,
    CallFact,
    LinkFact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    Where,
    signature_of,
)
from agentpprof.agents.times import to_ms

_SYNTHETIC = "<synthetic>"
_NO_MODEL = "unknown"


def add_assistant(
    reading: Reading, record: Record | CopiedRecord, where: Where, offset: int
) -> None:
    """Add a response, its tool calls and the advisor's responses."""
    message = record.message
    if message is None:
        reading.skip(where, record, offset, "assistant without a message")
        return
    at_ms = to_ms(record.timestamp)
    usage = reading.usage(message.usage)
    if message.model == _SYNTHETIC or record.isApiErrorMessage:
        _add_synthetic(reading, message, where, offset, at_ms)
        return
    text, calls = _text_and_calls(message)
    natural_id = message.id or _response_id(record, where, offset)
    stop_reason = message.stop_reason
    quality = claude_usage.quality_of(where.version, stop_reason is not None)
    response = ResponseFact(
        where,
        offset,
        at_ms,
        natural_id,
        _model(message.model),
        _response_result(stop_reason, calls, text),
        text[:MAX_RESPONSE_TEXT],
        None if usage is None else usage[0],
        quality if usage is None or usage[1] else "uncertain",
        "progress" if where.is_copy else "own",
        "" if usage is None else usage[2],
    )
    reading.facts.append(response)
    for block in calls:
        reading.facts.append(_call(block, where, offset, at_ms, natural_id))
    if usage is not None and usage[3].iterations:
        reading.facts.extend(_advisor_responses(response, usage[3].iterations))


def _text_and_calls(message: Message) -> tuple[str, list[Block]]:
    """Return the text of a response and its tool calls."""
    content = message.content
    if isinstance(content, str):
        return content, []
    texts, calls = [], []
    for block in content or ():
        if block.type == "text":
            texts.append(block.text or "")
        elif block.type == "tool_use" and block.id:
            calls.append(block)
    return "\n".join(texts), calls


def _add_synthetic(
    reading: Reading, message: Message, where: Where, offset: int, at_ms: int | None
) -> None:
    """Add a record that the program wrote in the model's name: no call, maybe an error."""
    usage = reading.usage(message.usage)
    if usage is not None:
        fact = ResponseFact(where, offset, at_ms, message.id or "", _SYNTHETIC)
        fact.usage, fact.reason = usage[0], "synthetic"
        reading.facts.append(fact)
    if "API Error" in claude_users.text_of(message.content)[:200]:
        reading.facts.append(OutcomeFact(where, offset, at_ms, "failed"))


def _response_id(record: Record | CopiedRecord, where: Where, offset: int) -> str:
    """Return what identifies a response without message.id: the request, else the record."""
    session = where.parent_session_id or where.session_id
    if record.requestId:
        return f"{session}/{record.requestId}"
    return record.uuid or f"{where.session_id}/{offset}"


def _model(name: str | None) -> str:
    """Return the model's name without the region or date stamp that `@` introduces."""
    if not name:
        return _NO_MODEL
    return name.split("@", 1)[0] or _NO_MODEL if "@" in name else name


def _response_result(stop_reason: str | None, calls: list[Block], text: str) -> str:
    """Return the result; most old records have no stop reason, then their blocks say it."""
    if stop_reason is not None:
        return claude_usage.RESULT_OF_STOP_REASON.get(stop_reason, "unknown")
    if calls:
        return "tool-use"
    return "final" if text else "unknown"


def _advisor_responses(
    response: ResponseFact, iterations: list[Iteration]
) -> Iterator[ResponseFact]:
    """Yield the calls of an advisor model, which stand in no other field (ccusage/ccusage#1115)."""
    for number, step in enumerate(iterations):
        if step.type != "advisor_message":
            continue
        usage, is_valid = claude_usage.decode_usage(step)
        yield ResponseFact(
            response.where,
            response.offset,
            response.at_ms,
            f"{response.natural_id}/advisor/{number}",
            step.model if isinstance(step.model, str) else _NO_MODEL,
            result="final",
            usage=usage,
            quality=response.quality if is_valid else "uncertain",
            reason=response.reason,
        )


def _call(block: Block, where: Where, offset: int, at_ms: int | None, response_id: str) -> CallFact:
    raw = block.input
    name, signature = block.name or "unknown", signature_of(raw)
    return CallFact(
        where, offset, at_ms, block.id or "", name, _input(name, raw), signature, response_id
    )


def _input(name: str, raw: Raw) -> Any:
    """Decode what a call's input says, leaving out whole files and prompts."""
    if name in INPUTS_NOT_READ or not len(memoryview(raw)):
        return {}
    try:
        return INPUT_DECODERS.get(name, ANY_DECODER).decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}


def add_results(reading: Reading, record: Record | CopiedRecord, where: Where, offset: int) -> bool:
    """Add the tool results of a user record; say whether there were any.

    A text beside a result is a person's comment on an approval, so a prompt of its own.
    """
    message = record.message
    content = message.content if message is not None else None
    if not isinstance(content, list):
        return False
    results = [block for block in content if block.type == "tool_result"]
    if not results:
        return False
    at_ms = to_ms(record.timestamp)
    details = record.toolUseResult
    if type(details) is not ToolResultDetails:
        details = claude_results.NO_DETAILS
    for block in results:
        if not block.tool_use_id:
            reading.skip(where, record, offset, "result without an id")
            continue
        result, exit_code = claude_results.result_of(block, details)
        said = memoryview(block.content)
        size = max(len(said) - 2, 0)
        reading.facts.append(
            ResultFact(where, offset, at_ms, block.tool_use_id, result, size, exit_code)
        )
        if agent_id := claude_results.agent_id_of(said, details):
            session = where.parent_session_id or where.session_id
            link = LinkFact(where, offset, None, f"{session}/{agent_id}", block.tool_use_id)
            reading.facts.append(link)
    if len(content) > len(results) and message is not None:
        _add_comment(reading, record, message, where, offset)
    return True


def _add_comment(
    reading: Reading,
    record: Record | CopiedRecord,
    message: Message,
    where: Where,
    offset: int,
) -> None:
    """Add the words that stand beside tool results: an interrupt, or a person's comment."""
    comment = claude_users.without_injections(claude_users.text_of(message.content))
    at_ms = to_ms(record.timestamp)
    if comment.startswith(claude_users.INTERRUPTED):
        reading.facts.append(OutcomeFact(where, offset, at_ms, "interrupted"))
    elif comment and not where.is_subagent and claude_users.author_of(message) == "person":
        natural_id = f"{prompt_id(record, where, offset)}/comment"
        reading.facts.append(PromptFact(where, offset, at_ms, natural_id, "comment", comment))


def prompt_id(record: Record | CopiedRecord, where: Where, offset: int) -> str:
    """Return what identifies a prompt: the record's uuid, else session, time and place."""
    return record.uuid or f"{where.session_id}/{to_ms(record.timestamp)}/{offset}"
