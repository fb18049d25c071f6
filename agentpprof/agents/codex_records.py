"""The parts of a Codex line that we read, typed for msgspec; the rest is skipped unread.

Two shapes: `Line` has the few fields of the frequent kinds, `WholeLine` those of all. Every line is
read as the first; only rare kinds are read again as the second, so that the usual line stays small.
Big values (outputs, images, changes) are `Raw`: looked at, never copied.
"""

from datetime import datetime
from typing import Any

from msgspec import Raw, Struct, json

from agentpprof.agents.facts import Count

_NO_RAW = Raw(b"")


class Payload(Struct, gc=False):
    """What the frequent kinds of `payload` hold (docs/formats.md, "Records of Codex")."""

    type: str = ""
    call_id: str | None = None
    name: str | None = None
    arguments: Raw = _NO_RAW
    output: Raw = _NO_RAW
    info: Raw = Raw(b"null")
    role: str | None = None
    content: Raw = _NO_RAW
    input: Raw = _NO_RAW
    message: Raw = _NO_RAW
    phase: str | None = None
    id: str | None = None
    namespace: str | None = None
    turn_id: str | None = None
    kind: str | None = None
    error: Raw = _NO_RAW


class Line(Struct, gc=False):
    """One line of a rollout; without `payload` it is of the generation before September 2025."""

    timestamp: datetime | None = None
    ordinal: int | None = None
    type: str = ""
    payload: Payload | None = None
    record_type: str | None = None


class Item(Struct, gc=False):
    """`item` of an `item_completed` event: one finished thing of a turn."""

    type: str = ""
    id: str | None = None
    kind: str | None = None
    content: Raw = _NO_RAW
    phase: str | None = None
    command: Any = None
    cwd: str | None = None
    parsed_cmd: Any = None
    status: str | None = None
    exit_code: Any = None
    source: str | None = None
    server: str | None = None
    namespace: str | None = None
    tool: str | None = None
    arguments: Raw = _NO_RAW
    changes: Raw = _NO_RAW
    query: str | None = None
    action: Any = None
    path: str | None = None
    receiver_thread_ids: Any = None
    agent_thread_id: str | None = None


class WholePayload(Payload, gc=False):
    """What all kinds of `payload` hold."""

    # session_meta
    timestamp: Any = None
    cwd: str | None = None
    cli_version: str | None = None
    source: Any = None
    thread_source: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    agent_role: str | None = None
    git: Any = None
    history_mode: str | None = None
    history_base: Any = None
    subagent_history_start_ordinal: int | None = None
    # turns and settings
    model: str | None = None
    started_at: Any = None
    reason: str | None = None
    thread_settings: Any = None
    # prompts
    images: Raw = _NO_RAW
    local_images: Raw = _NO_RAW
    # usage records
    usage: Raw = _NO_RAW
    response_id: str | None = None
    thread_id: str | None = None
    service_tier: str | None = None
    # ends of calls
    action: Any = None
    query: str | None = None
    status: str | None = None
    success: Any = None
    changes: Raw = _NO_RAW
    invocation: Any = None
    result: Raw = _NO_RAW
    command: Any = None
    parsed_cmd: Any = None
    exit_code: Any = None
    path: str | None = None
    tool: str | None = None
    # sub-agents
    event_id: str | None = None
    agent_thread_id: str | None = None
    new_thread_id: str | None = None
    # items
    item: Item | None = None
    started_at_ms: Any = None


class WholeLine(Struct, gc=False):
    """A line with all fields of its payload."""

    payload: WholePayload | None = None


class Counts(Struct, gc=False):
    """Token counts as logged; `input_tokens` holds cached ones, `output_tokens` reasoning."""

    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_input_tokens: Count | None = None
    output_tokens: Count | None = None
    reasoning_output_tokens: Count | None = None


class CountInfo(Struct, gc=False):
    """`info` of a `token_count` event."""

    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None
    model: str | None = None


class Part(Struct, gc=False):
    """One part of a message; images are not read."""

    type: str = ""
    text: str | None = None


class Change(Struct, gc=False):
    """What a patch did to one file; contents are not read."""

    type: str = ""
    move_path: str | None = None


LINE_DECODER = json.Decoder(Line)
WHOLE_DECODER = json.Decoder(WholeLine)
BARE_DECODER = json.Decoder(WholePayload)
INFO_DECODER = json.Decoder(CountInfo | None)
COUNTS_DECODER = json.Decoder(Counts)
PARTS_DECODER = json.Decoder(list[Part])
CHANGES_DECODER = json.Decoder(dict[str, Change])
OBJECT_DECODER = json.Decoder(dict[str, Any])
STRING_DECODER = json.Decoder(str)
ANY_DECODER = json.Decoder()

# Every kind of record (`type/payload type/item type`) and what we do with it; the documentation is
# printed from here. A kind that is not listed is counted as unknown, by type and version.
RECORD_KINDS: dict[str, str] = {
    "(bare header)": "context: thread, start (May to September 2025)",
    "(state)": "context",
    "session_meta": "context: thread, parent, folder; later ones name the ancestors",
    "turn_context": "context: turn, model, folder",
    "compacted": "context: copied items are no new activity",
    "world_state": "context",
    "inter_agent_communication": "context: mail between agents",
    "inter_agent_communication_metadata": "context",
    "token_usage_record": "counted: usage of one response; the token_count beside it is a repeat",
    "security_risk_score": "context",
    "retained_context": "context",
    "realtime_item": "context",
    "response_item/message": "counted: text of a response; a prompt where no event tells it",
    "response_item/reasoning": "context",
    "response_item/function_call": "counted: tool call",
    "response_item/function_call_output": "counted: result of a call",
    "response_item/custom_tool_call": "counted: tool call; calls nested in code mode too",
    "response_item/custom_tool_call_output": "counted: result of a call",
    "response_item/local_shell_call": "counted: tool call",
    "response_item/web_search_call": "counted: tool call",
    "response_item/tool_search_call": "counted: tool call",
    "response_item/tool_search_output": "counted: result of a call",
    "response_item/image_generation_call": "counted: tool call",
    "response_item/agent_message": "context: mail between agents",
    "response_item/compaction": "context",
    "response_item/compaction_summary": "context",
    "response_item/context_compaction": "context",
    "response_item/ghost_snapshot": "context",
    "response_item/other": "context",
    "event_msg/user_message": "counted: prompt",
    "event_msg/agent_message": "context: the same text as a response_item",
    "event_msg/agent_reasoning": "context",
    "event_msg/agent_reasoning_raw_content": "context",
    "event_msg/agent_reasoning_section_break": "context",
    "event_msg/token_count": "counted: usage, as the difference to the total before",
    "event_msg/task_started": "context: turn",
    "event_msg/turn_started": "context: turn",
    "event_msg/task_complete": "counted: outcome, where it holds an error",
    "event_msg/turn_complete": "counted: outcome, where it holds an error",
    "event_msg/turn_aborted": "counted: outcome",
    "event_msg/error": "counted: outcome",
    "event_msg/warning": "context",
    "event_msg/stream_error": "context",
    "event_msg/thread_rolled_back": "context: its turns were paid for",
    "event_msg/context_compacted": "context",
    "event_msg/entered_review_mode": "context",
    "event_msg/exited_review_mode": "context",
    "event_msg/patch_apply_end": "counted: result of a call, or a call nested in code mode",
    "event_msg/mcp_tool_call_end": "counted: result of a call, or a call nested in code mode",
    "event_msg/web_search_end": "counted: result of a call, or a call nested in code mode",
    "event_msg/exec_command_end": "counted: result of a call, or a call nested in code mode",
    "event_msg/image_generation_end": "counted: result of a call",
    "event_msg/view_image_tool_call": "counted: result of a call, or a call nested in code mode",
    "event_msg/dynamic_tool_call_request": "context",
    "event_msg/dynamic_tool_call_response": "counted: result of a call",
    "event_msg/guardian_assessment": "context",
    "event_msg/collab_agent_spawn_end": "counted: link to a sub-agent",
    "event_msg/collab_agent_interaction_end": "context",
    "event_msg/collab_waiting_end": "context",
    "event_msg/collab_close_end": "context",
    "event_msg/collab_resume_end": "context",
    "event_msg/sub_agent_activity": "counted: link to a sub-agent",
    "event_msg/thread_settings_applied": "context: model, tier, folder",
    "event_msg/thread_goal_updated": "context",
    "event_msg/thread_name_updated": "context",
    "event_msg/undo_completed": "context",
    "event_msg/plan_update": "context",
    "event_msg/item_completed": "by its item",
    "event_msg/item_completed/UserMessage": "counted: prompt",
    "event_msg/item_completed/AgentMessage": "counted: text of a response",
    "event_msg/item_completed/Reasoning": "context",
    "event_msg/item_completed/Plan": "context",
    "event_msg/item_completed/HookPrompt": "context: injected",
    "event_msg/item_completed/CommandExecution": "counted: result of a call, or a nested call",
    "event_msg/item_completed/FileChange": "counted: result of a call, or a nested call",
    "event_msg/item_completed/McpToolCall": "counted: result of a call, or a nested call",
    "event_msg/item_completed/DynamicToolCall": "counted: result of a call, or a nested call",
    "event_msg/item_completed/CollabAgentToolCall": "counted: link to a sub-agent",
    "event_msg/item_completed/SubAgentActivity": "counted: link to a sub-agent",
    "event_msg/item_completed/WebSearch": "counted: result of a call, or a nested call",
    "event_msg/item_completed/Extension": "counted: result of a call, or a nested call",
    "event_msg/item_completed/ImageView": "counted: result of a call, or a nested call",
    "event_msg/item_completed/ImageGeneration": "counted: result of a call, or a nested call",
    "event_msg/item_completed/EnteredReviewMode": "context",
    "event_msg/item_completed/ExitedReviewMode": "context",
    "event_msg/item_completed/ContextCompaction": "context",
    "response_item/message/user_shell_command": "skipped: a person's own command",
    "event_msg/exec_command_end/user_shell": "skipped: a person's own command",
    "event_msg/item_completed/user_shell": "skipped: a person's own command",
    "event_msg/user_message/injected": "skipped: written by the program",
}
