"""Stacks merged by common beginnings into one tree, and the tree laid out as boxes; numbers only.

The tree is kept as columns in preorder, since a hundred thousand stacks make half a million nodes:
node i has its first child at i + 1 and its next sibling at `end[i]`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from agentpprof.models import Stack

ROOT = "all"


Path = tuple[int, ...]


class Tree(NamedTuple):
    """All nodes in preorder; node 0 is the root, children stand in order of name."""

    names: list[str]  # sorted, but for the root's in front
    stacks: dict[Path, int]  # what the tree was made of: numbers of names, sorted
    name: list[int]
    depth: list[int]
    parent: list[int]
    total: list[int]  # with all descendants
    end: list[int]  # the first node behind the last descendant

    def children(self, node: int) -> Iterator[int]:
        """Yield the children of a node."""
        child = node + 1
        while child < self.end[node]:
            yield child
            child = self.end[child]

    def by_weight(self, node: int) -> list[int]:
        """Return the children of a node, heaviest first, then by name."""
        return sorted(self.children(node), key=lambda child: (-self.total[child], child))

    def path(self, node: int) -> list[str]:
        """Return the names from below the root down to a node."""
        names = []
        while node:
            names.append(self.names[self.name[node]])
            node = self.parent[node]
        return names[::-1]


class Box(NamedTuple):
    """A node as a box; a share of 1.0 is the whole width."""

    node: int
    start: float
    share: float


class Layout(NamedTuple):
    """The boxes to draw, parents before children, and what was left out."""

    boxes: list[Box]
    hidden: int
    hidden_weight: int


def merge(values: Mapping[Stack, int]) -> Tree:
    """Build the tree of all stacks."""
    names = [ROOT, *sorted({frame for stack in values for frame in stack})]
    numbers = {name: number for number, name in enumerate(names) if number}
    paths = {tuple(map(numbers.__getitem__, stack)): value for stack, value in values.items()}
    tree = Tree(names, {path: paths[path] for path in sorted(paths)}, [0], [0], [0], [0], [1])
    _add_stacks(tree)
    _sum_up(tree)
    return tree


def _add_stacks(tree: Tree) -> None:
    """Append a node for each frame that a stack does not share with the stack before it."""
    open_nodes = [0]
    previous: Path = ()
    for path, value in tree.stacks.items():
        shared = shared_length(previous, path)
        del open_nodes[shared + 1 :]
        for number in path[shared:]:
            tree.depth.append(len(open_nodes))
            tree.parent.append(open_nodes[-1])
            open_nodes.append(len(tree.name))
            tree.name.append(number)
            tree.total.append(0)
        tree.total[open_nodes[-1]] += value
        previous = path


def totals_of(tree: Tree, values: Iterable[int]) -> list[int]:
    """Return the totals of all nodes for other values of the same stacks, in their order."""
    totals = [0] * len(tree.name)
    open_nodes, node = [0], 0
    previous: Path = ()
    for path, value in zip(tree.stacks, values, strict=True):
        shared = shared_length(previous, path)
        del open_nodes[shared + 1 :]
        for _ in path[shared:]:
            node += 1
            open_nodes.append(node)
        totals[open_nodes[-1]] += value
        previous = path
    for node in range(len(totals) - 1, 0, -1):
        totals[tree.parent[node]] += totals[node]
    return totals


def shared_length(before: Path, path: Path) -> int:
    """Return the length of the common beginning of two stacks."""
    length = 0
    for one, other in zip(before, path, strict=False):
        if one != other:
            break
        length += 1
    return length


def _sum_up(tree: Tree) -> None:
    """Add totals to parents and find the ends, from the last node back to the root."""
    tree.end[:] = range(1, len(tree.name) + 1)
    for node in range(len(tree.name) - 1, 0, -1):
        parent = tree.parent[node]
        tree.total[parent] += tree.total[node]
        tree.end[parent] = max(tree.end[parent], tree.end[node])


def lay_out(tree: Tree, smallest_share: float, deepest: int) -> Layout:
    """Place the root and every node that is wide enough; a box's descendants lie within it."""
    whole = tree.total[0]
    boxes, hidden, hidden_weight = [], 0, 0
    waiting = [Box(0, 0.0, 1.0)]
    while waiting:
        box = waiting.pop()
        boxes.append(box)
        start, inner = box.start, []
        for child in tree.by_weight(box.node):
            share = tree.total[child] / whole
            if share < smallest_share or tree.depth[child] > deepest:
                hidden += tree.end[child] - child
                hidden_weight += tree.total[child]
            else:
                inner.append(Box(child, start, share))
            start += share
        waiting.extend(reversed(inner))
    return Layout(boxes, hidden, hidden_weight)
