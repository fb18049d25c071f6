"""Make cells fit to publish: names that people chose become numbered ones.

What is left are words of closed lists, names that everybody knows (programs, an agent's own tools,
models) and counts. Projects, sessions, skills, sub-agents, servers and unknown programs and tools
are `project-1`, `session-1` and so on, the same within one output and in the order of their names,
so the numbers say nothing. Hosts and days go; of a path only its first level stays.
"""

from collections.abc import Callable, Iterable
from typing import Final

from agentpprof.models import Bag
from agentpprof.profile.fields import Cell, SessionGroup
from agentpprof.semantics.programs import is_known_program
from agentpprof.semantics.tools import known_tools

HOST: Final = "host"
_NUMBERED_OBJECTS: Final = frozenset({"agent", "server", "skill"})


class Pseudonyms:
    """Numbers for the names of one kind."""

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        """Number the distinct `names` in their order; the empty one stays empty."""
        self._names = {
            name: f"{kind}-{number}"
            for number, name in enumerate(sorted({name for name in names if name}), start=1)
        }

    def of(self, name: str) -> str:
        """Return what stands for a name."""
        return self._names.get(name, "")


def anonymized(cells: Iterable[tuple[Cell, int]]) -> list[tuple[Cell, int]]:
    """Return the cells with people's names numbered; texts and exact paths are left out."""
    weighed = list(cells)
    change_session = _sessions({id(cell.session): cell.session for cell, _ in weighed}.values())
    change_bag = _bags({cell.bag for cell, _ in weighed})
    change_group = _groups(cell for cell, _ in weighed)
    return [
        (
            cell._replace(
                bag=change_bag(cell.bag),
                session=change_session(cell.session),
                object="",
                group=change_group(cell),
                prompt=cell.prompt,
                day="",
                command="",
                answer="",
            ),
            value,
        )
        for cell, value in weighed
    ]


def _sessions(groups: Iterable[SessionGroup]) -> Callable[[SessionGroup], SessionGroup]:
    """Return the change of groups of sessions; equal groups stay one object."""
    every = list(groups)
    projects = Pseudonyms("project", (group.project for group in every))
    sessions = Pseudonyms("session", (group.session_id for group in every))
    agents = Pseudonyms("subagent", (group.subagent for group in every))
    changed = {
        id(group): group._replace(
            project=projects.of(group.project),
            session_id=sessions.of(group.session_id),
            subagent=agents.of(group.subagent),
            root="",
            worktree="",
        )
        for group in every
    }
    return lambda group: changed[id(group)]


def _bags(bags: Iterable[Bag]) -> Callable[[Bag], Bag]:
    """Return the change of bags."""
    every = list(bags)
    skills = Pseudonyms("skill", (bag.skill for bag in every))
    tools = Pseudonyms("tool", (bag.tool for bag in every if not _is_known_tool(bag.tool)))
    words = [word for bag in every for word in (bag.cmd, *bag.process.split())]
    programs = Pseudonyms("program", (word for word in words if not is_known_program(word)))

    def program(word: str) -> str:
        return word if is_known_program(word) else programs.of(word)

    changed = {
        bag: bag._replace(
            skill=skills.of(bag.skill),
            tool=bag.tool if _is_known_tool(bag.tool) else tools.of(bag.tool),
            cmd=program(bag.cmd),
            process=" ".join(map(program, bag.process.split())),
        )
        for bag in every
    }
    return lambda bag: changed[bag]


def _groups(cells: Iterable[Cell]) -> Callable[[Cell], str]:
    """Return the change of what an object is shown as."""
    shown = {(cell.bag.object_kind, cell.group) for cell in cells}
    numbered = {
        kind: Pseudonyms(kind, (name for of_kind, name in shown if of_kind == kind))
        for kind in _NUMBERED_OBJECTS
    }
    unknown_tools = (name for kind, name in shown if kind == "tool" and not _is_known_tool(name))
    unknown_programs = (
        name for kind, name in shown if kind == "program" and not is_known_program(name)
    )
    tools, programs = Pseudonyms("tool", unknown_tools), Pseudonyms("program", unknown_programs)

    def change(cell: Cell) -> str:
        kind, name = cell.bag.object_kind, cell.group
        if kind in numbered:
            return numbered[kind].of(name)
        if kind == "path":
            return first_level(name)
        if kind == "domain":
            return HOST if name else ""
        if kind == "tool" and not _is_known_tool(name):
            return tools.of(name)
        if kind == "program" and not is_known_program(name):
            return programs.of(name)
        return name

    return change


def first_level(group: str) -> str:
    """Return the first level of a path group; `external/…` groups are generated words."""
    return group if group.startswith("external/") else group.split("/", 1)[0]


def _is_known_tool(name: str) -> bool:
    return name in known_tools()
