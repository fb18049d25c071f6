"""Which words of a user's message a person wrote (docs/formats.md, "Prompts of Codex")."""

import re

import msgspec
from msgspec import Raw

from agentpprof.agents.codex_records import PARTS_DECODER, STRING_DECODER, Part
from agentpprof.agents.facts import MAX_TEXT
from agentpprof.agents.lines import decode_loosely

_REQUEST_MARK = "## My request for Codex:"
_INJECTED = (
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<INSTRUCTIONS>",
    "<external_",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<hook_prompt",
    "<permissions instructions>",
    "<collaboration_mode>",
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via",
    "Warning: Your account was flagged",
)
_IMAGE_LABEL = re.compile(r"</?image(?: [^>]*)?>\s*\Z")
_INJECTED_KINDS = ("user_instructions", "environment_context")


def text_of(raw: Raw) -> str:
    """Return a JSON string, or an empty text where it is something else."""
    try:
        return STRING_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return ""


def parts_of(raw: Raw) -> list[str]:
    """Return the texts of `content`: a list of parts, in old and foreign files a string."""
    data = memoryview(raw)
    if not data or data[0] == ord('"'):
        text = text_of(raw)
        return [text] if text else []
    try:
        parts = PARTS_DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        found = decode_loosely(bytes(data), list[Part])  # a lone part comes back as it is
        parts = [found] if isinstance(found, Part) else found or []
    return [part.text for part in parts if part.text]


def typed_text(parts: list[str]) -> str:
    """Return what a person wrote of a message: injected parts and image labels left out."""
    own = [part for part in parts if not is_injected(part) and not _IMAGE_LABEL.match(part)]
    return without_wrapper("\n".join(own))


def is_injected(text: str) -> bool:
    """Say whether the program wrote this text in the user's name."""
    return text.lstrip().startswith(_INJECTED)


def is_injected_kind(kind: str | None) -> bool:
    """Say whether `user_message.kind` (2025) marks a text that the program wrote."""
    return kind in _INJECTED_KINDS


def without_wrapper(text: str) -> str:
    """Strip what an editor puts before the request, and cut what is too long to keep."""
    if text.lstrip().startswith("#"):  # the wrapper begins with a heading
        _, mark, request = text.partition(_REQUEST_MARK)
        text = request if mark else text
    return text.strip()[:MAX_TEXT]
