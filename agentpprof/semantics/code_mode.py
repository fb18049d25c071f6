"""Codex's code mode: a JavaScript text that calls tools; it is read, never run."""

import json
import re

from agentpprof.models import Meaning
from agentpprof.semantics.calls import Input, describe_patch, describe_shell, first_text
from agentpprof.semantics.mcp import describe_mcp
from agentpprof.semantics.patches import PATCH_START
from agentpprof.semantics.programs import program_table

_CALL = re.compile(r"tools\.([A-Za-z_]\w*)\s*\(")
_COMMAND = re.compile(
    r"""\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
)
_MAX_SCANNED = 65536
_MAX_COMMANDS = 50


def describe_code(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe a script of code mode: all its shell commands as one, else its patch, else its tool.

    Commands that the script puts together while it runs can't be told.
    """
    code = first_text(tool_input, ("input", "code", "command"))[:_MAX_SCANNED]
    commands = [_text(literal) for literal in _COMMAND.findall(code)[:_MAX_COMMANDS]]
    if commands:
        return describe_shell(name, {"command": "\n".join(commands)}, cwd)
    if PATCH_START in code:
        return describe_patch(name, {"input": code.replace("\\n", "\n")}, cwd)
    called = _CALL.findall(code)
    for tool in called:
        if tool.startswith("mcp__"):
            return describe_mcp(tool, {}, cwd)
        if program_table().tools.get(tool) == "websearch":
            return Meaning("websearch", "tool", tool, "network", effect="network")
    return Meaning("run", "tool", called[0] if called else name, "shell")


def _text(literal: str) -> str:
    """Return the text of a JavaScript literal."""
    body = literal[1:-1]
    if "\\" not in body:
        return body
    try:
        text: str = json.loads('"' + body.replace("\\'", "'").replace("\\`", "`") + '"')
    except ValueError:  # an escape that JSON does not know: the text as it stands is near enough
        return body
    return text
