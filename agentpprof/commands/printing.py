"""Lines of styled pieces on stdout: coloured on a terminal, bare in a pipe."""

import shutil
import sys
from collections.abc import Iterable

from agentpprof.commands.top_text import Line, Paper
from agentpprof.output import STDOUT, write_output


def paper_of_stdout() -> Paper:
    """Return what stdout can show: the width of a terminal, no end of a line in a pipe."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "█▏…".encode(encoding)
        has_blocks = True
    except (UnicodeEncodeError, LookupError):
        has_blocks = False
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Paper(width, has_blocks)


def print_lines(lines: Iterable[Line]) -> None:
    """Print lines on stdout; `NO_COLOR` and the like are obeyed."""
    lines = list(lines)
    if sys.stdout.isatty():
        _print_styled(lines)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = "".join("".join(piece for piece, _ in line).rstrip() + "\n" for line in lines)
    write_output(text.encode(encoding, "replace"), STDOUT)


def _print_styled(lines: list[Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line), end="\n")
