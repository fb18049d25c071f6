"""`agentpprof explain`: the fields we derive from a call, path, URL or prompt, and why."""

import json
import sys
from collections.abc import Callable, Iterator

import click

from agentpprof import explain
from agentpprof.commands.options import debug_option
from agentpprof.commands.sections import OTHER, OnceCommand, option
from agentpprof.errors import UsageError
from agentpprof.explain import Explanation
from agentpprof.text.explain_text import explanation_lines
from agentpprof.text.telling import say

_GIVEN = "What to explain (else lines on stdin)"
_FROM = "Seen from"
_WAYS = "--command, --path, --url, --prompt, --tool"


@click.command("explain", cls=OnceCommand)
@option(_GIVEN, "--command", "shell_command", metavar="TEXT", help="A shell command.")
@option(_GIVEN, "--path", metavar="PATH", help="A path: its one form and its group.")
@option(_GIVEN, "--url", metavar="URL", help="A URL or address: its host.")
@option(_GIVEN, "--prompt", metavar="TEXT", help="A prompt: its tag, and the score of each.")
@option(_GIVEN, "--tool", metavar="NAME", help="A tool call, together with --input.")
@option(_GIVEN, "--input", "tool_input", metavar="JSON", help="The input of --tool.")
@option(_FROM, "--cwd", default="", metavar="DIR", help="Folder that relative paths start in.")
@option(
    _FROM, "--project-root", "root", default="", metavar="DIR",
    help="Project that paths are grouped in, instead of --cwd.",
)  # fmt: skip
@option(OTHER, "--json", "is_json", is_flag=True, help="One JSON object a line.")
@debug_option
def command(
    *,
    cwd: str,
    root: str,
    is_json: bool,
    **given: str | None,
) -> None:
    """Show the fields derived from a command, call, path, URL or prompt, and the rule of each.

    Lines on stdin are plain commands, or JSON such as {"tool": "Read", "input": {}}.
    """
    for explanation in _explanations(given, cwd, root):
        _write(explanation, is_json)


def _explanations(given: dict[str, str | None], cwd: str, root: str) -> Iterator[Explanation]:
    """Yield the explanation of what one option gives, else of each line on stdin."""
    tool_input = given.pop("tool_input")
    if tool_input is not None and given["tool"] is None:
        raise UsageError("--input belongs to --tool: name the tool")
    chosen = [(way, text) for way, text in given.items() if text is not None]
    if len(chosen) > 1:
        raise UsageError(f"one thing at a time: give one of {_WAYS}")
    if not chosen:
        yield from _lines(cwd, root)
        return
    way, text = chosen[0]
    if not text.strip():
        raise UsageError(f"--{way.removeprefix('shell_')} is empty: give what to explain")
    ways: dict[str, Callable[[], Explanation]] = {
        "shell_command": lambda: explain.explain_command(text, cwd, root),
        "path": lambda: explain.explain_path(text, cwd, root),
        "url": lambda: explain.explain_url(text),
        "prompt": lambda: explain.explain_prompt(text),
        "tool": lambda: explain.explain_call(text, _input(tool_input), cwd, root),
    }
    yield ways[way]()


def _input(text: str | None) -> object:
    return None if text is None else explain.decode_input(text)


def _lines(cwd: str, root: str) -> Iterator[Explanation]:
    """Yield the explanation of each line on stdin that is not blank."""
    if sys.stdin.isatty():
        raise UsageError(f"give one of {_WAYS}, or lines on stdin")
    is_empty = True
    for number, raw in enumerate(sys.stdin.buffer, 1):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.strip():
            is_empty = False
            try:
                yield explain.explain_line(line, cwd, root)
            except UsageError as error:
                raise UsageError(f"line {number}: {error}") from None
    if is_empty:
        raise UsageError(f"stdin is empty: give lines, or one of {_WAYS}")


def _write(explanation: Explanation, is_json: bool) -> None:
    """Write one explanation; in text a blank line ends it."""
    if is_json:
        say(json.dumps(explain.as_plain(explanation)))
        return
    for line in explanation_lines(explanation):
        say(line)
    say("")
