"""Boxes of the flame graph as SVG: place, colour, fitted text, tooltip."""

from html import escape
from typing import NamedTuple, Protocol

from agentpprof.encoders.amounts import amount, percent
from agentpprof.encoders.fitting import cells, fitted, shown
from agentpprof.encoders.palette import colour_class, failed
from agentpprof.stack_tree import Box, Tree

MARGIN = 16
ROW = 20  # pixels from one level to the next
HEIGHT = 19
CELL = 6.65  # pixels of one character in the box font
LETTER = 6.8  # pixels of one character around the boxes, a little more than most
PADDING = 4


class Area(NamedTuple):
    """The area of the boxes, and what their values count."""

    left: int
    top: int
    width: int
    sample_type: str
    unit: str
    rows: int
    is_flame: bool = False  # the root at the bottom

    def y(self, level: int) -> int:
        """Return the upper edge of a level."""
        return self.top + (self.rows - 1 - level if self.is_flame else level) * ROW


class Look(Protocol):
    """What a box says beside its name; one for profiles, one for differences."""

    def colour(self, node: int) -> str:
        """Return the CSS class of a node."""

    def is_striped(self, node: int) -> bool:
        """Say whether a box has stripes, so that its meaning rests not on its hue alone."""

    def note(self, node: int) -> str:
        """Return what stands behind the name where there is room."""

    def tooltip(self, node: int) -> list[str]:
        """Return all that is known of a node, a line each."""


class KindLook:
    """The look of a profile: colour by the kind of frame, share of the whole."""

    def __init__(self, tree: Tree, sample_type: str, unit: str) -> None:
        """Take the tree and what its values count."""
        self._tree, self._sample_type, self._unit = tree, sample_type, unit

    def colour(self, node: int) -> str:
        """Return the CSS class of a node."""
        return colour_class(self._name(node)) if node else "root"

    def is_striped(self, node: int) -> bool:
        """Say whether a result went wrong."""
        return failed(self._name(node))

    def note(self, node: int) -> str:
        """Return the share of the whole."""
        return percent(self._tree.total[node], self._tree.total[0]) if node else ""

    def tooltip(self, node: int) -> list[str]:
        """Return full path, value and shares."""
        tree = self._tree
        total, whole = tree.total[node], tree.total[0]
        lines = [lineage(tree, node), amount(total, self._sample_type, self._unit)]
        if node:
            parent = tree.total[tree.parent[node]]
            lines.append(f"{percent(total, whole)} of all, {percent(total, parent)} of parent")
        return lines

    def _name(self, node: int) -> str:
        return self._tree.names[self._tree.name[node]]


def lineage(tree: Tree, node: int) -> str:
    """Return the names from below the root down to a node."""
    return " › ".join(tree.path(node)) or tree.names[0]


def escaped(text: str) -> str:
    """Return any text fit for the inside of an element or an attribute."""
    return escape(shown(text))


def boxes_markup(tree: Tree, boxes: list[Box], area: Area, look: Look) -> str:
    """Return all boxes, parents before their children."""
    lines = [_box(tree, box, area, look) for box in boxes]
    return '<g class="boxes">\n' + "\n".join(lines) + "\n</g>"


def _box(tree: Tree, box: Box, area: Area, look: Look) -> str:
    """Return one box."""
    node = box.node
    x, y = area.left + box.start * area.width, area.y(tree.depth[node])
    width = box.share * area.width
    place = f'x="{x:.2f}" y="{y}" width="{width:.2f}" height="{HEIGHT}"'
    stripes = f'<rect class="stripes" {place}/>' if look.is_striped(node) else ""
    text = box_text(tree.names[tree.name[node]], look.note(node), width)
    if text:
        text = f'<text x="{x + PADDING:.2f}" y="{y + 14}">{text}</text>'
    title = "\n".join(map(escaped, look.tooltip(node)))
    rect = f'<rect class="{look.colour(node)}" {place}/>'
    return f"<g><title>{title}</title>{rect}{stripes}{text}</g>"


def box_text(name: str, share: str, width: float) -> str:
    """Return what fits: the frame with its share, the frame, its value, or its value cut short."""
    room = int((width - 2 * PADDING) / CELL)
    whole = shown(name)
    if cells(whole) > room:
        _, colon, value = whole.partition(":")
        return escape(fitted(value if colon else whole, room))
    if share and cells(whole) + 2 + len(share) <= room:
        return f'{escape(whole)}<tspan class="share" dx="8">{share}</tspan>'
    return escape(whole)
