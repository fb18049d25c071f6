"""The largest frames of a profile, flat and cumulative, as `pprof -top` and `-tree` show. Pure."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from agentpprof.models import NO_FRAMES, Stack, kind_of
from agentpprof.stack_tree import Tree, merge

# The kinds of frame that name a cost; phase, repeat, result and outcome only sort it.
NAMING_KINDS = ("task", "skill", "action", "object", "token")


class TopRow(NamedTuple):
    """One frame with what it weighs."""

    frame: str
    flat: int  # the sum of the stacks that end in it
    cum: int  # the sum of the stacks that hold it, each once


class Branch(NamedTuple):
    """One frame below the frames that lead to it."""

    frame: str
    level: int  # 0 is the whole
    value: int


def top_rows(
    stacks: Mapping[Stack, int], kinds: Collection[str] = (), by_flat: bool = False
) -> list[TopRow]:
    """Return the frames of some kinds, or of all, the largest first."""
    flat: dict[str, int] = {}
    cum: dict[str, int] = {}
    for stack, value in stacks.items():
        flat[stack[-1]] = flat.get(stack[-1], 0) + value
        for frame in set(stack):
            cum[frame] = cum.get(frame, 0) + value
    kinds = {*kinds, kind_of(NO_FRAMES[0])} if kinds else ()
    shown = [each for each in cum if not kinds or kind_of(each) in kinds] or list(cum)
    rows = [TopRow(frame, flat.get(frame, 0), cum[frame]) for frame in shown]
    if by_flat:
        return sorted(rows, key=lambda row: (-row.flat, -row.cum, row.frame))
    return sorted(rows, key=lambda row: (-row.cum, -row.flat, row.frame))


def only_kinds(stacks: Mapping[Stack, int], kinds: Collection[str]) -> dict[Stack, int]:
    """Return the stacks with frames of some kinds alone; what has none of them stays, as `none`."""
    sums: dict[Stack, int] = {}
    for stack, value in stacks.items():
        kept = tuple(frame for frame in stack if kind_of(frame) in kinds) or NO_FRAMES
        sums[kept] = sums.get(kept, 0) + value
    return sums


def top_branches(stacks: Mapping[Stack, int], limit: int) -> tuple[list[Branch], int]:
    """Return the `limit` heaviest nodes of the tree of all stacks, in the order of a walk in it.

    Beside them how many nodes were left out.
    """
    tree = merge(stacks)
    # A node weighs no more than its parent and stands behind it: so parents are never left out.
    heaviest = sorted(range(len(tree.name)), key=lambda node: (-tree.total[node], node))
    kept = set(heaviest[: limit + 1])
    branches = [
        Branch(tree.names[tree.name[node]], tree.depth[node], tree.total[node])
        for node in _walk(tree)
        if node in kept
    ]
    return branches, len(tree.name) - len(branches)


def _walk(tree: Tree) -> list[int]:
    """Return all nodes, each before its children, heavy children first."""
    nodes, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting.extend(reversed(tree.by_weight(node)))
    return nodes
