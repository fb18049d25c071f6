"""Text that fits its box: widths in cells, cut in the middle, where paths differ least.

The box font has one width, so a cell is a fixed number of pixels; East Asian characters and emoji
take two. flame.js counts with the same table.
"""

import re

ELLIPSIS = "…"
_LEAST_FOR_MIDDLE = 7  # in less room two ends say less than one beginning
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)
# What an XML file may not hold at all, and what would turn or hide the text around it.
_NOT_SHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)


def shown(text: str) -> str:
    """Return the text without control characters and without marks that steer direction."""
    return _NOT_SHOWN.sub("", text)


def cells(text: str) -> int:
    """Return the width of a text in cells."""
    return len(text) + len(_WIDE.findall(text))


def fitted(text: str, room: int, ellipsis: str = ELLIPSIS) -> str:
    """Return the text cut to `room` cells, in the middle if it can be; nothing below 3 cells."""
    if cells(text) <= room:
        return text
    if room < 3:
        return ""
    if room < _LEAST_FOR_MIDDLE:
        return f"{_leading(text, room - len(ellipsis))}{ellipsis}"
    head = _leading(text, room // 2)
    tail = _leading(text[::-1], room - len(ellipsis) - cells(head))[::-1]
    return f"{head}{ellipsis}{tail}"


def cut(text: str, room: int, ellipsis: str = ELLIPSIS) -> str:
    """Return the text cut to `room` cells at its end."""
    if cells(text) <= room:
        return text
    return f"{_leading(text, room - len(ellipsis))}{ellipsis}"


def _leading(text: str, room: int) -> str:
    """Return as much of the beginning as fits."""
    for length in range(min(len(text), room), 0, -1):
        if cells(text[:length]) <= room:
            return text[:length]
    return ""
