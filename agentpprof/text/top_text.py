"""The largest frames, and the tree of them, as lines for a terminal.

A line is a list of pieces, each with the style it may have: `text/printing.py` prints them
coloured on a terminal and bare into a pipe.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentpprof.counts import counted, counted_sessions
from agentpprof.encoders.amounts import amount, humanise, percent
from agentpprof.encoders.fitting import ELLIPSIS, cells, fitted
from agentpprof.encoders.palette import failed
from agentpprof.models import Profile, kind_of
from agentpprof.profile.top import Branch, TopRow
from agentpprof.streams import readable
from agentpprof.terminal import show

Piece = tuple[str, str]
Line = list[Piece]

_STYLES = {
    "task": "blue",
    "session": "blue",
    "prompt": "blue",
    "skill": "magenta",
    "action": "yellow",
    "tool": "yellow",
    "phase": "green",
    "part": "green",
    "object": "cyan",
    "path": "cyan",
    "domain": "cyan",
    "cmd": "cyan",
    "project": "cyan",
    "token": "magenta",
    "model": "magenta",
}
_FAILED = "bold red"
_DIM = "dim"
_EIGHTHS = " ▏▎▍▌▋▊▉"
_WIDEST_BAR = 24
_LEAST_NAME = 24  # cells of a frame's name that a bar may not take


class Paper(NamedTuple):
    """What lines are written on: `width` None lets every name be whole."""

    width: int | None
    encoding: str = "utf-8"

    @property
    def has_blocks(self) -> bool:
        """Say whether there are the characters that bars are made of."""
        return readable("█▏", self.encoding) == "█▏"

    @property
    def ellipsis(self) -> str:
        """Return what stands for what was cut."""
        return readable(ELLIPSIS, self.encoding)


def head_lines(profile: Profile, sessions: int, paper: Paper, subagents: int = 0) -> list[Line]:
    """Return what is measured, its total, and of what; `sessions` counts sub-agents too."""
    whole = amount(profile.total, profile.sample_type, profile.unit)
    count = len(profile.stacks())
    facts = [
        counted_sessions(sessions, subagents),
        counted(count, "stack"),
        *(show(text) for text in profile.comments if text.startswith("filter:")),
    ]
    title = f"{profile.view} of {profile.project}: {whole}"
    return [
        [(cut(title, paper), "bold")],
        [(cut(" · ".join(facts), paper), _DIM)],
        [],
    ]


def row_lines(rows: Sequence[TopRow], profile: Profile, paper: Paper) -> list[Line]:
    """Return a table of frames with flat and cumulative weight."""
    total = profile.total
    cells_of_rows = [
        (
            humanise(row.flat, profile.unit),
            percent(row.flat, total),
            humanise(row.cum, profile.unit),
            percent(row.cum, total),
        )
        for row in rows
    ]
    header = ("flat", "flat%", "cum", "cum%")
    widths = [max(map(len, column)) for column in zip(header, *cells_of_rows, strict=True)]
    lines: list[Line] = [[(padded(header, widths), _DIM)]]
    bar = bar_width(sum(widths) + 2 * len(widths), paper)
    for row, texts in zip(rows, cells_of_rows, strict=True):
        numbers = padded(texts, widths) + "  "
        line: Line = [(numbers, "")]
        if bar:
            line.append((bar_of(row.cum, total, bar, paper) + "  ", _style(row.frame)))
        lines.append([*line, name_of(row.frame, line, paper)])
    return lines


def tree_lines(branches: Iterable[Branch], profile: Profile, paper: Paper) -> list[Line]:
    """Return a tree of frames, each indented below the one that leads to it."""
    branches = list(branches)
    texts = [
        (humanise(each.value, profile.unit), percent(each.value, profile.total))
        for each in branches
    ]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    bar = bar_width(sum(widths) + 4, paper)
    lines: list[Line] = []
    for branch, cells_of_row in zip(branches, texts, strict=True):
        line: Line = [(padded(cells_of_row, widths) + "  ", "")]
        if bar:
            line.append(
                (bar_of(branch.value, profile.total, bar, paper) + "  ", _style(branch.frame))
            )
        line.append(("  " * branch.level, ""))
        lines.append([*line, name_of(branch.frame, line, paper)])
    return lines


def left_out_line(left_out: int, one: str, many: str, option: str) -> list[Line]:
    """Return a line on what is not shown, in the word for one or for many; none when all is."""
    if left_out <= 0:
        return []
    return [[(f"… {counted(left_out, f'more {one}', f'more {many}')}: {option}", _DIM)]]


def padded(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Return one row of a table, all cells to the right."""
    return "  ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))


def bar_width(taken: int, paper: Paper) -> int:
    """Return how many cells a bar may have; none where names would get too little."""
    if paper.width is None:
        return _WIDEST_BAR
    room = paper.width - taken - 2 - _LEAST_NAME
    return min(_WIDEST_BAR, room) if room >= 6 else 0


def bar_of(part: int, whole: int, width: int, paper: Paper) -> str:
    """Return a bar of blocks, by eighths of a cell; what is not nothing has one."""
    eighths = round(8 * width * part / whole) if whole else 0
    eighths = max(eighths, 1 if part else 0)
    if not paper.has_blocks:
        return ("#" * max(eighths // 8, 1 if part else 0)).ljust(width)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def name_of(frame: str, before: Line, paper: Paper) -> Piece:
    """Return a frame's name, cut in the middle where the line ends."""
    text = readable(show(frame), paper.encoding)
    if paper.width is not None:
        room = paper.width - sum(cells(piece) for piece, _ in before)
        text = fitted(text, max(room, 3), paper.ellipsis)
    return text, _style(frame)


def cut(text: str, paper: Paper) -> str:
    """Return a line of text that fits, cut in the middle."""
    text = readable(text, paper.encoding)
    return text if paper.width is None else fitted(text, paper.width, paper.ellipsis)


def _style(frame: str) -> str:
    return _FAILED if failed(frame) else _STYLES.get(kind_of(frame), "")
