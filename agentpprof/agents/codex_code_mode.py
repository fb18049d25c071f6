"""Calls nested in code mode: a script that calls `tools.NAME(...)` is read, never run.

Only literals are understood: an object or text as the argument, or a name that a literal was
assigned to before. What is computed gives a call without that field.
"""

import json
import re
from typing import Any, NamedTuple

import msgspec

MAX_NESTED = 32
_MAX_SCRIPT = 65_536
_MAX_ARGUMENT = 16_384
_CALL = re.compile(r"\btools\s*\.\s*([A-Za-z_$][\w$]{0,127})\s*\(")
_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_TEXT = re.compile(_LITERAL, re.S)
_KEY = re.compile(r"[{,]\s*([A-Za-z_$][\w$]{0,127}|\"[^\"\\\n]{0,128}\")\s*:\s*")
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?\b|true\b|false\b", re.A)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}


class NestedCall(NamedTuple):
    """One `tools.NAME(...)` of a script, with what its argument says."""

    name: str
    input: dict[str, Any]
    argument: str


def nested_calls(script: str) -> list[NestedCall]:
    """Return the calls of a script in the order they stand in it."""
    script = script[:_MAX_SCRIPT]
    found = []
    for match in _CALL.finditer(script):
        argument = _argument(script, match.end())
        found.append(NestedCall(match.group(1), _input(match.group(1), argument, script), argument))
        if len(found) == MAX_NESTED:
            break
    return found


def _argument(script: str, at: int) -> str:
    """Return the text from `at` to the parenthesis that closes the call."""
    begin, depth = at, 1
    end = min(len(script), at + _MAX_ARGUMENT)
    while at < end:
        sign = script[at]
        if sign in "\"'`":
            text = _TEXT.match(script, at)
            at = text.end() if text else at + 1
            continue
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return script[begin:at].strip()
        at += 1
    return script[begin:end].strip()


def _input(tool: str, argument: str, script: str) -> dict[str, Any]:
    if _NAME.fullmatch(argument):
        argument = _assigned(argument, script)
    if argument.startswith("{"):
        try:
            value = msgspec.json.decode(argument)
        except (msgspec.MsgspecError, ValueError, RecursionError):  # also half a character
            return _fields(argument)
        return value if isinstance(value, dict) else {}
    text = _TEXT.match(argument)
    if text is None:
        return {}
    return {"cmd" if tool == "exec_command" else "input": _unquoted(text.group())}


def _fields(argument: str) -> dict[str, Any]:
    """Read the plain fields of a JavaScript object; the first of a name counts."""
    found: dict[str, Any] = {}
    at = 0
    while key := _KEY.search(argument, at):
        at = key.end()
        if argument[at : at + 1] in ("'", '"', "`"):
            text = _TEXT.match(argument, at)
            if text is None:
                break  # a text without an end: what follows can't be told apart from it
            value: Any = _unquoted(text.group())
            at = text.end()
        elif plain := _PLAIN.match(argument, at):
            value = json.loads(plain.group())
            at = plain.end()
        else:
            continue
        found.setdefault(key.group(1).strip('"'), value)
    return found


def _assigned(name: str, script: str) -> str:
    """Return the literal that was assigned to a name, or an empty text."""
    found = re.search(rf"\b(?:const|let|var)\s+{re.escape(name)}\s*=\s*", script)
    if found is None:
        return ""
    if script[found.end() : found.end() + 1] == "{":
        return "{" + _argument(script, found.end() + 1) + "}"
    text = _TEXT.match(script, found.end())
    return text.group() if text else ""


def _unquoted(literal: str) -> str:
    def plain(match: "re.Match[str]") -> str:
        escape = match.group(1)
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        return _ESCAPED.get(escape, escape)

    text = _ESCAPE.sub(plain, literal[1:-1])
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # join halves
