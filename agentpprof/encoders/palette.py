"""Colours of the flame graph: hue by the kind of a frame, lightness by its value.

Nothing depends on the other frames, so the same frame has the same colour in every picture. The
light hues are Paul Tol's "light" scheme and two more, made to stay apart for all common forms of
colour blindness with dark text on them, the dark ones their counterparts for light text. Failed
results get stripes as well, so that no meaning rests on hue alone.
"""

import colorsys
from zlib import crc32

from agentpprof.models import kind_of
from agentpprof.vocabulary import FAILED_RESULTS

# On a light and on a dark page. The order is that of the CSS classes.
_COLOURS = (
    ("#77aadd", "#2f4f73"),
    ("#ffaabb", "#6e3a4a"),
    ("#44bb99", "#1f5f4d"),
    ("#eedd88", "#66581c"),
    ("#99ddff", "#1f5c78"),
    ("#bbcc33", "#4f6011"),
    ("#dddddd", "#4a4f55"),
    ("#b5b53a", "#43461f"),
    ("#c3a5dd", "#53407a"),
    ("#ee8866", "#87401f"),
)
HUES = range(len(_COLOURS))
BLUE, PINK, MINT, YELLOW, CYAN, PEAR, GREY, OLIVE, LILAC, ORANGE = HUES
_HUE_OF_KIND = {
    "task": BLUE,
    "session": BLUE,
    "prompt": BLUE,
    "project": PINK,
    "agent": OLIVE,
    "subagent": LILAC,
    "skill": PINK,
    "phase": MINT,
    "part": MINT,
    "category": MINT,
    "action": YELLOW,
    "tool": YELLOW,
    "effect": YELLOW,
    "object": CYAN,
    "path": CYAN,
    "domain": CYAN,
    "cmd": CYAN,
    "model": LILAC,
    "repeat": PEAR,
    "access": PEAR,
    "result": GREY,
    "status": GREY,
    "outcome": OLIVE,
    "token": LILAC,
}
# Kinds that we don't know share these; the first two stand beside no default frame of their hue.
_OTHER_HUES = (LILAC, PEAR, BLUE, MINT, PINK, YELLOW)
FAILED_HUE = ORANGE
_FAILED = frozenset({*FAILED_RESULTS, "failed", "fail"})
_FAILING_KINDS = frozenset({"result", "outcome", "status"})

SHADES = 5
_STEP = 0.022  # of lightness, between two shades


def failed(frame: str) -> bool:
    """Tell whether a frame is a result that went wrong."""
    kind, _, value = frame.partition(":")
    return kind in _FAILING_KINDS and value in _FAILED


def hue_of_kind(kind: str) -> int:
    """Return the hue of a kind; a kind without a fixed one gets one by its name."""
    other = _OTHER_HUES[crc32(kind.encode("utf-8", "replace")) % len(_OTHER_HUES)]
    return _HUE_OF_KIND.get(kind, other)


def class_of(hue: int, shade: int = SHADES // 2) -> str:
    """Return the CSS class of a hue and shade."""
    return f"h{hue}s{shade}"


def colour_class(frame: str) -> str:
    """Return the CSS class of a frame, such as `h3s1`."""
    kind = kind_of(frame)
    hue = FAILED_HUE if failed(frame) else hue_of_kind(kind)
    value = frame[len(kind) + 1 :] if kind else frame
    return class_of(hue, crc32(value.encode("utf-8", "replace")) % SHADES)


def fill(hue: int, shade: int, dark: bool = False) -> str:
    """Return the colour of a hue and shade, for a light or a dark page."""
    base = _COLOURS[hue][dark]
    step = (shade - SHADES // 2) * _STEP
    red, green, blue = (int(base[place : place + 2], 16) / 255 for place in (1, 3, 5))
    tone, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    rgb = colorsys.hls_to_rgb(tone, min(0.94, light + step), saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


def rules(dark: bool) -> str:
    """Return the style rules of all classes."""
    pairs = ((hue, shade) for hue in HUES for shade in range(SHADES))
    return "".join(f".{class_of(*pair)}{{fill:{fill(*pair, dark)}}}" for pair in pairs)
