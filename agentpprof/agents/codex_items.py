"""`response_item` lines, and the bare items of 2025: messages, tool calls, their outputs."""

from collections.abc import Callable

import msgspec

from agentpprof.agents import codex_calls as calls
from agentpprof.agents import codex_prompts as prompts
from agentpprof.agents.codex_code_mode import nested_calls
from agentpprof.agents.codex_open_calls import (
    add_call,
    add_result,
    close_call,
    drop_sessions,
    join_call,
    keep_session,
    number_call,
)
from agentpprof.agents.codex_outputs import agent_of, read_output
from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_records import Payload, WholePayload
from agentpprof.agents.codex_steps import add_message_prompt, enter_step
from agentpprof.agents.facts import CallFact, ResultFact

_CODE_MODE = frozenset({"exec", "js_repl"})
_FOLLOW_UPS = {"write_stdin": "session_id", "wait": "cell_id"}
_HEAD = 80  # bytes of a message in which a mark at its beginning stands
_COMMENTARY = "commentary"


def add_message(reading: Reading, payload: Payload) -> None:
    """Add the model's text, or a prompt where nothing else tells of it."""
    role = payload.role
    if role == "user":
        _add_user_message(reading, payload)
    elif role == "assistant":
        result = "unknown" if payload.phase == _COMMENTARY else "final"
        # In paginated history the text comes as an item; here it would be there twice.
        parts = [] if reading.state.is_paginated else prompts.parts_of(payload.content)
        enter_step(reading, result, "\n".join(parts))


def _add_user_message(reading: Reading, payload: Payload) -> None:
    """Add a user's message: a prompt where no event tells it, or a command of the person's own."""
    if b"<user_shell_command>" in bytes(memoryview(payload.content)[:_HEAD]):
        reading.skip("response_item/message/user_shell_command")
    elif not reading.state.has_prompt_events:
        text = prompts.typed_text(prompts.parts_of(payload.content))
        if text:
            add_message_prompt(reading, text)


def add_function_call(reading: Reading, payload: Payload) -> None:
    """Add a call with arguments, or join it with the call whose process it goes on with."""
    name = payload.name or "unknown"
    if payload.namespace:
        name = calls.tool_name(name, payload.namespace)
    given = calls.input_of(payload.arguments)
    call_id = payload.call_id or payload.id or number_call(reading)
    step = enter_step(reading, "tool-use")
    if name in _FOLLOW_UPS and join_call(reading, call_id, _session_of(name, given), step):
        return
    add_call(
        reading,
        call_id,
        name,
        given,
        signature=calls.signed_signature_of(payload.arguments),
        step=step,
    )


def _session_of(name: str, given: dict[str, object]) -> str:
    """Return what a call goes on with: a process, or a cell of code mode."""
    key = _FOLLOW_UPS[name]
    value = given.get(key)
    if value is None or isinstance(value, dict | list):
        return ""
    return f"cell:{value}" if key == "cell_id" else str(value)


def add_custom_call(reading: Reading, payload: Payload) -> None:
    """Add a freeform call; the calls inside a script of code mode are calls of their own."""
    name = calls.tool_name(payload.name, payload.namespace)
    given = calls.free_input_of(payload.input)
    call_id = payload.call_id or payload.id or number_call(reading)
    step = enter_step(reading, "tool-use")
    add_call(
        reading, call_id, name, given, signature=calls.signed_signature_of(payload.input), step=step
    )
    if name in _CODE_MODE and not reading.state.is_paginated:
        _add_nested(reading, call_id, str(given.get("input", "")), step)


def _add_nested(reading: Reading, outer: str, script: str, step: str) -> None:
    """Add the calls of a script: in legacy history they leave no line of their own."""
    names = reading.state.open_calls[outer]
    for number, call in enumerate(nested_calls(script), 1):
        signature = calls.signed_signature_of(call.argument.encode("utf-8", "replace"))
        reading.facts.append(
            CallFact(
                reading.where,
                reading.offset,
                reading.at_ms,
                f"{reading.owner}/{outer}/{number}",
                call.name,
                call.input,
                signature,
                step,
            )
        )
        names.append(call.name)


def add_output(reading: Reading, payload: Payload) -> None:
    """Add the result of a call."""
    if not payload.call_id:
        reading.skip(f"response_item/{payload.type}/no call_id")
        return
    state = reading.state
    call_id = payload.call_id
    result, size, exit_code, session = read_output(payload.output)
    natural_id = state.joined.get(call_id) or f"{state.owner or state.thread}/{call_id}"
    names = close_call(reading, call_id)
    reading.facts.append(
        ResultFact(
            reading.where, reading.offset, reading.at_ms, natural_id, result, size, exit_code
        )
    )
    state.step_ended = True
    if session:
        keep_session(reading, session, natural_id)
    elif state.sessions and result != "unknown":
        drop_sessions(reading, natural_id)
    if len(names) > 1:
        _end_nested(reading, natural_id, names, "ok" if result == "ok" else "unknown")
    elif names and names[0] == "spawn_agent":
        reading.add_link(agent_of(payload.output), natural_id)


def _end_nested(reading: Reading, outer: str, names: list[str], result: str) -> None:
    """End the calls of a script with it; how each of them went is not told."""
    for number, name in enumerate(names[1:], 1):
        if name:
            add_result(reading, f"{outer}/{number}", result)


def add_local_shell(reading: Reading, payload: Payload) -> None:
    """Add a command that the model ran through the API's own shell tool."""
    whole = _whole(reading, payload)
    action = whole.action if isinstance(whole.action, dict) else {}
    cwd = action.get("working_directory")
    given = calls.shell_input(action.get("command"), cwd if isinstance(cwd, str) else None)
    _add_typed(reading, payload, "local_shell", given)


def add_tool_search(reading: Reading, payload: Payload) -> None:
    """Add a search for tools."""
    _add_typed(reading, payload, "tool_search", calls.input_of(payload.arguments))


def add_web_search(reading: Reading, payload: Payload) -> None:
    """Add a web search: it has no output, and mostly no id, so its number in the thread is one."""
    whole = _whole(reading, payload)
    _add_finished(reading, payload, calls.search_input(whole.query, whole.action))


def add_image_generation(reading: Reading, payload: Payload) -> None:
    """Add an image that the model made; its result stands in the same line."""
    _add_finished(reading, payload, {})


def _add_finished(reading: Reading, payload: Payload, given: dict[str, object]) -> None:
    """Add a call whose line tells of its end too."""
    call_id = _add_typed(reading, payload, payload.type, given)
    close_call(reading, call_id)
    add_result(reading, f"{reading.owner}/{call_id}", "ok")


def _add_typed(reading: Reading, payload: Payload, name: str, given: dict[str, object]) -> str:
    """Add a call that the log names by its type alone; return its id."""
    call_id = payload.call_id or payload.id or number_call(reading)
    step = enter_step(reading, "tool-use")
    signature = calls.signed_signature_of(msgspec.json.encode(given, order="sorted"))
    add_call(reading, call_id, name, given, signature=signature, step=step)
    return call_id


def _whole(reading: Reading, payload: Payload) -> WholePayload:
    return payload if isinstance(payload, WholePayload) else reading.whole()


ITEMS: dict[str, Callable[[Reading, Payload], None]] = {
    "message": add_message,
    "function_call": add_function_call,
    "function_call_output": add_output,
    "custom_tool_call": add_custom_call,
    "custom_tool_call_output": add_output,
    "local_shell_call": add_local_shell,
    "web_search_call": add_web_search,
    "tool_search_call": add_tool_search,
    "tool_search_output": add_output,
    "image_generation_call": add_image_generation,
}
