"""The legend of a flame graph: one swatch per kind of frame, in order of its level."""

from collections.abc import Iterable
from typing import NamedTuple

from agentpprof.encoders.fitting import cells, fitted
from agentpprof.encoders.palette import FAILED_HUE, class_of, failed, hue_of_kind
from agentpprof.encoders.svg_boxes import LETTER, MARGIN, escaped
from agentpprof.models import kind_of
from agentpprof.stack_tree import Tree

_SWATCH = 12
_LINE = 20
_LONGEST = 24  # cells of one entry


class Legend(NamedTuple):
    """Finished markup and where it ends."""

    markup: str
    bottom: int


class Entry(NamedTuple):
    """One swatch and what it means."""

    text: str
    colour: str  # a CSS class
    is_striped: bool = False


def placed(entries: Iterable[Entry], y: int, width: int) -> Legend:
    """Place the entries from left to right, in as many lines as they need."""
    x, y, parts = MARGIN, y + 10, []
    for text, colour, striped in entries:
        label = fitted(text, _LONGEST)
        room = _SWATCH + 6 + round(cells(label) * LETTER) + 12
        if x > MARGIN and x + room > width - MARGIN:
            x, y = MARGIN, y + _LINE
        parts.append(_entry(label, colour, striped, x, y))
        x += room
    return Legend(f'<g class="legend">{"".join(parts)}</g>', y + _SWATCH)


def kind_entries(tree: Tree) -> list[Entry]:
    """Return the kinds of frames by the first level they stand on, and whether some failed."""
    levels: dict[str, int] = {}
    some_failed = False
    level_of_name: dict[int, int] = {}
    for name, depth in zip(tree.name[1:], tree.depth[1:], strict=True):
        if depth < level_of_name.get(name, depth + 1):
            level_of_name[name] = depth
    for name, depth in level_of_name.items():
        kind = kind_of(tree.names[name])
        levels[kind] = min(depth, levels.get(kind, depth))
        some_failed = some_failed or failed(tree.names[name])
    kinds = sorted(levels, key=lambda kind: (levels[kind], kind))
    entries = [Entry(kind or "other", class_of(hue_of_kind(kind))) for kind in kinds]
    return [*entries, *([Entry("failed", class_of(FAILED_HUE), True)] if some_failed else [])]


def _entry(label: str, colour: str, striped: bool, x: int, y: int) -> str:
    """Return a swatch and its label."""
    box = f'x="{x}" y="{y}" width="{_SWATCH}" height="{_SWATCH}" rx="2"'
    stripes = f'<rect class="stripes" {box}/>' if striped else ""
    text = f'<text x="{x + _SWATCH + 6}" y="{y + 10}">{escaped(label)}</text>'
    return f'<rect class="{colour}" {box}/>{stripes}{text}'
