"""Make cells fit to publish: names that people chose become numbered ones.

What is left are words of closed lists, names that everybody knows (programs, an agent's own tools,
models of the two vendors, folders such as `src`) and sums. All other names are `project-1`,
`session-1`, `path-1` and so on, the same within one output, in the order of the names. Hosts, days,
texts and hashes go.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from agentpprof.models import Bag
from agentpprof.profile.fields import Cell, PromptGroup, SessionGroup
from agentpprof.resources import read_text
from agentpprof.semantics.programs import is_known_program
from agentpprof.semantics.tools import known_tools
from agentpprof.vocabulary import EXTERNAL_GROUPS, PHASE_OF, TAGS, UNTAGGED

HOST: Final = "host"
_VENDOR_MODEL: Final = re.compile(
    r"(?:claude|gpt|codex|o\d)"
    r"(?:-(?:\d{1,2}(?:\.\d{1,2})?o?|opus|sonnet|haiku|instant|codex|mini|nano|pro|max|turbo"
    r"|latest|preview|spark)){0,5}"
    r"(?:-(?:20\d{6}|20\d\d-\d\d-\d\d))?"  # the day of a model
)
_VERSION: Final = re.compile(r"-?\d{1,2}(?:\.\d{1,2})?")
_TIERS: Final = frozenset({"default", "standard", "priority", "batch", "fast", "flex", "scale"})
_TAGS: Final = frozenset((*TAGS, UNTAGGED, *PHASE_OF.values(), "answer"))
_KIND_OF_OBJECT: Final = {"agent": "subagent", "server": "server", "skill": "skill"}

Change = Callable[[str], str]


class Changes(NamedTuple):
    """What stands for a name, by the kind of thing that it names."""

    by_kind: Mapping[str, Change]

    def of(self, kind: str, name: str) -> str:
        """Return what stands for a name; the empty one stays empty."""
        return self.by_kind[kind](name) if name else ""


def anonymized(cells: Iterable[tuple[Cell, int]]) -> list[tuple[Cell, int]]:
    """Return the cells with people's names numbered; texts and exact paths are left out."""
    weighed = list(cells)
    changes = _changes(
        {id(cell.session): cell.session for cell, _ in weighed}.values(),
        {id(cell.prompt): cell.prompt for cell, _ in weighed}.values(),
        {cell.bag for cell, _ in weighed},
        {(cell.bag.object_kind, cell.group, cell.answer_tag) for cell, _ in weighed},
    )
    # Equal groups stay one object: the fold tells them apart by identity.
    sessions: dict[int, SessionGroup] = {}
    prompts: dict[int, PromptGroup] = {}
    bags: dict[Bag, Bag] = {}
    changed = []
    for cell, value in weighed:
        if id(cell.session) not in sessions:
            sessions[id(cell.session)] = _session(cell.session, changes)
        if id(cell.prompt) not in prompts:
            prompts[id(cell.prompt)] = _prompt(cell.prompt, changes)
        if cell.bag not in bags:
            bags[cell.bag] = _bag(cell.bag, changes)
        new = Cell(
            bags[cell.bag],
            cell.result,
            prompts[id(cell.prompt)],
            sessions[id(cell.session)],
            object="",
            group=_group(cell, changes),
            detail=cell.detail,
            day="",
            answer_tag=changes.of("tag", cell.answer_tag),
        )
        changed.append((new, value))
    return changed


def _changes(
    sessions: Iterable[SessionGroup],
    prompts: Iterable[PromptGroup],
    bags: Iterable[Bag],
    objects: Iterable[tuple[str, str, str]],
) -> Changes:
    """Number the names of each kind that not everybody knows."""
    names: dict[str, set[str]] = {kind: set() for kind in _IS_PUBLIC}
    for session in sessions:
        names["project"].add(session.project)
        names["session"].add(session.session_id)
        names["subagent"].add(session.subagent)
        names["tag"].add(session.tag)
    for prompt in prompts:
        names["tag"] |= {prompt.task, prompt.tag}
    for bag in bags:
        names["skill"].add(bag.skill)
        names["tool"].add(bag.tool)
        names["model"].add(bag.model)
        names["tier"].add(bag.tier)
        names["program"] |= {bag.cmd, *bag.process.split()}
    for object_kind, name, answer_tag in objects:
        names["tag"].add(answer_tag)
        kind = _KIND_OF_OBJECT.get(object_kind, object_kind)
        if kind in names:
            names[kind].add(first_level(name) if kind == "path" else name)
    return Changes({kind: _numbered(kind, found) for kind, found in names.items()})


def _numbered(kind: str, names: Iterable[str]) -> Change:
    is_public = _IS_PUBLIC[kind]
    private = sorted(name for name in names if name and not is_public(name))
    numbers = {name: f"{kind}-{number}" for number, name in enumerate(private, start=1)}
    return lambda name: numbers.get(name, name)


def _session(group: SessionGroup, changes: Changes) -> SessionGroup:
    return SessionGroup(
        project=changes.of("project", group.project),
        agent=group.agent,
        tag=changes.of("tag", group.tag),
        subagent=changes.of("subagent", group.subagent),
        session_id=changes.of("session", group.session_id),
    )


def _prompt(group: PromptGroup, changes: Changes) -> PromptGroup:
    return PromptGroup(
        task=changes.of("tag", group.task),
        tag=changes.of("tag", group.tag),
        outcome=group.outcome,
        origin=group.origin,
    )


def _bag(bag: Bag, changes: Changes) -> Bag:
    return bag._replace(
        skill=changes.of("skill", bag.skill),
        tool=changes.of("tool", bag.tool),
        model=changes.of("model", bag.model),
        tier=changes.of("tier", bag.tier),
        cmd=changes.of("program", bag.cmd),
        process=" ".join(changes.of("program", word) for word in bag.process.split()),
    )


def _group(cell: Cell, changes: Changes) -> str:
    """Return what an object is shown as."""
    kind = _KIND_OF_OBJECT.get(cell.bag.object_kind, cell.bag.object_kind)
    if kind == "domain":
        return HOST if cell.group else ""
    if kind not in changes.by_kind:
        return ""
    return changes.of(kind, first_level(cell.group) if kind == "path" else cell.group)


def first_level(group: str) -> str:
    """Return the first level of a path group; `external/…` groups are words of a closed list."""
    return group if group in EXTERNAL_GROUPS else group.split("/", 1)[0]


@cache
def _common_paths() -> frozenset[str]:
    lines = read_text("data", "common_paths.txt").splitlines()
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    return frozenset((*words, *EXTERNAL_GROUPS))


def _is_everybodys_program(name: str) -> bool:
    """Say whether all know a program; only a short version may stand behind its name."""
    version = name[len(name.rstrip("0123456789.-")) :]
    return is_known_program(name) and (not version or _VERSION.fullmatch(version) is not None)


# Which names everybody knows, by kind.
_IS_PUBLIC: Final[Mapping[str, Callable[[str], bool]]] = {
    "project": lambda name: False,
    "session": lambda name: False,
    "subagent": lambda name: False,
    "skill": lambda name: False,
    "server": lambda name: False,
    "tag": _TAGS.__contains__,
    "tool": lambda name: name in known_tools(),
    "program": _is_everybodys_program,
    "model": lambda name: _VENDOR_MODEL.fullmatch(name) is not None,
    "tier": _TIERS.__contains__,
    "path": lambda name: name in _common_paths(),
}
