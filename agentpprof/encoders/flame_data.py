"""What flame.js reads: all stacks, also those too small for the picture, packed into one text.

Stacks stand sorted, each as the length it shares with the one before and its other frames, as
numbers of interned names. Deflated and in base64 this takes seven to ten bytes a stack.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from agentpprof.encoders import svg_boxes
from agentpprof.encoders.amounts import noun_of
from agentpprof.encoders.fitting import shown
from agentpprof.encoders.palette import FAILED_HUE, colour_class
from agentpprof.stack_tree import Path, Tree, shared_length

_LEVEL = 6  # level 9 takes ten times as long to save one part in twelve


def data_block(
    tree: Tree, area: svg_boxes.Area, limits: tuple[float, int], more: Mapping[str, Any]
) -> str:
    """Return the data as base64 text; `unpacked` is the way back.

    `limits` are the smallest box in pixels and the deepest level; `more` is what differences add.
    """
    data = {
        "classes": ["root", *map(colour_class, tree.names[1:])],
        "failed": f"h{FAILED_HUE}s",
        "names": [shown(name) for name in tree.names],
        "noun": noun_of(area.sample_type),
        "page": _page(area, *limits),
        "stacks": _stacks(tree) | more.get("stacks", {}),
        "unit": area.unit,
        **{key: value for key, value in more.items() if key != "stacks"},
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8", "replace"), _LEVEL)).decode()


def unpacked(block: str) -> Any:
    """Return what `data_block` packed."""
    return json.loads(zlib.decompress(b64decode(block)))


def _page(area: svg_boxes.Area, smallest: float, deepest: int) -> dict[str, float]:
    """Return the measures of the picture."""
    return {
        "left": area.left,
        "top": area.top,
        "width": area.width,
        "row": svg_boxes.ROW,
        "height": svg_boxes.HEIGHT,
        "cell": svg_boxes.CELL,
        "letter": svg_boxes.LETTER,
        "padding": svg_boxes.PADDING,
        "rows": area.rows,
        "flame": area.is_flame,
        "smallest": smallest,
        "deepest": deepest,
    }


def _stacks(tree: Tree) -> dict[str, Any]:
    """Return the stacks column by column, frames level by level.

    Columns of like numbers pack far better than rows: half a million frames took a quarter less.
    """
    shared: list[int] = []
    length: list[int] = []
    levels: list[list[int]] = [[] for _ in range(max(tree.depth))]
    previous: Path = ()
    for path in tree.stacks:
        common = shared_length(previous, path)
        shared.append(common)
        length.append(len(path))
        for level in range(common, len(path)):
            levels[level].append(path[level])
        previous = path
    values = list(tree.stacks.values())
    return {"shared": shared, "length": length, "levels": levels, "values": values}
