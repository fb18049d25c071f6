"""The parts of a Claude Code record that we read, typed for msgspec; the rest is skipped unread.

Fields whose values may be of any kind are `Any`, big ones `Raw` (never copied). `Raw | None` would
push every line to the slow way, so raw fields default to `Raw(b"")`.
"""

from datetime import datetime
from typing import Any, TypedDict

from msgspec import MsgspecError, Raw, Struct, json

from agentpprof.agents.facts import Count
from agentpprof.agents.lines import decode_loosely


class CacheSplit(Struct, gc=False):
    """Cache writes by time to live."""

    ephemeral_5m_input_tokens: Any = None
    ephemeral_1h_input_tokens: Any = None


class Iteration(Struct, gc=False):
    """One inner step of a response; only advisor messages count (they are in no other field)."""

    type: Any = None
    model: Any = None
    input_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_creation: CacheSplit | None = None
    output_tokens: Any = None


class ServerTools(Struct, gc=False):
    """Requests that the server made itself."""

    web_search_requests: Any = None


class UsageRecord(Struct, gc=False):
    """`message.usage`."""

    input_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_creation: CacheSplit | None = None
    output_tokens: Any = None
    output_tokens_details: Any = None
    server_tool_use: ServerTools | None = None
    service_tier: Any = None
    speed: Any = None
    iterations: list[Iteration] | None = None

    @classmethod
    def from_raw(cls, raw: bytes) -> "UsageRecord | None":
        """Decode a usage object, dropping only fields that don't fit; None for no object."""
        if raw[:1] != b"{":
            return None
        try:
            return EXACT_USAGE_DECODER.decode(raw)
        except (MsgspecError, RecursionError):
            found: UsageRecord | None = decode_loosely(raw, cls)
            return found


class ExactSplit(CacheSplit, gc=False):
    """Cache writes by time to live, all of them token counts."""

    ephemeral_5m_input_tokens: Count = 0
    ephemeral_1h_input_tokens: Count = 0


class ExactUsage(UsageRecord, gc=False):
    """`message.usage` with nothing but token counts in it, as most are: none need be checked."""

    input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count | None = None
    cache_creation: ExactSplit | None = None
    output_tokens: Count = 0


class ToolResultDetails(Struct, gc=False):
    """The fields of `toolUseResult` that decide a result or a link."""

    interrupted: Any = None
    returnCodeInterpretation: Any = None
    agentId: Any = None


ToolUseResult = ToolResultDetails | str | list[Raw] | int | float | bool | None


class Block(Struct, gc=False):
    """One content block of a message."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw(b"")
    tool_use_id: str | None = None
    content: Raw = Raw(b"")
    is_error: bool | None = None


class Message(Struct, gc=False):
    """`message` of user and assistant records."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    usage: Raw = Raw(b"")


class CopiedRecord(Struct, gc=False):
    """A sub-agent's record inside a progress record."""

    type: str = ""
    uuid: str | None = None
    timestamp: datetime | None = None
    requestId: str | None = None
    isApiErrorMessage: bool | None = None
    message: Message | None = None
    toolUseResult: ToolUseResult = None


class ProgressData(Struct, gc=False):
    """`data` of a progress record; only agent_progress holds work."""

    type: Any = None
    agentId: str | None = None
    message: CopiedRecord | None = None


class Origin(Struct, gc=False):
    """Who a user record comes from, in late versions."""

    kind: Any = None


class Attachment(Struct, gc=False):
    """`attachment` of late versions; only queued commands matter."""

    type: str = ""
    prompt: str | list[Block] | None = None


class Record(Struct, gc=False):
    """One line. The fields stand in the order that logs have them: so each is found at once."""

    isSidechain: bool | None = None
    cwd: str | None = None
    sessionId: str | None = None
    version: str | None = None
    gitBranch: str | None = None
    agentId: str | None = None
    type: str = ""
    message: Message | None = None
    requestId: str | None = None
    uuid: str | None = None
    timestamp: datetime | None = None
    toolUseResult: ToolUseResult = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    attributionAgent: str | None = None
    origin: Origin | None = None
    operation: str | None = None
    content: Any = None
    attachment: Attachment | None = None
    data: ProgressData | None = None
    parentToolUseID: str | None = None


class FileInput(TypedDict, total=False):
    """The input of tools that carry whole files, without the files."""

    file_path: Any
    notebook_path: Any
    path: Any


class DelegateInput(TypedDict, total=False):
    """The input of a sub-agent's call, without its prompt."""

    subagent_type: Any
    description: Any


EXACT_USAGE_DECODER = json.Decoder(ExactUsage)
RECORD_DECODER = json.Decoder(Record)
BLOCKS_DECODER = json.Decoder(list[Block])
ANY_DECODER = json.Decoder()

# Tools whose input is large and of which only the named part says something.
INPUT_DECODERS: dict[str, "json.Decoder[Any]"] = {
    "Edit": json.Decoder(FileInput),
    "MultiEdit": json.Decoder(FileInput),
    "Write": json.Decoder(FileInput),
    "NotebookEdit": json.Decoder(FileInput),
    "Read": json.Decoder(FileInput),
    "Task": json.Decoder(DelegateInput),
    "Agent": json.Decoder(DelegateInput),
}
INPUTS_NOT_READ = frozenset({"TodoWrite", "ExitPlanMode"})

# Every type we know, and what we do with it (docs/formats.md is printed from this).
RECORD_KINDS: dict[str, str] = {
    "user": "counted: prompts and tool results; injected texts are context",
    "assistant": "counted: responses and tool calls",
    "progress": "counted: copies of a sub-agent's messages (agent_progress); the rest is skipped",
    "attachment": "counted: queued commands; the rest is context",
    "queue-operation": "counted: prompts typed while the agent works; the rest is context",
    "system": "context: turn ends, compaction, local commands",
    "summary": "skipped: a title, mostly of another session",
    "file-history-snapshot": "skipped: copies of files",
    "pr-link": "skipped",
    "custom-title": "skipped: a title",
    "agent-name": "skipped: a title",
    "ai-title": "skipped: a title",
    "last-prompt": "skipped: a copy of a prompt",
    "permission-mode": "skipped: a setting",
    "mode": "skipped: a setting",
    "agent-setting": "skipped: a setting",
    "bridge-session": "skipped: a setting",
    "worktree-state": "skipped: the records' own cwd says it",
    "relocated": "skipped: the records' own cwd says it",
    "atis-latch": "skipped: a setting",
    "cost-state": "skipped: a running total of what the responses say",
}
