"""Tools of MCP servers: `mcp__server__tool`, whose verb says what it does."""

from functools import lru_cache

from agentpprof.semantics.calls import Input, first_text
from agentpprof.semantics.hosts import host_of
from agentpprof.semantics.meaning import Meaning
from agentpprof.semantics.names import HUMPS
from agentpprof.semantics.programs import program_table

_EFFECTS = {"read": "read", "list": "read", "search": "read", "edit": "write", "delete": "write"}


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, str]:
    """Return (server, tool) of `mcp__server__tool`, split at the first and the last `__`.

    A server that a plugin brings (`mcp__plugin_<plugin>_<server>__tool`) is named by both; the
    tool may be missing.
    """
    rest = name.removeprefix("mcp__")
    server, sign, tool = rest.rpartition("__")
    if not sign:
        server, tool = rest, ""
    return server.removeprefix("plugin_").strip("_") or "mcp", tool


@lru_cache(maxsize=4096)
def action_of(tool: str) -> str:
    """Return the action that the first verb in a tool's name means, `run` if there is none."""
    verbs = program_table().verbs
    for word in HUMPS.findall(tool[:200]):
        action = verbs.get(word.lower())
        if action:
            return action
    return "run"


def describe_mcp(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe a call of an MCP server, which is its object.

    An input `url` names a host; a call that says nothing else of itself fetches it.
    """
    server, tool = split_name(name)
    action = action_of(tool)
    url = first_text(tool_input, ("url", "uri"))
    host = host_of(url) if url else ""
    if host:
        action = "fetch" if action == "run" else action
        hosts = ((host, "read"),)
        return Meaning(action, "server", server, "network", effect="network", hosts=hosts)
    return Meaning(action, "server", server, effect=_EFFECTS.get(action, "process"))
