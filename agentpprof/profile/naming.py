"""What the objects of operations are called: paths by their group, everything else by its name."""

import sqlite3
from collections.abc import Iterable

from agentpprof.models import Bag
from agentpprof.profile.fields import SessionGroup
from agentpprof.profile.request import Request
from agentpprof.semantics.paths import path_group
from agentpprof.store import queries


class Naming:
    """Names of objects: of paths their group below the session's root, of the rest themselves."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        request: Request,
        objects: Iterable[tuple[Bag, int]],
    ) -> None:
        """Read the names of all `objects`: bags with numbers of objects."""
        self._request = request
        self._groups: dict[tuple[str, str, str], str] = {}
        self._bags: dict[tuple[int, str], Bag] = {}
        self._kind = {"files": "path", "network": "domain"}.get(request.view.name, "")
        numbers: tuple[set[int], set[int]] = (set(), set())
        for bag, object_id in objects:
            numbers[(self._kind or bag.object_kind) == "path"].add(object_id)
        self._names = queries.read_names(connection, numbers[False])
        self._paths = queries.read_paths(connection, numbers[True])

    def name_of(self, bag: Bag, object_id: int, session: SessionGroup) -> tuple[Bag, str, str]:
        """Return the bag with the view's own kind of object, the object and what to show."""
        if self._kind:
            bag = self._bag_of_kind(bag)
        if bag.object_kind != "path":
            text = self._names.get(object_id, "")
            return bag, text, text
        text = self._paths.get(object_id, "")
        if not text:
            return bag, text, text
        place = (text, session.root, session.worktree)
        group = self._groups.get(place)
        if group is None:
            group = self._groups[place] = self._group(*place)
        return bag, text, group

    def _bag_of_kind(self, bag: Bag) -> Bag:
        found = self._bags.get((bag.id, self._kind))
        if found is None:
            found = self._bags[bag.id, self._kind] = bag._replace(object_kind=self._kind)
        return found

    def _group(self, path: str, root: str, worktree: str) -> str:
        if worktree and (path == worktree or path.startswith(worktree + "/")):
            return path_group(path, worktree, self._request.path_depth)
        return path_group(path, root, self._request.path_depth)


def worktree_of(cwd: str, root: str) -> str:
    """Return the worktree of a project that a folder lies in, empty for the checkout itself."""
    for marker in ("/.claude/worktrees/", "/.worktrees/"):
        before, found, behind = cwd.partition(marker)
        if found and before == root:
            return before + marker + behind.split("/", 1)[0]
    return ""
