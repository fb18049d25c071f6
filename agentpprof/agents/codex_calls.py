"""Tool calls of Codex: their names and inputs, whatever shape the log gives them."""

import re
from functools import partial
from typing import Any

import msgspec
from msgspec import Raw

from agentpprof.agents import facts
from agentpprof.agents.codex_records import (
    ANY_DECODER,
    CHANGES_DECODER,
    OBJECT_DECODER,
    STRING_DECODER,
    Item,
    WholePayload,
)
from agentpprof.agents.facts import MAX_TEXT

signed_signature_of = partial(facts.signature_of, is_signed=True)
_NO_RAW = Raw(b"")
_PATCH_HEADERS = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): .*", re.M)
# Tools of the program itself; with a namespace they are no server's.
_OWN_TOOLS = frozenset(
    (
        "spawn_agent",
        "send_input",
        "send_message",
        "wait",
        "wait_agent",
        "resume_agent",
        "close_agent",
        "followup_task",
        "list_agents",
        "interrupt_agent",
        "exec_command",
        "write_stdin",
        "shell_command",
        "apply_patch",
        "update_plan",
        "view_image",
        "request_user_input",
        "tool_search",
    )
)
# What a run command, a patch or a tool of a server says of its end -> our result.
_STATUS_RESULTS = {
    "completed": "ok",
    "success": "ok",
    "failed": "error",
    "error": "error",
    "declined": "rejected",
    "rejected": "rejected",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
}


def tool_name(name: str | None, namespace: str | None) -> str:
    """Return a tool's name; a server's tool as `mcp__server__tool`, as its calls are named too."""
    name = name or "unknown"
    if not namespace or name in _OWN_TOOLS or name.startswith("mcp__"):
        return name
    server = namespace.removeprefix("mcp__").strip("_")
    return f"mcp__{server}__{name}" if server else name


def input_of(raw: Raw) -> dict[str, Any]:
    """Return the input of a call: `arguments` is a string that holds JSON, maybe broken.

    Foreign files have an object in its place; what is no object is kept under `arguments`.
    """
    data = memoryview(raw)
    if not data:
        return {}
    try:
        if data[0] != ord('"'):
            return _as_input(ANY_DECODER.decode(raw), "arguments")
        text = STRING_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    try:
        found = OBJECT_DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return {"arguments": cut(text)} if text else {}
    return _bounded(found) if len(text) > MAX_TEXT else found


def free_input_of(raw: Raw) -> dict[str, Any]:
    """Return the input of a freeform call: plain text, or an object in a string."""
    data = memoryview(raw)
    if not data:
        return {}
    try:
        text = STRING_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return input_of(raw)
    if text.lstrip().startswith("{"):
        try:
            return _bounded(OBJECT_DECODER.decode(text))
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
            pass  # code may begin with a brace too
    return {"input": cut(text)}


def cut(text: str) -> str:
    """Bound a text; a patch keeps its headers, as they name the files."""
    if len(text) <= MAX_TEXT:
        return text
    headers = "\n".join(_PATCH_HEADERS.findall(text, MAX_TEXT))
    return f"{text[:MAX_TEXT]}\n{headers[:MAX_TEXT]}" if headers else text[:MAX_TEXT]


def _as_input(value: Any, name: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return _bounded(value)
    return {} if value is None else {name: value}


def _bounded(values: dict[str, Any]) -> dict[str, Any]:
    return {key: cut(value) if isinstance(value, str) else value for key, value in values.items()}


def shell_input(command: Any, cwd: str | None, parsed: Any = None) -> dict[str, Any]:
    """Return the input of a command that was run, as `exec_command` and `shell` have it."""
    found: dict[str, Any] = {"command": command}
    if cwd:
        found["workdir"] = cwd
    if isinstance(parsed, list) and parsed:
        found["parsed_cmd"] = parsed
    return found


def patch_input(raw: Raw) -> dict[str, Any]:
    """Return the files of a patch from `changes`, as the headers that `apply_patch` takes."""
    try:
        changes = CHANGES_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    lines = []
    for path, change in changes.items():
        word = {"add": "Add", "delete": "Delete"}.get(change.type, "Update")
        lines.append(f"*** {word} File: {path}")
        if change.move_path:
            lines.append(f"*** Move to: {change.move_path}")
    return {"input": "\n".join(("*** Begin Patch", *lines, "*** End Patch"))}


def call_of_item(item: Item) -> tuple[str, dict[str, Any]]:
    """Return name and input of the call that a finished item tells of."""
    if item.type == "CommandExecution":
        return "exec_command", shell_input(item.command, item.cwd, item.parsed_cmd)
    if item.type == "FileChange":
        return "apply_patch", patch_input(item.changes)
    if item.type == "McpToolCall":
        return _server_tool(item.server, item.tool), input_of(item.arguments)
    if item.type == "ImageView":
        return "view_image", {"path": item.path or ""}
    if item.type == "WebSearch" or item.kind == "web.search":
        return "web_search_call", search_input(item.query, item.action)
    if item.type == "ImageGeneration" or item.kind == "image_gen.generation":
        return "image_generation_call", {}
    if item.type == "Extension":
        return (item.kind or "extension").rpartition(".")[2], {}
    return tool_name(item.tool, item.namespace), input_of(item.arguments)


def call_of_event(payload: WholePayload) -> tuple[str, dict[str, Any]]:
    """Return name and input of the call that an `*_end` event tells of."""
    if payload.type == "patch_apply_end":
        return "apply_patch", patch_input(payload.changes)
    if payload.type == "mcp_tool_call_end":
        asked = payload.invocation if isinstance(payload.invocation, dict) else {}
        name = _server_tool(asked.get("server"), asked.get("tool"))
        return name, _as_input(asked.get("arguments"), "arguments")
    if payload.type == "web_search_end":
        return "web_search_call", search_input(payload.query, payload.action)
    if payload.type == "exec_command_end":
        return "exec_command", shell_input(payload.command, payload.cwd, payload.parsed_cmd)
    if payload.type == "view_image_tool_call":
        return "view_image", {"path": payload.path or ""}
    if payload.type == "image_generation_end":
        return "image_generation_call", {}
    return tool_name(payload.tool, payload.namespace), input_of(payload.arguments)


def _server_tool(server: Any, tool: Any) -> str:
    return f"mcp__{server or 'unknown'}__{tool or 'unknown'}"


def search_input(query: str | None, action: Any) -> dict[str, Any]:
    """Return the input of a web search; all its parts may be missing."""
    found = dict(action) if isinstance(action, dict) else {}
    if query and not found.get("query"):
        found["query"] = query
    return found


def result_of_status(
    status: str | None, exit_code: Any = None, success: Any = None, result: Raw = _NO_RAW
) -> tuple[str, int | None]:
    """Return (result, exit code) of an item or event that ends a call."""
    if type(exit_code) is int:
        is_declined = _STATUS_RESULTS.get(status or "") == "rejected"
        return "rejected" if is_declined else "error" if exit_code else "ok", exit_code
    if success is False:
        return "error", None
    head = bytes(memoryview(result)[:400]).replace(b" ", b"")
    if head.startswith(b'{"Err"') or b'"isError":true' in head:
        return "error", None
    return _STATUS_RESULTS.get(status or "completed", "unknown"), None
