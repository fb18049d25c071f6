"""An explanation as lines for people: columns of what was derived and the rule of each."""

from collections.abc import Iterator
from typing import Final

from agentpprof.encoders.fitting import cells, cut
from agentpprof.explain import Explanation
from agentpprof.terminal import show
from agentpprof.vocabulary import TAGS

_MAX_SHOWN: Final = 200  # segments and places of one answer
_WIDEST_CELL: Final = 160
_WIDEST_COLUMN: Final = 48  # cells that a column is filled up to


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yield an explanation as lines for people: columns of value and rule."""
    yield from _columns([(f.field, f.value or "-", f.rule) for f in explanation.findings])
    tables: dict[str, list[tuple[str, ...]]] = {
        "segments": [
            (
                f"{number}{'*' if part.is_telling else ''}",
                part.program or "-",
                part.action,
                part.rule,
            )
            for number, part in enumerate(explanation.segments, 1)
        ],
        "places": [(p.kind, p.access, p.name, p.group, p.rule) for p in explanation.places],
        "scores": [(tag, f"{score:g}") for tag, score in explanation.scores if tag in TAGS],
    }
    for title, rows in tables.items():
        if rows:
            yield f"{title}:"
            yield from (f"  {line}" for line in _columns(rows[:_MAX_SHOWN]))
            if len(rows) > _MAX_SHOWN:
                yield f"  and {len(rows) - _MAX_SHOWN:,} more"
    yield from (f"note: {note}" for note in explanation.notes)


def _columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with their columns aligned, whatever signs are in them."""
    shown = [[cut(show(cell), _WIDEST_CELL) for cell in row] for row in rows]
    widths = [min(max(map(cells, column)), _WIDEST_COLUMN) for column in zip(*shown, strict=True)]
    for row in shown:
        filled = (
            cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(filled).rstrip()
