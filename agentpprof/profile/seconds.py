"""Share out whole seconds, so that the total, each stack and each sample agree in every format."""

from collections.abc import Sequence
from typing import Any

Sums = dict[tuple[int, int], int]  # (number of a stack, number of its labels) -> sum


def in_whole_seconds(milliseconds: Sums, stacks: Sequence[Any], label_sets: Sequence[Any]) -> Sums:
    """Return seconds by largest remainder, three times over.

    The total comes first, its seconds go over the stacks, each stack's over its labels. Remainders
    that are equal go by the order of stacks and labels, never by that of the log.
    """
    by_stack: dict[int, list[tuple[int, int]]] = {}
    for key in _in_order(milliseconds, stacks, label_sets):
        by_stack.setdefault(key[0], []).append(key)
    totals = [sum(milliseconds[key] for key in keys) for keys in by_stack.values()]
    shares = _share(totals, round(sum(totals) / 1000))
    seconds: Sums = {}
    for keys, share in zip(by_stack.values(), shares, strict=True):
        seconds.update(zip(keys, _share([milliseconds[key] for key in keys], share), strict=True))
    return seconds


def _in_order(
    sums: Sums, stacks: Sequence[Any], label_sets: Sequence[Any]
) -> list[tuple[int, int]]:
    """Return the keys by order of their stacks, then of their labels."""
    stack_ranks, label_ranks, width = _ranks(stacks), _ranks(label_sets), len(label_sets)
    # One number a key: numbers are sorted many times faster than pairs.
    places = {stack_ranks[key[0]] * width + label_ranks[key[1]]: key for key in sums}
    return [places[place] for place in sorted(places)]


def _ranks(values: Sequence[Any]) -> list[int]:
    """Return the place of each value in their order."""
    ranks = [0] * len(values)
    for rank, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        ranks[number] = rank
    return ranks


def _share(parts: list[int], whole: int) -> list[int]:
    """Return milliseconds in seconds, each rounded down or up so that they sum to `whole`."""
    if len(parts) == 1:
        return [whole]
    shares = [part // 1000 for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda number: -(parts[number] % 1000))
    for number in by_remainder[: whole - sum(shares)]:
        shares[number] += 1
    return shares
