"""Share out whole seconds, so that the total, each stack and each sample agree in every format."""

from collections.abc import Mapping, Sequence
from typing import Any

Sums = dict[int, dict[int, int]]  # number of a stack -> number of its labels -> sum


def in_whole_seconds(milliseconds: Sums, stacks: Sequence[Any], label_sets: Sequence[Any]) -> Sums:
    """Return seconds by largest remainder, three times over.

    The total comes first, its seconds go over the stacks, each stack's over its labels. Of equal
    remainders the first in the order of stacks and labels gets more, never the first in the log.
    """
    totals = {stack: sum(values.values()) for stack, values in milliseconds.items()}
    shares = _share(totals, round(sum(totals.values()) / 1000), stacks)
    return {
        stack: _share(values, shares[stack], label_sets) for stack, values in milliseconds.items()
    }


def _share(parts: Mapping[int, int], whole: int, names: Sequence[Any]) -> dict[int, int]:
    """Return milliseconds in seconds, each rounded down or up so that they sum to `whole`."""
    if len(parts) == 1:
        return dict.fromkeys(parts, whole)
    shares = {number: part // 1000 for number, part in parts.items()}
    more = whole - sum(shares.values())
    if more:
        by_remainder = sorted(parts, key=lambda number: -(parts[number] % 1000))
        last = parts[by_remainder[more - 1]] % 1000
        tied = [number for number in parts if parts[number] % 1000 == last]
        above = [number for number in by_remainder[:more] if parts[number] % 1000 > last]
        # Only where equal ones don't all get more does their order count.
        tied = sorted(tied, key=names.__getitem__)[: more - len(above)]
        for number in (*above, *tied):
            shares[number] += 1
    return shares
