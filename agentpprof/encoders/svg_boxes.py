"""Boxes of the flame graph as SVG: place, colour, fitted text, tooltip."""

from html import escape
from typing import NamedTuple

from agentpprof.encoders.amounts import amount, percent
from agentpprof.encoders.fitting import cells, fitted, shown
from agentpprof.encoders.palette import colour_class, failed
from agentpprof.encoders.tree import Box, Tree

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


def escaped(text: str) -> str:
    """Return any text fit for the inside of an element or an attribute."""
    return escape(shown(text))


def boxes_markup(tree: Tree, boxes: list[Box], area: Area) -> str:
    """Return all boxes, parents before their children."""
    lines = [_box(tree, box, area) for box in boxes]
    return '<g class="boxes">\n' + "\n".join(lines) + "\n</g>"


def _box(tree: Tree, box: Box, area: Area) -> str:
    """Return one box."""
    name = tree.names[tree.name[box.node]]
    x, y = area.left + box.start * area.width, area.top + tree.depth[box.node] * ROW
    width = box.share * area.width
    place = f'x="{x:.2f}" y="{y}" width="{width:.2f}" height="{HEIGHT}"'
    colour = colour_class(name) if box.node else "root"
    stripes = f'<rect class="stripes" {place}/>' if failed(name) else ""
    share = percent(tree.total[box.node], tree.total[0])
    text = box_text(name, share if box.node else "", width)
    if text:
        text = f'<text x="{x + PADDING:.2f}" y="{y + 14}">{text}</text>'
    title = "\n".join(map(escaped, tooltip(tree, box.node, area)))
    return f'<g><title>{title}</title><rect class="{colour}" {place}/>{stripes}{text}</g>'


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


def tooltip(tree: Tree, node: int, area: Area) -> list[str]:
    """Return full path, value and shares of a node, a line each."""
    total, whole = tree.total[node], tree.total[0]
    path = " › ".join(tree.path(node)) or tree.names[0]
    lines = [path, amount(total, area.sample_type, area.unit)]
    if node:
        parent = tree.total[tree.parent[node]]
        lines.append(f"{percent(total, whole)} of all, {percent(total, parent)} of parent")
    return lines
