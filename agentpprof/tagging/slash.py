"""Slash commands and skills: their names say what is wanted."""

import re
from typing import Final

from agentpprof.tagging.word_lists import common

_SLASH: Final = re.compile(r"\s*/([a-zA-Z][\w:.-]*)(?=\s|$)")
_COMMAND_NAME: Final = re.compile(r"<command-name>\s*/?([\w:.-]+)\s*</command-name>")
_COMMAND_ARGS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.S)
_WEIGHT: Final = 8.0  # more than the words beside it, unless they all say something else


def split_slash(text: str, slash_command: str) -> tuple[str, str]:
    """Return the name of the slash command of a prompt ('' if none) and the text beside it."""
    if slash_command:
        return slash_command.strip().lstrip("/").lower(), text
    named = _COMMAND_NAME.search(text[:2000]) if "<command-name>" in text[:2000] else None
    if named:
        arguments = _COMMAND_ARGS.search(text[:6000])
        return named[1].lower(), arguments[1] if arguments else ""
    typed = _SLASH.match(text[:200])
    if typed and "/" not in typed[1]:
        return typed[1].lower(), text[typed.end() :]
    return "", text


def slash_scores(command: str) -> dict[str, float]:
    """Score a slash command or skill by its name, else by the parts of its name."""
    if not command:
        return {}
    name = command.split(":")[-1]
    for words in ((name,), re.split(r"[:_.-]", command)):
        for tag, names in common()["slash"].items():
            if any(word in names for word in words):
                return {tag: _WEIGHT}
    return {}
