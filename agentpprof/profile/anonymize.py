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
from agentpprof.profile.cells import RESULT_BITS, Cells, ShownObject, Texts
from agentpprof.profile.fields import PromptGroup, SessionGroup
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

Renaming = Callable[[str], str]


class Pseudonyms(NamedTuple):
    """What stands for a name, by the kind of thing that it names."""

    by_kind: Mapping[str, Renaming]

    def of(self, kind: str, name: str) -> str:
        """Return what stands for a name; the empty one stays empty."""
        return self.by_kind[kind](name) if name else ""


def anonymized(cells: Cells) -> Cells:
    """Return the cells with people's names numbered; texts and exact paths are left out."""
    bag_ids = {number >> RESULT_BITS for number in cells.used("bag")}
    pseudonyms = _pseudonyms(
        [cells.sessions[number] for number in cells.used("session")],
        [cells.prompts[number] for number in cells.used("prompt")],
        [cells.bags[number] for number in bag_ids],
        [cells.objects[number] for number in cells.used("object")],
        [cells.texts[number].answer_tag for number in cells.used("text")],
    )
    return cells._replace(
        bags={number: _bag(cells.bags[number], pseudonyms) for number in bag_ids},
        prompts=[_prompt(group, pseudonyms) for group in cells.prompts],
        sessions=[_session(group, pseudonyms) for group in cells.sessions],
        objects=[_object(shown, pseudonyms) for shown in cells.objects],
        days=dict.fromkeys(cells.days, ""),
        texts=[Texts(answer_tag=pseudonyms.of("tag", text.answer_tag)) for text in cells.texts],
    )


def _pseudonyms(
    sessions: Iterable[SessionGroup],
    prompts: Iterable[PromptGroup],
    bags: Iterable[Bag],
    objects: Iterable[ShownObject],
    answer_tags: Iterable[str],
) -> Pseudonyms:
    """Number the names of each kind that not everybody knows."""
    names: dict[str, set[str]] = {kind: set() for kind in _IS_PUBLIC}
    names["tag"].update(answer_tags)
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
    for shown in objects:
        kind = _KIND_OF_OBJECT.get(shown.kind, shown.kind)
        if kind in names:
            names[kind].add(first_level(shown.group) if kind == "path" else shown.group)
    return Pseudonyms({kind: _numbered(kind, found) for kind, found in names.items()})


def _numbered(kind: str, names: Iterable[str]) -> Renaming:
    is_public = _IS_PUBLIC[kind]
    private = sorted(name for name in names if name and not is_public(name))
    numbers = {name: f"{kind}-{number}" for number, name in enumerate(private, start=1)}
    return lambda name: numbers.get(name, name)


def _session(group: SessionGroup, pseudonyms: Pseudonyms) -> SessionGroup:
    return SessionGroup(
        project=pseudonyms.of("project", group.project),
        agent=group.agent,
        tag=pseudonyms.of("tag", group.tag),
        subagent=pseudonyms.of("subagent", group.subagent),
        session_id=pseudonyms.of("session", group.session_id),
    )


def _prompt(group: PromptGroup, pseudonyms: Pseudonyms) -> PromptGroup:
    return PromptGroup(
        task=pseudonyms.of("tag", group.task),
        tag=pseudonyms.of("tag", group.tag),
        outcome=group.outcome,
        origin=group.origin,
    )


def _bag(bag: Bag, pseudonyms: Pseudonyms) -> Bag:
    return bag._replace(
        skill=pseudonyms.of("skill", bag.skill),
        tool=pseudonyms.of("tool", bag.tool),
        model=pseudonyms.of("model", bag.model),
        tier=pseudonyms.of("tier", bag.tier),
        cmd=pseudonyms.of("program", bag.cmd),
        process=" ".join(pseudonyms.of("program", word) for word in bag.process.split()),
    )


def _object(shown: ShownObject, pseudonyms: Pseudonyms) -> ShownObject:
    kind = _KIND_OF_OBJECT.get(shown.kind, shown.kind)
    if kind == "domain":
        group = HOST if shown.group else ""
    elif kind not in pseudonyms.by_kind:
        group = ""
    else:
        group = pseudonyms.of(kind, first_level(shown.group) if kind == "path" else shown.group)
    return ShownObject(shown.kind, group=group)


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
