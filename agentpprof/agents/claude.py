"""Claude Code: where its logs lie, and how a line becomes facts (formats/claude-code.md).

Decoding looks at one line at a time. The small state holds only what a later line may need: the
session of an old sub-agent's file, a slash command that no answer has confirmed yet, and prompts
that wait in the queue.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import Raw, Struct

from agentpprof.agents import claude_results, claude_usage, claude_users
from agentpprof.agents.claude_records import (
    ANY_DECODER,
    INPUT_DECODERS,
    INPUTS_NOT_READ,
    RECORD_DECODER,
    RECORD_KINDS,
    Block,
    CopiedRecord,
    Message,
    Record,
)
from agentpprof.agents.facts import (
    BadLineFact,
    CallFact,
    Fact,
    LinkFact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    SkippedFact,
    Usage,
    Where,
)
from agentpprof.agents.lines import decode_values

NAME = "claude"
PARSER_VERSION = 1
LOG_FOLDERS = ("projects",)
_MAX_QUEUED = 16
_RESPONSE_TEXT = 4096
_SYNTHETIC = "<synthetic>"
_NO_MODEL = "unknown"


class State(Struct, gc=False, omit_defaults=True):
    """What decoding carries from one read of a file to the next."""

    file_session: str = ""  # the session that the file belongs to
    agent_id: str = ""  # set in a sub-agent's file
    version: str = ""
    command: PromptFact | None = None  # a slash command that may yet become a prompt
    queued: list[PromptFact] = []


def is_log_name(name: str) -> bool:
    """Say whether a file of this name may be a transcript."""
    return name.endswith(".jsonl") and name not in ("journal.jsonl", "history.jsonl")


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
    if not state.file_session or not isinstance(call_id, str):
        return []
    session = f"{state.file_session}/{state.agent_id}"
    where = Where(session, state.file_session, state.agent_id, is_subagent=True)
    kind = agent_type if isinstance(agent_type, str) else ""
    return [LinkFact(where, 0, None, session, call_id, kind)]


def decode(data: bytes, offset: int, path: str, state: State) -> tuple[list[Fact], State]:
    """Decode whole lines that begin at byte `offset` of the file `path`."""
    decoded = decode_values(data, offset, RECORD_DECODER, _is_record)
    reading = _Reading(msgspec.structs.replace(state, queued=list(state.queued)))
    for record, at in zip(decoded.values, decoded.offsets, strict=True):
        reading.add_record(record, at)
    for span in decoded.bad:
        where = reading.file_where()
        reading.facts.append(BadLineFact(where, span.offset, None, span.length, span.reason))
    return reading.facts, reading.state


def _is_record(record: Record) -> bool:
    return bool(record.type) and (record.type in RECORD_KINDS or record.uuid is not None)


class _Reading:
    """One call of `decode`: the facts so far, the state, and the surroundings seen."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.facts: list[Fact] = []
        self._wheres: dict[tuple[Any, ...], Where] = {}

    def add_record(self, record: Record, offset: int) -> None:
        """Add the facts of one record."""
        kind = record.type
        if record.version:
            self.state.version = record.version
        if kind == "assistant":
            self._confirm_command(record)
            where = self._where(record)
            self._add_assistant(record, record.message, where, offset)
        elif kind == "user":
            self._add_user(record, offset)
        elif kind == "progress":
            self._add_progress(record, offset)
        elif kind == "attachment":
            self._add_queued_command(record, offset)
        elif kind == "queue-operation":
            self._add_queue_operation(record, offset)
        elif kind not in RECORD_KINDS:
            self._skip(self._where(record), record, offset, kind or "(no type)", is_unknown=True)

    def file_where(self) -> Where:
        """Return surroundings for what belongs to the file as a whole."""
        return Where(self.state.file_session, version=self.state.version)

    # Surroundings ---------------------------------------------------------------------------

    def _where(self, record: Record) -> Where:
        """Return the shared surroundings of a record's own facts."""
        key = (
            record.sessionId,
            record.agentId,
            record.isSidechain,
            record.cwd,
            record.gitBranch,
            record.version,
        )
        where = self._wheres.get(key)
        if where is None:
            where = self._wheres[key] = self._new_where(record)
        return where

    def _new_where(self, record: Record) -> Where:
        session = record.sessionId or self.state.file_session or "unknown"
        if not self.state.file_session:
            self.state.file_session = session
        agent_id = record.agentId or self.state.agent_id
        if not agent_id and record.isSidechain:
            agent_id = "sidechain"  # 1.x wrote its one sub-agent into the session's own file
        is_subagent = bool(agent_id) and (record.isSidechain is not False or bool(record.agentId))
        return Where(
            session_id=f"{session}/{agent_id}" if is_subagent else session,
            parent_session_id=session if is_subagent else "",
            thread=agent_id if is_subagent else "",
            agent_type=_internal_agent(agent_id, record.attributionAgent) if is_subagent else "",
            cwd=record.cwd or "",
            branch=record.gitBranch or "",
            version=record.version or "",
            is_foreign=session != self.state.file_session,
            is_subagent=is_subagent,
        )

    def _copy_where(self, record: Record, agent_id: str) -> Where:
        """Return the surroundings of a copied sub-agent's message inside a progress record."""
        key = (record.sessionId, agent_id, "copy", record.cwd, record.gitBranch, record.version)
        where = self._wheres.get(key)
        if where is None:
            own = self._where(record)
            session = own.parent_session_id or own.session_id
            where = self._wheres[key] = msgspec.structs.replace(
                own,
                session_id=f"{session}/{agent_id}",
                parent_session_id=session,
                thread=agent_id,
                agent_type=_internal_agent(agent_id, None),
                is_copy=True,
                is_subagent=True,
            )
        return where

    # Assistant records ----------------------------------------------------------------------

    def _confirm_command(self, record: Record) -> None:
        """Make a prompt of a slash command that the agent now answers."""
        if self.state.command is not None and not record.isSidechain:
            self.facts.append(self.state.command)
            self.state.command = None

    def _add_assistant(
        self,
        record: Record | CopiedRecord,
        message: Message | None,
        where: Where,
        offset: int,
    ) -> None:
        """Add a response, its tool calls and the advisor's responses."""
        at_ms = to_ms(record.timestamp)
        if message is None:
            self._skip(where, record, offset, "assistant without a message")
            return
        if message.model == _SYNTHETIC or getattr(record, "isApiErrorMessage", None):
            self._add_synthetic(message, where, offset, at_ms)
            return
        blocks = message.content if isinstance(message.content, list) else []
        calls = [block for block in blocks if block.type == "tool_use" and block.id]
        text = claude_users.text_of(message.content)
        response = ResponseFact(
            where, offset, at_ms, _response_id(record, message, where, offset), _model(message)
        )
        response.result = _response_result(message.stop_reason, bool(calls), bool(text))
        response.text = text[:_RESPONSE_TEXT]
        response.quality = claude_usage.quality_of(where.version, message.stop_reason is not None)
        if where.is_copy:
            response.reason = "progress"
        if message.usage is not None:
            response.usage, is_valid = claude_usage.decode_usage(message.usage)
            response.tier = claude_usage.tier_of(message.usage)
            if not is_valid:
                response.quality = "uncertain"
        self.facts.append(response)
        for block in calls:
            self.facts.append(_call(block, where, offset, at_ms, response.natural_id))
        if message.usage is not None and message.usage.iterations:
            self.facts.extend(_advisor_responses(response, message.usage.iterations))

    def _add_synthetic(
        self, message: Message, where: Where, offset: int, at_ms: int | None
    ) -> None:
        """Add a record that the program wrote in the model's name: no call, maybe an error."""
        if message.usage is not None:
            usage, _ = claude_usage.decode_usage(message.usage)
            self.facts.append(
                ResponseFact(
                    where, offset, at_ms, message.id or "", _SYNTHETIC, usage=usage,
                    reason="synthetic",
                )
            )
        if "API Error" in claude_users.text_of(message.content)[:200]:
            self.facts.append(OutcomeFact(where, offset, at_ms, "failed"))

    # User records ---------------------------------------------------------------------------

    def _add_user(self, record: Record, offset: int) -> None:
        """Add what a user record is: results, a prompt, an interrupt, or nothing that counts."""
        where = self._where(record)
        message = record.message
        if message is None:
            self._drop_command(where, record, offset)
            self._skip(where, record, offset, "user without a message")
            return
        if self._add_results(message, record, where, offset):
            self._drop_command(where, record, offset)
            return
        if record.isCompactSummary:
            self._skip(where, record, offset, "compaction")
        elif record.isMeta:
            return
        elif record.origin is not None and record.origin.kind not in ("human", None):
            self._skip(where, record, offset, "injected")
        else:
            self._add_author(record, message, where, offset)

    def _add_author(self, record: Record, message: Message, where: Where, offset: int) -> None:
        """Add a user record by the one who wrote it."""
        author = claude_users.author_of(message)
        self._drop_command(where, record, offset)
        if author == "person":
            self._add_prompt(record, message, where, offset)
        elif author == "command":
            name, typed = claude_users.slash_command(claude_users.text_of(message.content))
            self.state.command = PromptFact(
                where, offset, to_ms(record.timestamp), _prompt_id(record, where, offset),
                "agent" if where.is_subagent else "slash", typed, name,
            )
        elif author == "interrupt":
            at_ms = to_ms(record.timestamp)
            self.facts.append(OutcomeFact(where, offset, at_ms, "interrupted"))
        else:
            self._skip(where, record, offset, author)

    def _add_prompt(
        self, record: Record | CopiedRecord, message: Message, where: Where, offset: int
    ) -> None:
        text = claude_users.without_injections(claude_users.text_of(message.content))
        self._forget_queued(text)
        self.facts.append(
            PromptFact(
                where, offset, to_ms(record.timestamp), _prompt_id(record, where, offset),
                "agent" if where.is_subagent else "typed", text,
            )
        )

    def _add_results(
        self, message: Message, record: Record | CopiedRecord, where: Where, offset: int
    ) -> bool:
        """Add the tool results of a user record; say whether there were any.

        A text beside a result is a person's comment on an approval, so a prompt of its own.
        """
        blocks = message.content if isinstance(message.content, list) else []
        results = [block for block in blocks if block.type == "tool_result"]
        if not results:
            return False
        at_ms = to_ms(record.timestamp)
        details = claude_results.details_of(record.toolUseResult)
        for block in results:
            if not block.tool_use_id:
                self._skip(where, record, offset, "result without an id")
                continue
            result, exit_code = claude_results.result_of(block, details)
            size = max(len(memoryview(block.content)) - 2, 0)
            self.facts.append(
                ResultFact(where, offset, at_ms, block.tool_use_id, result, size, exit_code)
            )
            self._add_link(block, details, where, offset)
        comment = claude_users.without_injections(claude_users.text_of(message.content))
        if comment.startswith(claude_users.INTERRUPTED):
            self.facts.append(OutcomeFact(where, offset, at_ms, "interrupted"))
        elif comment and not where.is_subagent and claude_users.author_of(message) == "person":
            natural_id = _prompt_id(record, where, offset) + "/comment"
            self.facts.append(PromptFact(where, offset, at_ms, natural_id, "comment", comment))
        return True

    def _add_link(
        self, block: Block, details: Any, where: Where, offset: int
    ) -> None:
        agent_id = claude_results.agent_id_of(block, details)
        if agent_id:
            session = where.parent_session_id or where.session_id
            self.facts.append(
                LinkFact(where, offset, None, f"{session}/{agent_id}", block.tool_use_id or "")
            )

    def _drop_command(self, where: Where, record: Record, offset: int) -> None:
        """Count a slash command that no answer followed as a local one."""
        if self.state.command is not None and not record.isSidechain:
            self.state.command = None
            self._skip(where, record, offset, "local_command")

    # Copies, queue, skipped -----------------------------------------------------------------

    def _add_progress(self, record: Record, offset: int) -> None:
        """Add the copy of a sub-agent's message; other progress says nothing new."""
        data = record.data
        if data is None or data.type != "agent_progress" or not data.agentId:
            return
        copied = data.message
        where = self._copy_where(record, data.agentId)
        if record.parentToolUseID:
            link = LinkFact(where, offset, None, where.session_id, record.parentToolUseID)
            self.facts.append(link)
        if copied is None or copied.message is None:
            return
        if copied.timestamp is None:
            copied.timestamp = record.timestamp
        if copied.type == "assistant":
            self._add_assistant(copied, copied.message, where, offset)
        elif copied.type == "user" and not self._add_results(copied.message, copied, where, offset):
            self._add_prompt(copied, copied.message, where, offset)

    def _add_queued_command(self, record: Record, offset: int) -> None:
        """Add a message that was typed while the agent worked (2.1.101 and later)."""
        attachment = record.attachment
        if attachment is None or attachment.type != "queued_command":
            return
        where = self._where(record)
        message = Message(content=attachment.prompt)
        if claude_users.author_of(message) != "person":
            self._skip(where, record, offset, "injected")
            return
        text = claude_users.without_injections(claude_users.text_of(attachment.prompt))
        self._forget_queued(text)
        origin = "agent" if where.is_subagent else "queued"
        self.facts.append(
            PromptFact(
                where, offset, to_ms(record.timestamp), _prompt_id(record, where, offset),
                origin, text,
            )
        )

    def _add_queue_operation(self, record: Record, offset: int) -> None:
        """Follow the queue of typed messages; before 2.1.101 only it tells of some prompts."""
        queue = self.state.queued
        text = record.content if isinstance(record.content, str) else ""
        if record.operation == "enqueue" and text and len(queue) < _MAX_QUEUED:
            where = self._where(record)
            at_ms = to_ms(record.timestamp)
            natural_id = f"{where.session_id}/queue/{at_ms}/{_hash_text(text)}"
            queue.append(PromptFact(where, offset, at_ms, natural_id, "queued", text))
        elif record.operation == "popAll":
            queue.clear()
        elif record.operation == "dequeue" and queue:
            queue.pop(0)  # it follows as a user record of its own
        elif record.operation == "remove" and queue:
            prompt = queue.pop(_index_of(queue, text))
            message = Message(content=prompt.text)
            is_prompt = claude_users.author_of(message) == "person"
            has_attachment = claude_usage._version(self.state.version) >= (2, 1, 101)
            if is_prompt and not has_attachment and not prompt.text.startswith("/"):
                prompt.at_ms = to_ms(record.timestamp) or prompt.at_ms
                self.facts.append(prompt)

    def _forget_queued(self, text: str) -> None:
        """Drop a queued prompt that has now come as a record of its own, so it counts once."""
        self.state.queued = [prompt for prompt in self.state.queued if prompt.text != text]

    def _skip(
        self,
        where: Where,
        record: Record | CopiedRecord,
        offset: int,
        kind: str,
        is_unknown: bool = False,
    ) -> None:
        at_ms = to_ms(record.timestamp)
        self.facts.append(SkippedFact(where, offset, at_ms, kind, is_unknown))


def to_ms(time: datetime | None) -> int | None:
    """Return UTC milliseconds; a time without a zone is UTC."""
    if time is None:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    try:
        return int(time.timestamp() * 1000 + 0.5)
    except (OverflowError, ValueError):  # the years 1 and 9999 may leave the range in UTC
        return None


def _internal_agent(agent_id: str, attributed: str | None) -> str:
    """Return the type of a sub-agent as far as its records say it; the call says the rest."""
    if attributed:
        return attributed
    name, _, _ = agent_id.rpartition("-")
    return name if name in ("acompact", "aside_question", "prompt_suggestion") else ""


def _response_id(
    record: Record | CopiedRecord, message: Message, where: Where, offset: int
) -> str:
    """Return what identifies a response: message.id over all files, else the next best."""
    if message.id:
        return message.id
    session = where.parent_session_id or where.session_id
    if record.requestId:
        return f"{session}/{record.requestId}"
    return record.uuid or f"{where.session_id}/{offset}"


def _prompt_id(record: Record | CopiedRecord, where: Where, offset: int) -> str:
    return record.uuid or f"{where.session_id}/{to_ms(record.timestamp)}/{offset}"


def _model(message: Message) -> str:
    """Return the model's name without the region or date stamp that `@` introduces."""
    return (message.model or _NO_MODEL).split("@", 1)[0] or _NO_MODEL


def _response_result(stop_reason: str | None, has_calls: bool, has_text: bool) -> str:
    """Return the result; most old records have no stop reason, then their blocks say it."""
    if stop_reason is not None:
        return claude_usage.RESULT_OF_STOP_REASON.get(stop_reason, "unknown")
    if has_calls:
        return "tool-use"
    return "final" if has_text else "unknown"


def _advisor_responses(response: ResponseFact, iterations: list[Any]) -> Iterator[ResponseFact]:
    """Yield the calls of an advisor model, which stand in no other field (ccu#1115)."""
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
            usage=usage if isinstance(usage, Usage) else None,
            quality=response.quality if is_valid else "uncertain",
            reason=response.reason,
        )


def _call(
    block: Block, where: Where, offset: int, at_ms: int | None, response_id: str
) -> CallFact:
    raw = block.input
    signature = blake2b(memoryview(raw), digest_size=8).digest()
    name = block.name or "unknown"
    return CallFact(
        where,
        offset,
        at_ms,
        block.id or "",
        name,
        _input(name, raw),
        int.from_bytes(signature, "big", signed=True),
        response_id,
    )


def _input(name: str, raw: Raw) -> Any:
    """Decode what a call's input says, leaving out whole files and prompts."""
    if name in INPUTS_NOT_READ or not len(memoryview(raw)):
        return {}
    decoder = INPUT_DECODERS.get(name)
    try:
        if decoder is not None:
            return msgspec.to_builtins(decoder.decode(raw))
        return ANY_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}


def _index_of(queue: list[PromptFact], text: str) -> int:
    """Return the place of the queued text, the first where the log does not say which."""
    return next((n for n, prompt in enumerate(queue) if prompt.text == text), 0)


def _hash_text(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
