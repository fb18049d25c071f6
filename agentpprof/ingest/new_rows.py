"""New rows of operations, from one fact and what is in force where it stands, and their rank."""

from agentpprof.agents.facts import MAX_TEXT, CallFact, PromptFact, ResponseFact, Where
from agentpprof.ingest.state import Thread
from agentpprof.keys import hash_of
from agentpprof.semantics.meaning import Meaning
from agentpprof.store.rows import OperationRow, SessionRow, bag_of
from agentpprof.vocabulary import LLM, ORIGIN_CODE, PHASE_OF, PROMPT, TOOL

_NO_TIME = (1 << 48) - 1


def new_prompt(fact: PromptFact, key: int, session_key: int) -> OperationRow:
    """Return the row of a prompt, open so far; it is its own prompt."""
    text = fact.text[:MAX_TEXT]
    return OperationRow(
        key=key,
        op=PROMPT,
        owner_rank=rank_of(fact.where, fact.at_ms),
        session_key=session_key,
        prompt_key=key,
        offset=fact.offset,
        started_at_ms=fact.at_ms,
        ended_at_ms=fact.at_ms,
        bag=bag_of(PROMPT, "prompt", "request", "prompt", fact.skill),
        object="",
        origin=ORIGIN_CODE[fact.origin],
        outcome=0,
        outcome_at_ms=fact.at_ms,
        text_hash=hash_of(text),
        natural_id=fact.natural_id,
        text=text,
    )


def new_response(fact: ResponseFact, key: int, thread: Thread, session: SessionRow) -> OperationRow:
    """Return the row of a response without what its records say of result, counts and text."""
    prompt = thread.prompt
    return OperationRow(
        key,
        LLM,
        rank_of(fact.where, fact.at_ms),
        session.key,
        None if prompt is None else prompt.key,
        fact.offset,
        fact.at_ms,
        fact.at_ms,
        bag_of(
            LLM, "model", "", "model", thread.skill, "", "", "", "", "", "", fact.model, fact.tier
        ),
        fact.model,
    )


def new_call(
    fact: CallFact, key: int, thread: Thread, session: SessionRow, meaning: Meaning, *, repeat: str
) -> OperationRow:
    """Return the row of a tool call that has not come back yet."""
    prompt = thread.prompt
    return OperationRow(
        key,
        TOOL,
        rank_of(fact.where, fact.at_ms),
        session.key,
        None if prompt is None else prompt.key,
        fact.offset,
        fact.at_ms,
        fact.at_ms,
        bag_of(
            TOOL,
            PHASE_OF[meaning.action],
            meaning.action,
            meaning.object_kind,
            thread.skill,
            repeat,
            fact.name,
            meaning.category,
            meaning.cmd,
            meaning.effect,
            meaning.process,
        ),
        meaning.object,
        text=meaning.command[:MAX_TEXT] or None,
    )


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
