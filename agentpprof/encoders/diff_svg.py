"""A difference as a picture: as wide as the larger side, from blue (less) to orange (more).

A stack that only one side has stays visible: it is as wide as it was or is, and striped. Flame
graphs of others draw the new side's widths, so that what vanished has no box.
"""

from collections.abc import Iterator
from math import floor

from agentpprof.encoders.amounts import amount, change, humanise, noun_of
from agentpprof.encoders.legend import Entry
from agentpprof.encoders.samples import stack_values
from agentpprof.encoders.svg import Picture, draw, span_of
from agentpprof.encoders.svg_boxes import lineage
from agentpprof.models import Difference, OutputOptions, Profile
from agentpprof.stack_tree import Tree, merge, totals_of

SIDES = ("base", "new")
_STEPS = 5  # of colour on each side of no change
# Less, no change, more: on a light page with dark text, on a dark one with light text.
_LIGHT = ("#5ba3e0", "#e4e7eb", "#f3923f")
_DARK = ("#1f5f9e", "#3a4048", "#a3530f")


def encode(change_of: Difference, options: OutputOptions) -> bytes:
    """Return the picture; width of a stack is the larger of both sides' values."""
    base, new = stack_values(change_of.base), stack_values(change_of.new)
    stacks = sorted({**base, **new})
    widest = merge({stack: max(base.get(stack, 0), new.get(stack, 0)) for stack in stacks})
    # Names are numbered in order of text, so the tree holds the stacks in this very order.
    old, now = ([side.get(stack, 0) for stack in stacks] for side in (base, new))
    profile = change_of.new
    picture = Picture(
        f"{profile.view} of {change_of.projects}: what changed",
        _facts(change_of),
        widest,
        DiffLook(widest, totals_of(widest, old), totals_of(widest, now), profile),
        _legend(),
        profile.sample_type,
        profile.unit,
        "diff",
        ("".join(_rules(_LIGHT)), "".join(_rules(_DARK))),
        {"sides": SIDES, "stacks": {"sides": {"old": old, "now": now}}},
    )
    return draw(picture, options)


class DiffLook:
    """The look of a difference: colour by the change, both values in the tooltip."""

    def __init__(self, tree: Tree, old: list[int], now: list[int], profile: Profile) -> None:
        """Take the tree, both sides' totals of its nodes, and what they count."""
        self._tree, self._old, self._now = tree, old, now
        self._sample_type, self._unit = profile.sample_type, profile.unit

    def colour(self, node: int) -> str:
        """Return the CSS class of a change."""
        old, now = self._old[node], self._now[node]
        return f"d{_STEPS + floor(_STEPS * (now - old) / max(old, now, 1) + 0.5)}"

    def is_striped(self, node: int) -> bool:
        """Say whether only one side has the node."""
        return (not self._old[node]) != (not self._now[node])

    def note(self, node: int) -> str:
        """Return the change."""
        return change(self._old[node], self._now[node])

    def tooltip(self, node: int) -> list[str]:
        """Return full path, both values and the change."""
        values = zip(SIDES, (self._old[node], self._now[node]), strict=True)
        texts = [f"{side}: {amount(v, self._sample_type, self._unit)}" for side, v in values]
        return [lineage(self._tree, node), f"{', '.join(texts)} ({self.note(node)})"]


def _facts(change_of: Difference) -> list[str]:
    """Return what is said below the title."""
    base, new = change_of.base, change_of.new
    unit, noun = new.unit, noun_of(new.sample_type)
    totals = " → ".join(humanise(each.total, unit) for each in (base, new))
    facts = [f"{totals} {noun} ({change(base.total, new.total)})", "width: the larger side"]
    facts += [change_of.note] if change_of.note else []
    spans = (f"{name}: {span_of(each)}" for name, each in zip(SIDES, (base, new), strict=True))
    return [*facts, *(span for span in spans if not span.endswith(": ")), *change_of.facts]


def _legend() -> list[Entry]:
    return [
        Entry("gone", "d0", True),
        Entry("less", "d2"),
        Entry("same", f"d{_STEPS}"),
        Entry("more", "d8"),
        Entry("new", f"d{2 * _STEPS}", True),
    ]


def _rules(ends: tuple[str, str, str]) -> Iterator[str]:
    """Yield one style rule a step, mixed between less, same and more."""
    for step in range(2 * _STEPS + 1):
        low, high = (ends[0], ends[1]) if step < _STEPS else (ends[1], ends[2])
        part = (step % _STEPS) / _STEPS if step < 2 * _STEPS else 1.0
        yield f".d{step}{{fill:{_mixed(low, high, part)}}}"


def _mixed(low: str, high: str, part: float) -> str:
    pairs = ((int(low[n : n + 2], 16), int(high[n : n + 2], 16)) for n in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)
