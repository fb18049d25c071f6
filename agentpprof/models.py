"""Plain records that cross module borders; this module imports nothing heavy.

`Profile` is the hub between the views and the encoders: a stack is a tuple of frames, root first,
each a `PublicText` such as `task:debug`.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from agentpprof.defaults import DEFAULT_SVG_WIDTH
from agentpprof.privacy import PublicText
from agentpprof.vocabulary import ORIGIN_CODE

Stack = tuple[PublicText, ...]
Labels = tuple[tuple[str, PublicText], ...]
FileIdentity = tuple[int, int, int, int, int]  # device, inode, size, mtime_ns, ctime_ns
_AGENT = ORIGIN_CODE["agent"]
COMPRESSED_SUFFIX = ".zst"  # of a log that its agent has packed

# A sample none of whose fields has a frame (`--stack skill` where no skill ran) still has weight:
# pprof would count it in the total and show it nowhere.
NO_FRAMES: Stack = (PublicText("none"),)


def kind_of(frame: str) -> str:
    """Return the part of a frame before its first colon, the field it comes from."""
    kind, colon, _ = frame.partition(":")
    return kind if colon else ""


class LogFile(NamedTuple):
    """One log file as a directory listing shows it; nothing was opened."""

    path: str  # undecodable bytes as lone surrogates (os.fsdecode)
    agent: str
    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: str, agent: str, status: os.stat_result) -> Self:
        """Return the log file at `path` as the system describes it."""
        return cls(
            path,
            agent,
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )

    @property
    def identity(self) -> FileIdentity:
        """What changes whenever the file does."""
        return self[2:]

    @property
    def logical_path(self) -> str:
        """The name a log goes by whether it is compressed or plain again."""
        return self.path.removesuffix(COMPRESSED_SUFFIX)

    @property
    def is_compressed(self) -> bool:
        """Whether the file is an archive; offsets are those of the plain bytes in it."""
        return self.path.endswith(COMPRESSED_SUFFIX)


class Checkpoint(NamedTuple):
    """How far one log file is read, and how to recognise it again.

    `offset` stands behind the last committed newline, or behind a last record that never got one.
    `head_hash` covers the first `head_length` bytes, `tail_hash` the bytes just before `offset`
    (docs/reliability.md, "How").
    """

    offset: int = 0
    head_length: int = 0
    head_hash: bytes = b""
    tail_hash: bytes = b""


class SessionInfo(NamedTuple):
    """One stored session, as sql/select/sessions.sql gives it."""

    key: int
    agent: str
    session_id: str
    parent_key: int | None
    agent_type: str
    cwd: str | None
    root: str | None
    project: str | None
    parent_folder: str | None
    started_at_ms: int | None
    ended_at_ms: int | None
    call_key: int | None
    prompt_key: int | None
    hand_tag: str = ""  # set by hand: it beats every tagger


class PromptRow(NamedTuple):
    """One stored prompt; rows come sorted by session and time."""

    key: int
    session_key: int
    started_at_ms: int
    text_hash: int
    origin: int
    outcome: int
    hand_tag: str = ""  # set by hand: it beats every tagger

    @property
    def is_of_agent(self) -> bool:
        """Whether a parent agent wrote it: no person's prompt, and in no count of prompts."""
        return self.origin == _AGENT


class Bag(NamedTuple):
    """One stored field bag, names joined."""

    id: int
    op: int
    phase: str
    action: str
    object_kind: str
    skill: str
    repeat: str
    tool: str
    category: str
    cmd: str
    effect: str
    process: str
    model: str
    tier: str


class Sample(NamedTuple):
    """One aggregated row: equal stack and labels stand in one sample."""

    stack: Stack
    labels: Labels
    value: int


class Samples(Collection[Sample]):
    """The samples of a profile, equal ones summed; none is 0.

    `by_stack` is stack -> number of labels -> value, and `label_sets` the labels by number: many
    samples share few stacks and labels, which are looked at once here, whatever their number.
    """

    __slots__ = ("by_stack", "label_sets")

    def __init__(
        self,
        by_stack: Mapping[Stack, Mapping[int, int]] | None = None,
        label_sets: Sequence[Labels] = (),
    ) -> None:
        """Take what is summed already; no value may be 0."""
        self.by_stack = by_stack or {}
        self.label_sets = label_sets

    @classmethod
    def of(cls, rows: Iterable[Sample]) -> Self:
        """Sum rows of any order."""
        by_stack: dict[Stack, dict[int, int]] = {}
        numbers: dict[Labels, int] = {}
        for stack, labels, value in rows:
            number = numbers.setdefault(labels, len(numbers))
            values = by_stack.setdefault(stack, {})
            values[number] = values.get(number, 0) + value
        return cls(without_zeros(by_stack), list(numbers))

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples, those of one stack together."""
        for stack, values in self.by_stack.items():
            for number, value in values.items():
                yield Sample(stack, self.label_sets[number], value)

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(map(len, self.by_stack.values()))

    def __contains__(self, sample: object) -> bool:
        """Say whether there is such a sample."""
        return any(each == sample for each in self)

    def values(self) -> Iterator[int]:
        """Yield all values."""
        for values in self.by_stack.values():
            yield from values.values()


def without_zeros(
    by_stack: Mapping[Stack, Mapping[int, int]],
) -> dict[Stack, Mapping[int, int]]:
    """Return stack -> number -> value without values of 0, and without stacks of nothing else."""
    found: dict[Stack, Mapping[int, int]] = {}
    for stack, values in by_stack.items():
        kept = {number: value for number, value in values.items() if value}
        if kept:
            found[stack] = kept
    return found


class Profile(NamedTuple):
    """One view, folded: what every encoder gets. Values are whole numbers in `unit`."""

    view: str
    sample_type: str
    unit: str
    samples: Samples
    comments: tuple[PublicText, ...] = ()
    started_at_ms: int | None = None
    ended_at_ms: int | None = None
    sessions: tuple[dict[str, Any], ...] = ()  # summaries for JSON, values already public
    project: PublicText = PublicText("project")
    others: tuple["Profile", ...] = ()  # the same sessions measured otherwise, smallest use first
    unmatched: tuple[str, ...] = ()  # what to say of rules that matched nothing

    @property
    def total(self) -> int:
        """Sum of all values."""
        return sum(self.samples.values())

    def stacks(self) -> dict[Stack, int]:
        """Values by stack alone, labels summed away."""
        return {stack: sum(values.values()) for stack, values in self.samples.by_stack.items()}


class Difference(NamedTuple):
    """Two profiles of one view; `facts` say what each side is, `note` how the base was scaled."""

    base: Profile
    new: Profile
    facts: tuple[PublicText, ...] = ()
    note: str = ""

    @property
    def projects(self) -> str:
        """The project of both sides, or both projects."""
        base, new = self.base.project, self.new.project
        return new if base == new else f"{base} → {new}"


class Answer(NamedTuple):
    """What a statement gave; `cut` says what was left out, and is empty when nothing was."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: str = ""


class OutputOptions(NamedTuple):
    """What a person may choose about the form of an output."""

    svg_width: int = DEFAULT_SVG_WIDTH
    gzip: bool = True
    flame: bool = False
