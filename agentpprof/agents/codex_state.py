"""What decoding a Codex rollout carries from one read to the next: small, bounded, plain."""

import re
from pathlib import PurePath

from msgspec import Struct

from agentpprof.agents.codex_usage import Vector
from agentpprof.models import COMPRESSED_SUFFIX

MAX_OPEN_CALLS = 256
MAX_SESSIONS = 32  # processes that run on behind a call
MAX_CLOSED = 16
MAX_ANCESTORS = 16

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_NAME = re.compile(
    r"rollout-(?:\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?(?P<id>.+?)\.jsonl(?:\.zst)?$"
)


class Ancestor(Struct, array_like=True, gc=False):
    """A thread whose history this file begins with."""

    thread: str
    started_ms: int | None
    is_subagent: bool = False


class PendingPrompt(Struct, array_like=True, gc=False):
    """A user's message that is a prompt unless an event tells it too."""

    text: str
    offset: int
    at_ms: int | None


class State(Struct, gc=False, omit_defaults=True):
    """Where a reading stands. Everything here follows from the bytes before alone."""

    thread: str
    has_meta: bool = False
    is_bare: bool = False  # of the generation without envelope
    is_paginated: bool = False
    # Whose file
    parent: str = ""
    agent_type: str = ""
    is_subagent: bool = False
    cwd: str = ""
    own_cwd: str = ""
    branch: str = ""
    cli_version: str = ""
    started_ms: int | None = None
    # Whose lines: `head` until the first line of a turn, `prefix` in copied history, then `own`
    phase: str = "head"
    owner: str = ""  # empty: the file's own thread
    ancestors: list[Ancestor] = []
    inherits: bool = False  # a fork or a child: its first total may hold what others used
    history_start: int | None = None
    is_dated: bool = False  # a copied turn has told when it began
    is_guess: bool = False  # where the copied history ends is not sure
    last_ms: int | None = None
    # Turn
    turn: str = ""
    prompts: int = 0  # prompts of this turn, as told by events, items, and the most of both
    event_prompts: int = 0
    item_prompts: int = 0
    has_prompt_events: bool = False
    pending: list[PendingPrompt] = []
    model: str = ""
    tier: str = ""
    # Model step
    step: str = ""
    step_number: int = 0
    step_result: str = ""
    step_ended: bool = False  # a result has come since
    is_late: bool = False  # items follow their count (builds before 0.60)
    # Usage
    total: Vector | None = None
    epoch: int = 0
    has_counts: bool = False
    last_id: str = ""
    last_delta: Vector | None = None
    last_quality: str = "exact"
    lone_last: Vector | None = None  # the last count that came without a total
    record_id: str = ""
    covered: list[Vector] = []  # counts of usage records whose `token_count` has not come yet
    records: int = 0  # usage records counted since the total moved
    awaits_record: bool = False  # the last response was counted by a `token_count`
    # Calls
    open_calls: dict[str, list[str]] = {}  # call id -> its name, then names of nested calls
    joined: dict[str, str] = {}  # call id of a follow-up -> natural id of the call it goes on with
    sessions: dict[str, str] = {}  # process or cell that runs on -> natural id of its call
    closed: list[int] = []  # checksums of the last closed call ids
    unnamed: int = 0  # calls without any id so far


def initial_state(path: str) -> State:
    """Return the state at byte 0: until the log says more, a thread is known by its file's name."""
    return State(thread=thread_of_name(PurePath(path).name))


def thread_of_name(name: str) -> str:
    """Return the thread id in a file's name.

    After a revert the name holds two ids, `<thread>_<rollout>`.
    """
    if found := _UUID.search(name):
        return found.group().lower()
    if found := _NAME.match(name):
        return found.group("id")
    return name.removesuffix(COMPRESSED_SUFFIX).removesuffix(".jsonl") or "unknown"
