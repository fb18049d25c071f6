"""Plain records that cross module borders; this module imports nothing heavy.

`Profile` is the hub between the views and the encoders: a stack is a tuple of frames, root first,
each a `PublicText` such as `task:debug`.
"""

from typing import Any, NamedTuple

from agentpprof.privacy import PublicText


class LogFile(NamedTuple):
    """One log file as a directory listing shows it; nothing was opened."""

    path: str  # undecodable bytes as lone surrogates (os.fsdecode)
    agent: str
    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def logical_path(self) -> str:
        """The name a log goes by whether it is compressed or plain again."""
        return self.path.removesuffix(".zst")


class Checkpoint(NamedTuple):
    """How far one log file is read, and how to recognise it again.

    `offset` stands behind the last committed newline, or behind a last record that never got one.
    `head_hash` covers the first `head_length` bytes, `tail_hash` the bytes just before `offset`
    (reliability rule R2).
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

    stack: tuple[PublicText, ...]
    labels: tuple[tuple[str, PublicText], ...]
    value: int


class Profile(NamedTuple):
    """One view, folded: what every encoder gets.

    Values are whole numbers in `unit`. Equal stacks are one object, and so are equal labels.
    """

    view: str
    sample_type: str
    unit: str
    samples: tuple[Sample, ...]
    comments: tuple[PublicText, ...] = ()
    started_at_ms: int | None = None
    ended_at_ms: int | None = None
    sessions: tuple[dict[str, Any], ...] = ()  # summaries for JSON, values already public
    project: PublicText = PublicText("project")
    others: tuple["Profile", ...] = ()  # the same sessions measured otherwise, smallest use first

    @property
    def total(self) -> int:
        """Sum of all values."""
        return sum(sample.value for sample in self.samples)

    def stacks(self) -> dict[tuple[PublicText, ...], int]:
        """Values by stack alone, labels summed away."""
        values: dict[tuple[PublicText, ...], int] = {}
        for sample in self.samples:
            values[sample.stack] = values.get(sample.stack, 0) + sample.value
        return values


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


class OutputOptions(NamedTuple):
    """What a person may choose about the form of an output."""

    svg_width: int = 1200
    gzip: bool = True
    flame: bool = False
