"""Token counts of Codex: running totals become counts of single responses.

Input holds cached and written tokens, output holds reasoning, so nothing is added on top
(docs/formats.md, "Counts of Codex").
"""

from typing import NamedTuple

from agentpprof.agents.codex_records import Counts
from agentpprof.agents.facts import Usage

Vector = tuple[int, int, int, int, int]  # input, cached, written, output, reasoning
ZERO: Vector = (0, 0, 0, 0, 0)
_STALE_SHARE = 98  # per cent of the total before: a line that was late, not a counter begun anew


class Step(NamedTuple):
    """What a running total says: `none`, `repeat`, `moved`, `stale` or `reset`, and how much."""

    kind: str
    delta: Vector = ZERO
    is_sure: bool = True


def vector_of(counts: Counts) -> Vector:
    """Return the counts as numbers; one that is not given is 0."""
    return (
        counts.input_tokens or 0,
        counts.cached_input_tokens or 0,
        counts.cache_write_input_tokens or 0,
        counts.output_tokens or 0,
        counts.reasoning_output_tokens or 0,
    )


def usage_of(delta: Vector) -> tuple[Usage, bool]:
    """Split the counts of one response; False where a part is more than its whole."""
    given, cached, written, output, reasoning = delta
    fresh = given - cached - written
    if fresh >= 0 and reasoning <= output:
        return Usage(fresh, cached, written, 0, output, reasoning), True
    cached = min(cached, given)
    written = min(written, given - cached)
    return Usage(
        given - cached - written, cached, written, 0, output, min(reasoning, output)
    ), False


def add(one: Vector, other: Vector) -> Vector:
    """Return the sum of two counts."""
    a, b, c, d, e = one
    v, w, x, y, z = other
    return (a + v, b + w, c + x, d + y, e + z)


def first_step(total: Vector, last: Vector | None, inherits: bool) -> Step:
    """Judge the first total of a file: its `last` counts, as the total may hold older use."""
    if total == ZERO:
        return Step("none")
    if last is not None and last != ZERO:
        return Step("moved", last)
    # A fork's total without a `last` may be all its parent's: never counted.
    return Step("stale", total, False) if inherits else Step("moved", total)


def next_step(before: Vector, total: Vector, last: Vector | None, delta: Vector | None) -> Step:
    """Judge a total by the one before it; `delta` is what the response before counted."""
    if total == before:
        return Step("repeat")
    a, b, c, d, e = total
    v, w, x, y, z = before
    if a >= v and b >= w and c >= x and d >= y and e >= z:
        return Step("moved", (a - v, b - w, c - x, d - y, e - z))
    size, size_before = a + d, v + y
    if size > size_before:
        clamped = (max(a - v, 0), max(b - w, 0), max(c - x, 0), max(d - y, 0), max(e - z, 0))
        return Step("moved", last or clamped, False)
    if total != ZERO and total != last and _is_near(size, size_before, last or delta):
        return Step("stale", last or ZERO)
    return Step("reset", last if last is not None else total)


def _is_near(size: int, size_before: int, last: Vector | None) -> bool:
    step = last[0] + last[3] if last is not None else 0
    return size * 100 >= size_before * _STALE_SHARE or size_before - size <= 2 * step
