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
        rests = {number: part % 1000 for number, part in parts.items()}
        ordered = sorted(parts, key=rests.__getitem__, reverse=True)
        last = rests[ordered[more - 1]]
        if more < len(ordered) and rests[ordered[more]] == last:
            # Only where equal ones don't all get more does their order count.
            above = [number for number in ordered[:more] if rests[number] > last]
            tied = [number for number in ordered if rests[number] == last]
            ordered = above + sorted(tied, key=names.__getitem__)
        for number in ordered[:more]:
            shares[number] += 1
    return shares
