"""Lines of styled pieces on stdout: coloured on a terminal, bare in a pipe."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agentpprof.streams import encoding_of
from agentpprof.text.telling import print_text
from agentpprof.text.top_text import Line, Paper

if TYPE_CHECKING:
    from agentpprof.models import Answer


def paper_of_stdout() -> Paper:
    """Return what stdout can show: the width of a terminal, no end of a line in a pipe."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Paper(width, encoding_of(sys.stdout))


def print_table(answer: "Answer", droppable: Sequence[str] = ()) -> None:
    """Print a table as stdout can show it: whole cells in a pipe, fitted on a terminal.

    Columns of `droppable` may be left out on a narrow terminal.
    """
    from agentpprof.text.tables import write_table

    paper = paper_of_stdout()
    print_text(write_table(answer, paper.width, droppable, paper.encoding))


def print_lines(lines: Iterable[Line]) -> None:
    """Print lines on stdout; `NO_COLOR` and the like are obeyed."""
    lines = list(lines)
    if sys.stdout.isatty():
        _print_styled(lines)
        return
    print_text("".join("".join(piece for piece, _ in line).rstrip() + "\n" for line in lines))


def _print_styled(lines: list[Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line), end="\n")
