"""The rows that assembling makes, the keys that link them, and the rank that decides an owner."""

import struct
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct

from agentpprof.agents.facts import Where

MAX_TEXT = 65536  # characters kept of a prompt or command
MAX_RESPONSE_TEXT = 4096
_HASHER = blake2b(digest_size=8)  # a copy costs less than to read the arguments each time
_AS_KEY = struct.Struct(">q").unpack
_NO_TIME = (1 << 48) - 1


# One value that carried usage: offset, operation key, reason, session key, then the counts.
UsageLine = tuple[int, int, int, int, int, int, int, int, int, int]


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
        self.agent_types: dict[int, str] = {}  # session key -> type, for sub-agents that say none
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

    def put_session(self, session: SessionRow) -> None:
        """The same for a session."""
        known = self.sessions.get(session.key)
        if known is not session:
            if known is not None:
                self.displaced_sessions.append(known)
            self.sessions[session.key] = session


def key_of(agent: str, kind: str, natural_id: str) -> int:
    """Return the 64-bit key of a natural id; `kind` is session, prompt, llm or tool."""
    return hash_of(f"{agent}\0{kind}\0{natural_id}")


def hash_of(text: str) -> int:
    """Return the 64-bit hash of a text, the key of its tags."""
    raw = text.encode() if text.isascii() else text.encode("utf-8", "surrogatepass")
    hasher = _HASHER.copy()
    hasher.update(raw)
    key: int = _AS_KEY(hasher.digest())[0]
    return key


def rank_of(where: Where, at_ms: int | None) -> int:
    """Return how good a record's claim on an operation is; the lowest owns it.

    In this order: no copy, the file's own session, no sub-agent, the earlier time. The store
    breaks ties by session id and path.
    """
    if at_ms is None:
        time = _NO_TIME
    else:
        time = at_ms if 0 <= at_ms <= _NO_TIME else min(max(at_ms, 0), _NO_TIME)
    if where.is_copy:
        time |= 1 << 50
    if where.is_foreign:
        time |= 1 << 49
    return time | 1 << 48 if where.is_subagent else time
