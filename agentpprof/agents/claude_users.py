"""Who wrote a `user` record, as pure functions of its text.

The order of the questions: docs/formats.md, "Who wrote a `user` record".
"""

import re

from agentpprof.agents.claude_records import Block, Message

INTERRUPTED = "[Request interrupted by user"
# Texts that the program or an agent put there, asked for after the record's own marks.
_INJECTED_PREFIXES = (
    "<task-notification>",
    "<local-command-caveat>",
    "Caveat: The messages below",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<teammate-message",
    "Stop hook feedback:",
)
_IDE_BLOCKS = re.compile(r"<(ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>\s*", re.DOTALL)
_LEADING_REMINDERS = re.compile(r"(?:\s*<system-reminder>.*?</system-reminder>)+\s*", re.DOTALL)
_COMMAND_NAME = re.compile(r"<command-name>\s*/?([^<]*)</command-name>")
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_COMMAND_PREFIXES = ("<command-name>", "<command-message>", "<command-args>")


def text_of(content: str | list[Block] | None) -> str:
    """Return the text of a message: the string, or its text blocks joined by newlines."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.type == "text" and block.text)


def has_picture(content: str | list[Block] | None) -> bool:
    """Say whether the message holds an image or a document, which alone is a prompt as well."""
    return isinstance(content, list) and any(
        block.type in ("image", "document") for block in content
    )


def without_injections(text: str) -> str:
    """Strip what an editor or the program put round a person's words."""
    if "<ide_" in text:
        text = _IDE_BLOCKS.sub("", text)
    if text.lstrip().startswith("<system-reminder>"):
        text = _LEADING_REMINDERS.sub("", text, count=1)
    return text.strip()


def author_of(message: Message) -> str:
    """Classify a user record that holds no tool result and is neither meta nor a summary.

    Returns `interrupt`, `injected`, `shell_command` (a `!` command), `command` (a slash command,
    a prompt only if the agent answers it), `person` or `empty`.
    """
    text = text_of(message.content).lstrip()
    if text.startswith(INTERRUPTED):
        return "interrupt"
    if text.startswith("<bash-input>"):
        return "shell_command"
    if text.startswith(_COMMAND_PREFIXES) and _COMMAND_NAME.search(text):
        return "command"
    stripped = without_injections(text)
    if stripped.startswith(_INJECTED_PREFIXES) or (not stripped and text):
        return "injected"
    return "person" if stripped or has_picture(message.content) else "empty"


def slash_command(text: str) -> tuple[str, str]:
    """Return (name without the slash, text as the person typed it) of a command's record."""
    name = _COMMAND_NAME.search(text)
    arguments = _COMMAND_ARGUMENTS.search(text)
    command = name.group(1).strip() if name else ""
    typed = f"/{command} {arguments.group(1).strip() if arguments else ''}"
    return command, typed.strip()
