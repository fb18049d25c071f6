"""The fields of an operation: where each value comes from, one line a field.

A cell is what operations with one bag, result, prompt group, session group, object, day … share,
`Parts` are its numbers. A field depends on some of the parts, so its value is computed once for
each distinct combination of these, never for each operation.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from agentpprof.models import Bag
from agentpprof.vocabulary import LLM, OPS, OUTCOMES, PROMPT, RESULTS

PREVIEW: Final = 180  # characters of a text that the fields `…_preview` hold


class PromptGroup(NamedTuple):
    """What prompts of one group share."""

    task: str = ""
    tag: str = ""
    outcome: str = ""
    origin: str = ""
    text: str = ""  # only where a rule looks at it
    hash: str = ""  # only where a rule, a frame or a label needs it


class SessionGroup(NamedTuple):
    """What sessions of one group share."""

    project: str = ""
    agent: str = ""
    tag: str = ""
    subagent: str = ""
    session_id: str = ""  # only where a rule, a frame or a label needs it
    root: str = ""


class Parts(NamedTuple):
    """The numbers of a cell: where two cells agree in a part, they agree in all it decides."""

    bag: int  # with the result
    prompt: int
    session: int
    object: int
    detail: int
    day: int
    text: int


Numbers = tuple[int, int, int, int, int, int, int]  # `Parts` as a bare tuple: far quicker


class Cell(NamedTuple):
    """A cell with names for its numbers."""

    bag: Bag
    result: int
    prompt: PromptGroup
    session: SessionGroup
    object: str  # a name, or an exact path
    group: str  # the object as it may be shown: path group, domain, program …
    detail: str  # the token component, the access, or the part of time
    day: str
    command: str = ""  # only where a rule looks at it
    answer: str = ""  # what the model said; only where a rule looks at it
    answer_tag: str = ""  # its tag: by a rule or a model, else the phase of the next step


Read = Callable[[Cell], str]


class Field(NamedTuple):
    """One field: how it is read, what its value depends on, what it means."""

    read: Read
    depends_on: tuple[str, ...]  # names of `Parts`
    meaning: str
    may_be_frame: bool = True
    instead: str = ""  # for a field that is only matched: the frame to use


_BAG: Final = ("bag",)
_PROMPT: Final = ("prompt",)
_SESSION: Final = ("session",)
_OBJECT: Final = ("bag", "object")  # the bag says what kind of object it is
_DETAIL: Final = ("detail",)
_TEXT: Final = ("bag", "text")


def _bag_field(name: str, meaning: str) -> Field:
    position = Bag._fields.index(name)
    return Field(lambda cell: str(cell.bag[position]), _BAG, meaning)


def _action(cell: Cell) -> str:
    if cell.bag.op != LLM:
        return cell.bag.action
    return "think" if RESULTS[cell.result] in ("tool-use", "unknown", "error") else "answer"


def _result(cell: Cell) -> str:
    return "" if cell.bag.op == PROMPT else RESULTS[cell.result]


def _status(cell: Cell) -> str:
    if cell.bag.op in (PROMPT, LLM) or RESULTS[cell.result] == "unknown":
        return "observed"
    return "ok" if RESULTS[cell.result] == "ok" else "fail"


def _llm_tag(cell: Cell) -> str:
    return cell.answer_tag if cell.bag.op == LLM else ""


def _call(cell: Cell) -> str:
    tag = _llm_tag(cell)
    return f"llm/{tag}" if tag else ""


def _response_phase(cell: Cell) -> str:
    if cell.bag.op != LLM:
        return ""
    return "final_answer" if RESULTS[cell.result] == "final" else "assistant_message"


def _text_field(read: Read, depends_on: tuple[str, ...], meaning: str, instead: str) -> Field:
    """Return a field that people or models wrote: rules may look at it, no output shows it."""
    return Field(read, depends_on, meaning, may_be_frame=False, instead=instead)


def _exact_path(cell: Cell) -> str:
    return cell.object if cell.bag.object_kind == "path" else ""


def _object_of_kind(*kinds: str) -> Read:
    return lambda cell: cell.group if cell.bag.object_kind in kinds else ""


def _shown_object(cell: Cell) -> str:
    return "" if cell.bag.op == PROMPT else cell.group


FIELDS: Final[Mapping[str, Field]] = {
    "op": Field(lambda cell: OPS[cell.bag.op], _BAG, "prompt, llm or tool"),
    "task": Field(lambda cell: cell.prompt.task, _PROMPT, "what the prompt in force is about"),
    "skill": _bag_field("skill", "active skill or slash command"),
    "phase": _bag_field("phase", "group of actions"),
    "action": Field(_action, _BAG, "what was done"),
    "object": Field(_shown_object, _OBJECT, "what it was done to"),
    "repeat": _bag_field("repeat", "again, retry or loop; no frame at first"),
    "result": Field(_result, _BAG, "how it ended"),
    "outcome": Field(lambda cell: cell.prompt.outcome, _PROMPT, "how the prompt ended"),
    "token": Field(lambda cell: cell.detail, _DETAIL, "token component; tokens view only"),
    "project": Field(lambda cell: cell.session.project, _SESSION, "project's name"),
    "agent": Field(lambda cell: cell.session.agent, _SESSION, "claude or codex"),
    "session": Field(lambda cell: cell.session.tag, _SESSION, "the session's tag"),
    "session_id": Field(lambda cell: cell.session.session_id, _SESSION, "the session's id"),
    "source_session": Field(
        lambda cell: cell.session.session_id, _SESSION, "another name of session_id"
    ),
    "subagent": Field(
        lambda cell: cell.session.subagent, _SESSION, "sub-agent's type; none in the main thread"
    ),
    "prompt": Field(lambda cell: cell.prompt.tag, _PROMPT, "the prompt's own tag"),
    "origin": Field(lambda cell: cell.prompt.origin, _PROMPT, "who wrote the prompt, and how"),
    "model": _bag_field("model", "model of an LLM call"),
    "tier": _bag_field("tier", "service tier or speed, unless standard"),
    "tool": _bag_field("tool", "tool's name as logged"),
    "category": _bag_field("category", "kind of tool, as the Rust tool names it"),
    "cmd": _bag_field("cmd", "program that tells most of a shell command"),
    "effect": _bag_field("effect", "effect of a tool call, as the Rust tool names it"),
    "process": _bag_field("process", "programs of a shell command, outermost first"),
    "status": Field(_status, _BAG, "ok, fail or observed, as the Rust tool names it"),
    "path": Field(_object_of_kind("path"), _OBJECT, "path group"),
    "domain": Field(_object_of_kind("domain"), _OBJECT, "host; in other views the object's alone"),
    "access": Field(lambda cell: cell.detail, _DETAIL, "kind of use; files and network view only"),
    "part": Field(lambda cell: cell.detail, _DETAIL, "tool, model, user or idle; time view only"),
    "day": Field(lambda cell: cell.day, ("day",), "day in the database's zone"),
    "llm": Field(_llm_tag, _TEXT, "tag of an LLM call: by a rule, else the phase of its next step"),
    "call": Field(_call, _TEXT, "llm/ and that tag, as the Rust tool names it"),
    "response_phase": Field(
        _response_phase, _BAG, "final_answer or assistant_message, as the Rust tool names it"
    ),
    "source_kind": Field(lambda cell: OPS[cell.bag.op], _BAG, "another name of op"),
    "prompt_hash": Field(lambda cell: cell.prompt.hash, _PROMPT, "tells prompts apart, textless"),
    "command": _text_field(lambda cell: cell.command, _TEXT, "the whole command", "cmd"),
    "file": _text_field(_exact_path, _OBJECT, "the exact path", "path"),
    "prompt_text": _text_field(
        lambda cell: cell.prompt.text, _PROMPT, "what the prompt says", "prompt"
    ),
    "prompt_preview": _text_field(
        lambda cell: cell.prompt.text[:PREVIEW],
        _PROMPT,
        f"the first {PREVIEW} characters of it",
        "prompt",
    ),
    "llm_preview": _text_field(
        lambda cell: cell.answer[:PREVIEW], _TEXT, "the first words of an answer", "llm"
    ),
}
# Fields of the Rust tool that name single operations: a profile is a sum, so it has none.
SINGLE: Final[Mapping[str, str]] = {
    "call_id": "one call each; look it up in the database's view operations",
    "evidence_id": "one operation each; the database's operation_id does its work",
    "response_hash": "one answer each; match the text with --where llm_preview=REGEX",
    "timestamp_ms": "one moment each; use the field day, or --since and --until",
}
# Fields that are detail in one view only, so they say nothing in the others.
VIEW_OF_DETAIL: Final = {
    "token": ("tokens",),
    "part": ("time",),
    "access": ("files", "network"),
}
LISTS: Final = frozenset({"process"})

# What --op-map and --stack-rule see, as `field=value`, in alphabetical order. Fields that a rule
# makes stand among them; texts only in the rules that name them, as `command=`.
MATCHED_FIELDS: Final = (
    "access",
    "action",
    "agent",
    "call",
    "category",
    "cmd",
    "domain",
    "effect",
    "llm",
    "model",
    "object",
    "op",
    "origin",
    "outcome",
    "part",
    "path",
    "phase",
    "process",
    "project",
    "prompt",
    "repeat",
    "response_phase",
    "result",
    "session",
    "skill",
    "source_kind",
    "status",
    "subagent",
    "task",
    "token",
    "tool",
)
TEXT_FIELDS: Final = tuple(name for name, field in FIELDS.items() if not field.may_be_frame)
LABELS: Final = ("project", "agent", "session", "model", "day")


def values_of(name: str, cell: Cell, view: str) -> tuple[str, ...]:
    """Return the values of one field; none where it says nothing."""
    if name in VIEW_OF_DETAIL and view not in VIEW_OF_DETAIL[name]:
        return ()
    value = FIELDS[name].read(cell)
    if not value:
        return ()
    return tuple(value.split(" ")) if name in LISTS else (value,)


def outcome_named(code: int | None) -> str:
    """Return an outcome's name from its number."""
    return OUTCOMES[code or 0]
