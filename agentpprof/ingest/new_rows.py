"""New rows of operations, from one fact and what is in force where it stands."""

from typing import NamedTuple

from agentpprof.agents.facts import CallFact, PromptFact, ResponseFact
from agentpprof.ingest.rows import MAX_TEXT, FieldBag, OperationRow, hash_of, rank_of
from agentpprof.models import Meaning
from agentpprof.vocabulary import LLM, ORIGIN_CODE, PHASE_OF, PROMPT, TOOL


class InForce(NamedTuple):
    """What an operation belongs to."""

    session_key: int
    prompt_key: int | None
    skill: str


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
        bag=FieldBag(PROMPT, "prompt", "request", "prompt", fact.skill),
        object="",
        origin=ORIGIN_CODE[fact.origin],
        outcome=0,
        outcome_at_ms=fact.at_ms,
        text_hash=hash_of(text),
        natural_id=fact.natural_id,
        text=text,
    )


def new_response(fact: ResponseFact, key: int, in_force: InForce) -> OperationRow:
    """Return the row of a response without what its records say of result, counts and text."""
    return OperationRow(
        key,
        LLM,
        rank_of(fact.where, fact.at_ms),
        in_force.session_key,
        in_force.prompt_key,
        fact.offset,
        fact.at_ms,
        fact.at_ms,
        FieldBag(LLM, "model", "", "model", in_force.skill, model=fact.model, tier=fact.tier),
        fact.model,
    )


def new_call(
    fact: CallFact, key: int, in_force: InForce, meaning: Meaning, repeat: str
) -> OperationRow:
    """Return the row of a tool call that has not come back yet."""
    return OperationRow(
        key,
        TOOL,
        rank_of(fact.where, fact.at_ms),
        in_force.session_key,
        in_force.prompt_key,
        fact.offset,
        fact.at_ms,
        fact.at_ms,
        FieldBag(
            TOOL,
            PHASE_OF[meaning.action],
            meaning.action,
            meaning.object_kind,
            in_force.skill,
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
