"""The flame graph as one self-contained SVG file: a picture, and a script that lets one walk in it.

This file writes the page; boxes are in `svg_boxes.py`, what the script reads in `flame_data.py`.
The picture is whole without the script, since image viewers and many sites don't run it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from agentpprof.counts import counted
from agentpprof.encoders.amounts import amount, humanise, percent
from agentpprof.encoders.fitting import fitted
from agentpprof.encoders.flame_data import data_block
from agentpprof.encoders.legend import Entry, kind_entries, placed
from agentpprof.encoders.palette import rules
from agentpprof.encoders.samples import stack_values
from agentpprof.encoders.svg_boxes import (
    LETTER,
    MARGIN,
    ROW,
    Area,
    KindLook,
    Look,
    boxes_markup,
    escaped,
)
from agentpprof.errors import UsageError
from agentpprof.models import OutputOptions, Profile
from agentpprof.moments import moment
from agentpprof.resources import read_text
from agentpprof.stack_tree import Layout, Tree, lay_out, merge

SMALLEST_WIDTH = 200
SMALLEST_BOX = 0.5  # pixels
DEEPEST = 100  # levels; a picture may not grow without end

_TOOLBAR = 330  # pixels kept free beside the title, for the search field that the script adds
_LINE = 18  # pixels, of the text above and below the boxes
_TITLE_CELL = 10.0  # pixels of a character of the title
_SCRIPTS = ("flame_text", "flame_tree", "flame")
_HINT = "In a browser: click or Enter zooms, / searches, arrow keys walk, Esc goes back."


class Picture(NamedTuple):
    """What a page shows; the rest is the same for profiles and for differences."""

    title: str
    facts: list[str]
    tree: Tree
    look: Look
    legend: list[Entry]
    sample_type: str
    unit: str
    css_class: str = ""  # of the whole picture
    colours: tuple[str, str] = ("", "")  # more style rules, for a light and for a dark page
    data: Mapping[str, Any] = MappingProxyType({})  # more data for the script


def encode(profile: Profile, options: OutputOptions) -> bytes:
    """Return the picture, as wide as the options say; it scales with its window."""
    tree = merge(stack_values(profile))
    picture = Picture(
        f"{profile.view} profile of {profile.project}",
        _subtitles(profile, tree),
        tree,
        KindLook(tree, profile.sample_type, profile.unit),
        kind_entries(tree),
        profile.sample_type,
        profile.unit,
    )
    return draw(picture, options)


def draw(picture: Picture, options: OutputOptions) -> bytes:
    """Return the whole document."""
    width, tree = options.svg_width, picture.tree
    if width < SMALLEST_WIDTH:
        raise UsageError(f"--svg-width must be at least {SMALLEST_WIDTH}")
    room = width - 2 * MARGIN
    layout = lay_out(tree, SMALLEST_BOX / room, DEEPEST)
    head, y = _head(picture.title, picture.facts, width)
    legend = placed(picture.legend, y, width)
    top = legend.bottom + 8
    # Levels that only zooming shows have their place from the beginning.
    rows = 1 + min(max(tree.depth), DEEPEST)
    area = Area(MARGIN, top, room, picture.sample_type, picture.unit, rows, options.flame)
    foot, height = _foot(layout, tree, top + rows * ROW, width)
    data = data_block(tree, area, (SMALLEST_BOX, DEEPEST), picture.data)
    parts = [
        _opening((width, height), picture.title, picture.css_class),
        _style(picture.colours),
        head,
        legend.markup,
        boxes_markup(tree, layout.boxes, area, picture.look),
        foot,
        f'<metadata class="data">{data}</metadata>',
        f"<script><![CDATA[\n{_script()}]]></script>",
        "</svg>\n",
    ]
    return "\n".join(parts).encode("utf-8", "replace")


def _opening(size: tuple[int, int], title: str, css_class: str) -> str:
    """Return the first tag, the title for screen readers, and the stripes."""
    width, height = size
    classes = f"flame {css_class}".strip()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" viewBox="0 0 {width} {height}" '
        'width="100%" preserveAspectRatio="xMidYMin" role="img">\n'
        f"<title>{escaped(title)}</title>\n"
        '<defs><pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="stripe" d="M0 0V6"/></pattern></defs>'
    )


def _style(colours: tuple[str, str]) -> str:
    """Return the style sheet with the colours for light and for dark pages."""
    night = "@media screen and (prefers-color-scheme: dark)"
    sheet = read_text("data", "flame.css")
    light, dark = rules(dark=False) + colours[0], rules(dark=True) + colours[1]
    return f"<style>\n{sheet}{light}\n{night}{{{dark}}}\n</style>"


def _script() -> str:
    """Return the script: its parts are functions, the last one runs."""
    return "".join(read_text("data", f"{name}.js") for name in _SCRIPTS)


def _subtitles(profile: Profile, tree: Tree) -> list[str]:
    """Return what is measured, its total and its span, then the comments."""
    facts = [amount(tree.total[0], profile.sample_type, profile.unit)]
    facts.append(f"{profile.sample_type}/{profile.unit}")
    facts.append(counted(len(tree.stacks), "stack"))
    span = span_of(profile)
    comments = [text for text in profile.comments if not text.startswith("agentpprof:")]
    return [*facts, *([span] if span else []), *comments]


def span_of(profile: Profile) -> str:
    """Return the span of the data, by the minute; empty where an end can't be told."""
    start, end = moment(profile.started_at_ms), moment(profile.ended_at_ms)
    if start is None or end is None:
        return ""
    seconds = max(0, int((end - start).total_seconds()))
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    return f"{start:%Y-%m-%d %H:%M} to {until} UTC ({humanise(seconds, 'seconds')})"


def _head(title: str, facts: list[str], width: int) -> tuple[str, int]:
    """Return the title and the lines below it, and where they end."""
    free = width - 2 * MARGIN - (_TOOLBAR if width >= 2 * _TOOLBAR else 0)
    lines = [_text("title", 30, fitted(title, int(free / _TITLE_CELL)))]
    y = 34
    for line in _wrapped(facts, int((width - 2 * MARGIN) / LETTER)):
        y += _LINE
        lines.append(_text("fact", y, line))
    return "\n".join(lines), y


def _wrapped(facts: list[str], room: int) -> list[str]:
    """Join facts with dots into lines that fit."""
    lines = [fitted(facts[0], room)]
    for fact in facts[1:]:
        longer = f"{lines[-1]} · {fact}"
        if len(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(fitted(fact, room))
    return lines


def _foot(layout: Layout, tree: Tree, y: int, width: int) -> tuple[str, int]:
    """Return the line for details, the line on what is not drawn, and the picture's height."""
    room = int((width - 2 * MARGIN) / LETTER)
    lines = [_text("detail", y + _LINE, fitted(_HINT, room)), _text("detail", y + 2 * _LINE, "")]
    share = percent(layout.hidden_weight, tree.total[0])
    boxes = counted(layout.hidden, "box", "boxes")
    note = f"{boxes} under {SMALLEST_BOX} px not drawn ({share} of weight)"
    lines.append(_text("note", y + 3 * _LINE, fitted(note, room) if layout.hidden else ""))
    return "\n".join(lines), y + 3 * _LINE + 12


def _text(kind: str, y: int, text: str) -> str:
    """Return one line of text at the left margin."""
    return f'<text class="{kind}" x="{MARGIN}" y="{y}">{escaped(text)}</text>'
