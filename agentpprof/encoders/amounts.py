"""Numbers for people: `1.2 M`, `3 h 12 min`, `34.5 %`; flame.js writes them the same way."""

import re
from decimal import ROUND_HALF_UP, Decimal

_ROUNDS_UP = 0.9995
_STEPS = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_BYTE_STEPS = ((2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_SPANS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_PLURAL = re.compile(r"(?<=[^s])s$")
_TIMES = {"seconds": "s", "milliseconds": "ms", "microseconds": "µs", "nanoseconds": "ns"}


def humanise(value: int, unit: str) -> str:
    """Return a short form of a value, two figures of a time, about three of any other number."""
    if unit == "seconds":
        return _span(value)
    if unit == "bytes":
        return _short(value, _BYTE_STEPS, " B")
    return _short(value, _STEPS, "")


def amount(value: int, sample_type: str, unit: str) -> str:
    """Return short and exact form with what is counted: `1.2 M tokens (1,234,567)`."""
    short, exact = humanise(value, unit), f"{value:,}"
    if unit in _TIMES:
        plain = f"{exact} {_TIMES[unit]}"
        return short if short == plain else f"{short} ({plain})"
    noun = noun_of(sample_type, value)
    return f"{short} {noun}" if short == exact else f"{short} {noun} ({exact})"


def noun_of(sample_type: str, value: int = 0) -> str:
    """Return the word for what is counted, of one or of many."""
    noun = sample_type.replace("_", " ")
    return _PLURAL.sub("", noun) if value == 1 else noun


def percent(part: int, whole: int) -> str:
    """Return a share in percent; a share that is not nothing is never written as 0 %."""
    if not part or not whole:
        return "0 %"
    share = 100 * part / whole
    return "< 0.01 %" if share < 0.01 else f"{_figures(share)} %"


def change(old: int, new: int) -> str:
    """Return how much more or less the new value is, or that there was or is none."""
    if old == new:
        return "same"
    if not old or not new:
        return "new" if new else "gone"
    share = 100 * abs(new - old) / old
    sign = "+" if new > old else "−"
    return f"{sign}{_figures(share)} %" if share >= 0.01 else f"{sign}< 0.01 %"


def _short(value: int, steps: tuple[tuple[int, str], ...], plain: str) -> str:
    """Divide by the largest step that fits; 999,999 is written 1 M, not 1000 k."""
    for step, name in steps:
        if value >= step * _ROUNDS_UP:
            return f"{_figures(value / step)} {name}"
    return f"{value}{plain}"


def _figures(number: float) -> str:
    """Write two places below 1, one below 100, else none; no zero at the end."""
    places = 2 if number < 1 else 1 if number < 100 else 0
    # Ties go up, as in a script's toFixed; Python's own formatting takes them to the even digit.
    text = str(Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
    return text.rstrip("0").rstrip(".") if "." in text else text


def _span(seconds: int) -> str:
    """Write the two largest parts of a time."""
    parts: list[tuple[int, str]] = []
    for length, name in _SPANS:
        count, seconds = divmod(seconds, length)
        if count or parts:
            parts.append((count, name))
    return " ".join(f"{count} {name}" for count, name in parts[:2] if count) or "0 s"
