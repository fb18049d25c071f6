"""Tool calls of all agents: what a call means, from its name and input alone.

Tools and their inputs: docs/formats.md. Inputs come from foreign logs and may be anything.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from agentpprof.semantics.calls import (
    MAX_COMMAND,
    Input,
    describe_patch,
    describe_shell,
    first_text,
)
from agentpprof.semantics.hosts import host_of
from agentpprof.semantics.mcp import describe_mcp
from agentpprof.semantics.meaning import Meaning
from agentpprof.semantics.paths import normal_path
from agentpprof.semantics.programs import program_table

_PATH_KEYS: Final = ("file_path", "path", "notebook_path", "filePath", "dir_path")
_EMPTY: Final[Input] = {}
_GLOB: Final = re.compile(r"[*?\[{]")
_Describe = Callable[[str, Input, str], Meaning]


def describe_call(name: str, tool_input: object, cwd: str) -> Meaning:
    """Return what a call of the tool `name` means; `cwd` resolves relative paths.

    Never raises, whatever `tool_input` is. `object` is never empty: the path of a file tool; the
    domain of a fetch; the agent type, skill or server that is called; for a shell call the rule of
    `semantics.calls.describe_shell`; else the tool's name. A tool we don't know is `run`.
    """
    describe = _rule_of(name)
    if type(tool_input) is dict:
        return describe(name, tool_input, cwd)
    return describe(name, _as_input(tool_input), cwd)


def _as_input(tool_input: object) -> Input:
    """Return an input of another type as a mapping; a bare text or list is the command or patch."""
    if isinstance(tool_input, dict):
        return tool_input
    if isinstance(tool_input, (str, list)) and tool_input:
        return {"command": tool_input, "input": tool_input}
    return _EMPTY


def _file_tool(action: str, access: str, category: str, effect: str) -> _Describe:
    """Return the description of a tool that works on one file, named by one of `_PATH_KEYS`."""

    def describe(name: str, tool_input: Input, cwd: str) -> Meaning:
        spelled = tool_input.get("file_path")
        if type(spelled) is not str or not spelled:
            spelled = first_text(tool_input, _PATH_KEYS)
            if not spelled:
                return Meaning(action, "tool", name or "unknown", category, effect=effect)
        path = normal_path(spelled, cwd)
        return Meaning(
            action, "path", path, category, "", effect, "", ((path, access),), (), spelled
        )

    return describe


def _search_tool(action: str) -> _Describe:
    """Return the description of a tool that looks through a folder (the cwd if none is given).

    A pattern of paths that is listed begins with the folder it looks into.
    """

    def describe(name: str, tool_input: Input, cwd: str) -> Meaning:
        spelled = first_text(tool_input, _PATH_KEYS)
        pattern = first_text(tool_input, ("pattern", "query"))
        command = f"search {pattern}"[:MAX_COMMAND] if pattern else spelled
        path = normal_path(spelled or cwd, cwd)
        if action == "list" and "/" in pattern:
            path = normal_path(_folder_of(pattern), path) or path
        if not path:
            return Meaning(action, "tool", name, "read", effect="read", command=command)
        paths = ((path, "read"),)
        return Meaning(action, "path", path, "read", "", "read", "", paths, (), command)

    return describe


def _folder_of(pattern: str) -> str:
    """Return the folders that a pattern of paths names before its first sign (`src/**/*.py`)."""
    match = _GLOB.search(pattern)
    if match is None:
        return pattern
    head, slash, _ = pattern[: match.start()].rpartition("/")
    return head or slash


def _plain_tool(action: str, category: str, effect: str) -> _Describe:
    """Return the description of a tool whose input says nothing of interest."""

    def describe(name: str, tool_input: Input, cwd: str) -> Meaning:
        return Meaning(action, "tool", name or "unknown", category, effect=effect)

    return describe


def _describe_web(action: str) -> _Describe:
    """Return the description of a tool that asks the web; its object is the domain, if any."""

    def describe(name: str, tool_input: Input, cwd: str) -> Meaning:
        url = first_text(tool_input, ("url", "uri"))
        command = url or first_text(tool_input, ("query", "search_query"))
        host = host_of(url) or (host_of("https://" + url) if "." in url else "")
        kind, thing = ("domain", host) if host else ("tool", name)
        hosts = ((host, "read"),) if host else ()
        return Meaning(
            action,
            kind,
            thing,
            "network",
            "",
            "network",
            hosts=hosts,
            command=command[:MAX_COMMAND],
        )

    return describe


def _describe_agent(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe the start of a sub-agent; its object is the agent's type."""
    kind = first_text(tool_input, ("subagent_type", "agent_type")) or "general-purpose"
    kind = kind.strip()[:200] or "general-purpose"
    return Meaning("delegate", "agent", kind, "subagent", agent_type=kind)


def _describe_skill(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe the start of a skill or slash command; its object is the skill's name."""
    text = first_text(tool_input, ("skill", "command", "name")).strip()
    skill = text.split(maxsplit=1)[0].lstrip("/")[:200] if text else ""
    if not skill:
        return Meaning("run", "tool", name, "tool")
    return Meaning("run", "skill", skill, "tool", command=text[:MAX_COMMAND], skill=skill)


def _describe_resource(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe a look at the resources of an MCP server."""
    server = first_text(tool_input, ("server",))
    action = "read" if "read" in name.lower() else "list"
    kind, thing = ("server", server) if server else ("tool", name)
    return Meaning(action, kind, thing, "tool", effect="read")


def _describe_input(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe what goes to a running shell: nothing is a look at its output."""
    chars = first_text(tool_input, ("chars", "input", "text"))
    return Meaning("run" if chars.strip() else "wait", "tool", name, "shell")


def _describe_other(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe a tool we don't know."""
    return Meaning("run", "tool", name or "unknown", "tool")


_FILE_SEARCH: Final = _file_tool("search", "read", "read", "read")
_RULES: Final[dict[str, _Describe]] = {
    "read": _file_tool("read", "read", "read", "read"),
    "edit": _file_tool("edit", "write", "edit", "write"),
    "create": _file_tool("create", "create", "edit", "write"),
    "delete": _file_tool("delete", "delete", "edit", "write"),
    "search": _search_tool("search"),
    "list": _search_tool("list"),
    "shell": describe_shell,
    "patch": describe_patch,
    "code": _plain_tool("run", "shell", "process"),  # its nested calls are calls of their own
    "fetch": _describe_web("fetch"),
    "websearch": _describe_web("websearch"),
    "agent": _describe_agent,
    "tell_agent": _plain_tool("delegate", "subagent", "process"),
    "wait_agent": _plain_tool("wait", "subagent", "process"),
    "wait": _plain_tool("wait", "tool", "process"),
    "plan": _plain_tool("plan", "plan", "process"),
    "ask": _plain_tool("ask", "tool", "process"),
    "skill": _describe_skill,
    "find_tool": _plain_tool("search", "tool", "read"),
    "look": _plain_tool("list", "tool", "read"),
    "resource": _describe_resource,
    "lsp": _FILE_SEARCH,
    "lint": _plain_tool("lint", "read", "test"),
    "stdin": _describe_input,
    "branch": _plain_tool("branch", "tool", "repo"),
}


@lru_cache(maxsize=4096)
def _rule_of(name: str) -> _Describe:
    """Return the rule for a tool; agents may write its name in small letters."""
    if name[:5] == "mcp__":
        return describe_mcp
    rule = tool_rule(name)
    return _RULES[rule] if rule else _describe_other


def tool_rule(name: str) -> str:
    """Return the name of the rule for a tool (`[tools]` in programs.toml), '' if it has none."""
    tools = program_table().tools
    return tools.get(name) or {known.lower(): rule for known, rule in tools.items()}.get(
        name.lower(), ""
    )


def known_tools() -> tuple[str, ...]:
    """Return the names of all tools that have a rule, as agents spell them."""
    return tuple(program_table().tools)
