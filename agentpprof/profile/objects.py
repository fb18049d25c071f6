"""What the objects of operations are called: paths by their group, everything else by its name."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from agentpprof.profile.cells import Distinct, ShownObject
from agentpprof.profile.fields import SessionGroup
from agentpprof.semantics.paths import path_group
from agentpprof.store import queries
from agentpprof.workspaces import WORKTREE_FOLDERS


class Objects:
    """The shown objects of one view, numbered as they come; 0 is none."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        kinds: Mapping[int, str],
        sessions: Sequence[SessionGroup],
        path_depth: int,
        with_paths: bool,
    ) -> None:
        """`kinds` is bag number -> kind of object; `with_paths`: exact paths are looked at."""
        self._connection = connection
        self._kinds = kinds
        self._sessions = sessions
        self._path_depth = path_depth
        self._with_paths = with_paths
        roots = Distinct[str]()  # paths seen from one root have their groups in common
        self._roots = [roots.number(each.root) for each in sessions]
        self._shown = Distinct(ShownObject())
        self._known: dict[tuple[str, int], _Shown] = {}
        self._names: Mapping[int, str] = {}
        self._paths: Mapping[int, str] = {}

    def read(self, bags_and_objects: Iterable[tuple[int, int]]) -> None:
        """Read the names of all objects that will be asked for."""
        numbers: tuple[set[int], set[int]] = (set(), set())
        for bag_id, object_id in bags_and_objects:
            numbers[self._kinds[bag_id] == "path"].add(object_id)
        self._names = queries.read_names(self._connection, numbers[False])
        self._paths = queries.read_paths(self._connection, numbers[True])

    def shown_of(self, bag_id: int, session: int) -> Mapping[int, int]:
        """Return the numbers of a bag's objects, as a session shows them, by the store's number."""
        spot = (self._kinds[bag_id], self._roots[session])
        found = self._known.get(spot)
        if found is None:
            shown_object = partial(self._shown_object, spot[0], self._sessions[session])
            found = self._known[spot] = _Shown(shown_object, self._shown)
        return found

    def values(self) -> list[ShownObject]:
        """Return the objects by number."""
        return self._shown.values()

    def _shown_object(self, kind: str, session: SessionGroup, object_id: int) -> ShownObject:
        if kind != "path":
            name = self._names.get(object_id, "")
            return ShownObject(kind, name, name)
        path = self._paths.get(object_id, "")
        group = self._group(path, session) if path else ""
        return ShownObject(kind, path if self._with_paths else "", group)

    def _group(self, path: str, session: SessionGroup) -> str:
        return path_group(without_worktree(path, session.root), session.root, self._path_depth)


class _Shown(dict[int, int]):
    """The numbers of objects of one kind in one place, each found when it is first asked for."""

    def __init__(
        self, shown_object: Callable[[int], ShownObject], distinct: Distinct[ShownObject]
    ) -> None:
        super().__init__({0: 0})
        self._shown_object = shown_object
        self._distinct = distinct

    def __missing__(self, object_id: int) -> int:
        number = self[object_id] = self._distinct.number(self._shown_object(object_id))
        return number


def without_worktree(path: str, root: str) -> str:
    """Return where a path lies in the checkout, for one in a worktree of a project below `root`."""
    for folder in WORKTREE_FOLDERS:
        before, found, behind = path.partition(f"/{folder}/")
        if found and (before == root or before.startswith(root + "/")):
            rest = behind.partition("/")[2]
            return f"{before}/{rest}" if rest else before
    return path
