"""Agent-neutral facts: what one record of a log says, before anything is put together.

A decoder turns bytes into a list of these, in file order; `ingest.assemble` turns them into rows.
Each fact carries where it stands (`offset` of its JSON value) and who it belongs to (`where`, one
shared object while nothing changes). Times are UTC milliseconds, None where the log has none.
Natural ids are the agent's own; the store makes keys of them (docs/formats.md says which id).
"""

from hashlib import blake2b
from typing import Annotated, Any

from msgspec import Meta, Raw, Struct

LARGEST_COUNT = 2**40  # beyond it no token count is real, and sums would leave 64 bits
Count = Annotated[int, Meta(ge=0, lt=LARGEST_COUNT)]
MAX_TEXT = 65_536  # characters kept of a prompt or command
MAX_RESPONSE_TEXT = 4_096


def signature_of(raw: Raw | bytes, *, is_signed: bool = False) -> int:
    """Return the 64-bit hash of a call's input as it is logged.

    Stored states hold signatures, so each agent's stay as they were once made: Codex's are signed.
    """
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big", signed=is_signed)


class Where(Struct, frozen=True, gc=False):
    """The surroundings of a fact.

    `session_id` is the natural id of the session or sub-agent that the record belongs to (a Claude
    sub-agent: `<sessionId>/<agentId>`), `thread` the timeline inside this file (empty: main).
    """

    session_id: str
    parent_session_id: str = ""
    thread: str = ""
    agent_type: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    is_copy: bool = False
    is_foreign: bool = False
    is_subagent: bool = False
    copied_into: str = ""  # the fork whose log repeats this; its ancestor's own log tells it


class Usage(Struct, gc=False):
    """Token counts of one response; `input_tokens` is uncached, `output_tokens` holds reasoning."""

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    web_searches: int = 0


class Fact(Struct, gc=False):
    """What all facts have."""

    where: Where
    offset: int
    at_ms: int | None


class PromptFact(Fact, gc=False):
    """Somebody asked for something: a person, or a parent agent (origin `agent`)."""

    natural_id: str
    origin: str
    text: str
    skill: str = ""  # the slash command or skill that the prompt starts


class ResponseFact(Fact, gc=False):
    """One record of a model response; several with one `natural_id` are one response.

    `result` is of vocabulary.RESULTS; `reason` of vocabulary.REASONS says whether its usage counts.
    """

    natural_id: str
    model: str
    result: str = "unknown"
    text: str = ""
    usage: Usage | None = None
    quality: str = "exact"
    reason: str = "own"
    tier: str = ""  # service tier or speed where it is not the standard one


class CallFact(Fact, gc=False):
    """A tool call. `signature` is a 64-bit hash of the whole input, for repeats."""

    natural_id: str
    name: str
    input: Any
    signature: int
    response_id: str = ""


class ResumeFact(Fact, gc=False):
    """A call whose program runs on is waited for again, until its next result."""

    call_id: str
    response_id: str = ""


class ResultFact(Fact, gc=False):
    """What came back for a call, maybe one of another read or file; `size` in bytes as logged."""

    call_id: str
    result: str
    size: int = 0
    exit_code: int | None = None


class OutcomeFact(Fact, gc=False):
    """A turn ended without an answer: `interrupted` or `failed`.

    `results_follow`: the agent writes results of calls that it broke off behind this record.
    """

    outcome: str
    results_follow: bool = False


class LinkFact(Fact, gc=False):
    """A sub-agent's session was started by a call; its type where only the link tells it."""

    agent_session_id: str
    call_id: str
    agent_type: str = ""


class SkippedFact(Fact, gc=False):
    """A record that is no operation on purpose, or of a type we don't know (`is_unknown`)."""

    kind: str
    is_unknown: bool = False


class BadLineFact(Fact, gc=False):
    """Bytes that could not be read; `length` of them from `offset` on."""

    length: int
    reason: str
