"""The rows that the store takes: what one read of one file adds."""

from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from agentpprof.vocabulary import ACCESS_CODE

Places = tuple[tuple[str, str], ...]  # (path or host, access)

# One value that carried usage: offset, operation key, reason, session key, then the counts. It is
# a plain tuple: a record with names takes several times as long to make, and there is one a line.
UsageLine = tuple[int, int, int, int, int, int, int, int, int, int]
USAGE_OPERATION_KEY, USAGE_SESSION_KEY = 1, 3  # where these two stand in it


class FieldBag(Struct, array_like=True, frozen=True, cache_hash=True, gc=False):
    """The low-cardinality fields of an operation that no later line may change."""

    op: int
    phase: str
    action: str = ""
    object_kind: str = ""
    skill: str = ""
    repeat: str = ""
    tool: str = ""
    category: str = ""
    cmd: str = ""
    effect: str = ""
    process: str = ""
    model: str = ""
    tier: str = ""


# Bags are few, so operations share them: making one, and hashing it later, costs more than this.
bag_of = lru_cache(maxsize=8192)(FieldBag)


class OperationRow(Struct, array_like=True, gc=False):
    """One prompt, LLM call or tool call, as far as one file tells of it.

    `owner_rank`, session, prompt, offset, bag, object and the two durations are one unit: they
    belong to the record with the lowest rank. A text of None is not known here (it was saved).
    """

    key: int
    op: int
    owner_rank: int
    session_key: int
    prompt_key: int | None
    offset: int
    started_at_ms: int | None
    ended_at_ms: int | None
    bag: FieldBag
    object: str
    active_ms: int = 0
    idle_ms: int = 0
    result: int = 0
    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    estimate_tokens: int | None = None
    web_searches: int | None = None
    quality: int | None = None
    result_bytes: int | None = None
    origin: int | None = None
    outcome: int | None = None
    outcome_at_ms: int | None = None
    text_hash: int | None = None
    natural_id: str | None = None
    text: str | None = None


class SessionRow(Struct, array_like=True, gc=False):
    """One session or sub-agent, as far as one file tells of it."""

    key: int
    session_id: str
    parent_key: int | None
    agent_type: str
    owner_rank: int
    cwd: str
    branch: str
    version: str
    started_at_ms: int | None
    ended_at_ms: int | None


class StrayResult(NamedTuple):
    """A result whose call is not among the live ones."""

    operation_key: int
    result: int
    ended_at_ms: int | None
    result_bytes: int


class FileRows:
    """Everything that one read of one file adds to the database."""

    def __init__(self) -> None:
        self.operations: dict[int, OperationRow] = {}
        self.displaced: list[OperationRow] = []  # older rows of a key that came anew
        self.sessions: dict[int, SessionRow] = {}
        self.displaced_sessions: list[SessionRow] = []  # the same for a session
        self.spawns: set[tuple[int, int]] = set()
        self.agent_types: dict[int, str] = {}  # session key -> type, where the log itself says none
        self.paths: set[tuple[int, str, int]] = set()
        self.hosts: set[tuple[int, str, int]] = set()
        self.usage_lines: list[UsageLine] = []
        self.stray_results: list[StrayResult] = []
        self.bad_lines: list[tuple[int, int, str]] = []
        self.told: dict[tuple[int, int, bool], int] = {}  # (session key, op, copy) -> how often
        self.skipped: dict[tuple[str, str, bool], int] = {}

    def tell(self, session_key: int, op: int, is_copy: bool) -> None:
        """Count that a record told of a prompt or a call, for the first time or again."""
        kind = (session_key, op, is_copy)
        self.told[kind] = self.told.get(kind, 0) + 1

    def put(self, row: OperationRow) -> None:
        """Add a row that is new or was changed; one of an earlier life is saved beside it."""
        known = self.operations.get(row.key)
        if known is not row:
            if known is not None:
                self.displaced.append(known)
            self.operations[row.key] = row

    def put_places(self, key: int, paths: Places, hosts: Places) -> None:
        """Add what a call touched: (path or host, access) each."""
        for path, access in paths:
            self.paths.add((key, path, ACCESS_CODE[access]))
        for host, access in hosts:
            self.hosts.add((key, host, ACCESS_CODE[access]))

    def put_session(self, session: SessionRow) -> None:
        """The same for a session."""
        known = self.sessions.get(session.key)
        if known is not session:
            if known is not None:
                self.displaced_sessions.append(known)
            self.sessions[session.key] = session
