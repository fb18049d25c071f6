"""A difference as lines for a terminal: totals, and the frames that changed most."""

from collections.abc import Sequence

from agentpprof.encoders.amounts import change, humanise, noun_of
from agentpprof.models import Difference, Profile
from agentpprof.profile.diff import FrameChange
from agentpprof.terminal import show
from agentpprof.text.top_text import Line, Paper, bar_of, bar_width, cut, name_of, padded

_LESS, _MORE = "blue", "yellow"


def head_lines(difference: Difference, paper: Paper) -> list[Line]:
    """Return both totals and what the sides are."""
    base, new = difference.base, difference.new
    totals = " → ".join(humanise(each.total, new.unit) for each in (base, new))
    noun = noun_of(new.sample_type)
    title = (
        f"{new.view} of {difference.projects}: {totals} {noun} ({change(base.total, new.total)})"
    )
    facts = [*([difference.note] if difference.note else []), *map(show, difference.facts)]
    lines: list[Line] = [[(cut(title, paper), "bold")]]
    if facts:
        lines.append([(cut(" · ".join(facts), paper), "dim")])
    return [*lines, []]


def change_lines(rows: Sequence[FrameChange], profile: Profile, paper: Paper) -> list[Line]:
    """Return a table of frames, those that changed most first."""
    if not rows:
        return [[("nothing changed", "")]]
    unit = profile.unit
    texts = [
        (
            humanise(row.base, unit),
            humanise(row.new, unit),
            ("+" if row.delta > 0 else "−") + humanise(abs(row.delta), unit),
            change(row.base, row.new),
        )
        for row in rows
    ]
    header = ("base", "new", "change", "change%")
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    bar = bar_width(sum(widths) + 2 * len(widths), paper)
    largest = abs(rows[0].delta)
    lines: list[Line] = [[(padded(header, widths), "dim")]]
    for row, cells in zip(rows, texts, strict=True):
        style = _MORE if row.delta > 0 else _LESS
        line: Line = [(padded(cells, widths) + "  ", style)]
        if bar:
            line.append((bar_of(abs(row.delta), largest, bar, paper) + "  ", style))
        lines.append([*line, name_of(row.frame, line, paper)])
    return lines
