"""`event_msg` lines: prompts, turns, settings, and the ends of calls."""

from collections.abc import Callable

from agentpprof.agents import codex_calls as calls
from agentpprof.agents import codex_prompts as prompts
from agentpprof.agents.codex_open_calls import finish_call, natural_call, number_call
from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_records import RECORD_KINDS, Item, Payload, WholePayload
from agentpprof.agents.codex_steps import add_prompt, close_step, enter_step, enter_turn
from agentpprof.agents.codex_tokens import add_token_count, tier_name

_USER_SHELL = "user_shell"
_ABORT_OUTCOMES = {"budget_limited": "failed", "review_ended": ""}
_NO_ERROR = (b"", b"null", b"{}", b'""', b"false")
_NO_LIST = (b"", b"null", b"[]")


def add_user_message(reading: Reading, payload: Payload) -> None:
    """Add a prompt of legacy history."""
    text = prompts.text_of(payload.message)
    if prompts.is_injected(text) or prompts.is_injected_kind(payload.kind):
        reading.skip("event_msg/user_message/injected")
        return
    text = prompts.without_wrapper(text)
    if text or _has_images(reading.whole()):
        add_prompt(reading, text, is_event=True)


def _has_images(payload: WholePayload) -> bool:
    return any(
        bytes(memoryview(images)[:4]) not in _NO_LIST
        for images in (payload.images, payload.local_images)
    )


def add_turn_start(reading: Reading, payload: Payload) -> None:
    """Note a new turn."""
    enter_turn(reading, payload.turn_id, is_start=True)


def add_turn_end(reading: Reading, payload: Payload) -> None:
    """Note the end of a turn; an error there is its outcome."""
    if bytes(memoryview(payload.error)[:5]) not in _NO_ERROR:
        reading.add_outcome("failed")
    close_step(reading)


def add_turn_abort(reading: Reading, payload: Payload) -> None:
    """Note that a turn was stopped, mostly by a person."""
    outcome = _ABORT_OUTCOMES.get(reading.whole().reason or "", "interrupted")
    if outcome:
        reading.add_outcome(outcome)
    close_step(reading)


def add_error(reading: Reading, payload: Payload) -> None:
    """Note an error that ended a turn."""
    reading.add_outcome("failed")


def add_turn_context(reading: Reading, _: Payload) -> None:
    """Note the turn, model and folder in force; written once a turn or once a request."""
    payload = reading.whole()
    enter_turn(reading, payload.turn_id)
    _set_surroundings(reading, payload.model, payload.cwd)


def add_settings(reading: Reading, payload: Payload) -> None:
    """Note changed settings: the only place of the service tier."""
    settings = reading.whole().thread_settings
    if isinstance(settings, dict):
        _set_surroundings(reading, settings.get("model"), settings.get("cwd"))
        tier = settings.get("service_tier")
        reading.state.tier = tier_name(tier) if isinstance(tier, str) else ""


def _set_surroundings(reading: Reading, model: object, cwd: object) -> None:
    state = reading.state
    if isinstance(model, str) and model:
        state.model = model
    if isinstance(cwd, str) and cwd and cwd != state.cwd:
        state.cwd = cwd
        if not state.own_cwd:
            state.own_cwd = cwd
        reading.renew_where()


# Ends of calls ------------------------------------------------------------------------------


def add_call_end(reading: Reading, payload: Payload) -> None:
    """Add the end of a call: of one that was seen, or of one that only this event tells of."""
    whole = reading.whole()
    if whole.source == _USER_SHELL:
        reading.skip(f"event_msg/{whole.type}/user_shell")
        return
    result, exit_code = calls.result_of_status(
        whole.status, whole.exit_code, whole.success, whole.result
    )
    name, given = calls.call_of_event(whole)
    finish_call(
        reading,
        whole.call_id or number_call(reading),
        name,
        given,
        result=result,
        exit_code=exit_code,
    )


def add_spawn_end(reading: Reading, payload: Payload) -> None:
    """Link a child to the call that started it."""
    whole = reading.whole()
    if whole.new_thread_id and whole.call_id:
        reading.add_link(whole.new_thread_id, natural_call(reading, whole.call_id))


def add_agent_activity(reading: Reading, payload: Payload) -> None:
    """Link a child to the call that started it (version 2)."""
    whole = reading.whole()
    if whole.kind == "started" and whole.agent_thread_id and whole.event_id:
        reading.add_link(whole.agent_thread_id, natural_call(reading, whole.event_id))


# Items of paginated history -----------------------------------------------------------------


def add_item(reading: Reading, payload: Payload) -> None:
    """Add what a finished item of a turn says (July 2026 and later)."""
    whole = reading.whole()
    item = whole.item
    if item is None or not item.type:
        reading.skip("event_msg/item_completed/(no item)", is_unknown=True)
        return
    enter_turn(reading, whole.turn_id)
    if add_kind := ITEMS.get(item.type):
        add_kind(reading, item)
    elif (kind := f"event_msg/item_completed/{item.type}") not in RECORD_KINDS:
        reading.skip(kind, is_unknown=True)


def _add_user_item(reading: Reading, item: Item) -> None:
    reading.state.is_paginated = True
    parts = prompts.parts_of(item.content)
    text = prompts.typed_text(parts)
    if text or not parts:  # a prompt may be an image alone
        add_prompt(reading, text, is_event=False)


def _add_agent_item(reading: Reading, item: Item) -> None:
    reading.state.is_paginated = True
    result = "unknown" if item.phase == "commentary" else "final"
    enter_step(reading, result, "\n".join(prompts.parts_of(item.content)))


def _add_call_item(reading: Reading, item: Item) -> None:
    if item.source == _USER_SHELL:
        reading.skip("event_msg/item_completed/user_shell")
        return
    name, given = calls.call_of_item(item)
    result, exit_code = calls.result_of_status(item.status, item.exit_code)
    finish_call(
        reading,
        item.id or number_call(reading),
        name,
        given,
        result=result,
        exit_code=exit_code,
        started_ms=_start_of_item(reading),
    )


def _start_of_item(reading: Reading) -> int | None:
    """Return when the finished item here began, None unless that lies before its end."""
    started, ended = reading.whole().started_at_ms, reading.at_ms
    is_time = type(started) is int and ended is not None and 0 < started <= ended
    return started if is_time else None


def _add_collab_item(reading: Reading, item: Item) -> None:
    threads = item.receiver_thread_ids
    if item.tool in ("spawn_agent", "spawnAgent", "spawn") and isinstance(threads, list):
        for thread in threads:
            if isinstance(thread, str) and thread and item.id:
                reading.add_link(thread, natural_call(reading, item.id))


def _add_activity_item(reading: Reading, item: Item) -> None:
    if item.kind == "started" and item.agent_thread_id and item.id:
        reading.add_link(item.agent_thread_id, natural_call(reading, item.id))


ITEMS: dict[str, Callable[[Reading, Item], None]] = {
    "UserMessage": _add_user_item,
    "AgentMessage": _add_agent_item,
    "CommandExecution": _add_call_item,
    "FileChange": _add_call_item,
    "McpToolCall": _add_call_item,
    "DynamicToolCall": _add_call_item,
    "WebSearch": _add_call_item,
    "Extension": _add_call_item,
    "ImageView": _add_call_item,
    "ImageGeneration": _add_call_item,
    "CollabAgentToolCall": _add_collab_item,
    "SubAgentActivity": _add_activity_item,
}

EVENTS: dict[str, Callable[[Reading, Payload], None]] = {
    "user_message": add_user_message,
    "token_count": add_token_count,
    "task_started": add_turn_start,
    "turn_started": add_turn_start,
    "task_complete": add_turn_end,
    "turn_complete": add_turn_end,
    "turn_aborted": add_turn_abort,
    "error": add_error,
    "thread_settings_applied": add_settings,
    "patch_apply_end": add_call_end,
    "mcp_tool_call_end": add_call_end,
    "web_search_end": add_call_end,
    "exec_command_end": add_call_end,
    "image_generation_end": add_call_end,
    "view_image_tool_call": add_call_end,
    "dynamic_tool_call_response": add_call_end,
    "collab_agent_spawn_end": add_spawn_end,
    "sub_agent_activity": add_agent_activity,
    "item_completed": add_item,
}
