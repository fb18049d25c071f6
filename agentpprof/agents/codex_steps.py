"""Turns, prompts and steps of the model.

A *model step* is one response of the model. Its natural id is `thread/turn/total before it`, so it
is known at the step's first item, long before its count comes; the count then names the same step.
Marks follow where the total is not enough: `~n` after n resets of the counter, `*n` after n usage
records that moved no total, `+n` for the n-th step while a log has shown no count at all. The id is
the same in a copy of the lines.
"""

from agentpprof.agents.codex_reading import Reading
from agentpprof.agents.codex_state import PendingPrompt, State
from agentpprof.agents.codex_usage import ZERO
from agentpprof.agents.facts import MAX_RESPONSE_TEXT, PromptFact, ResponseFact
from agentpprof.vocabulary import RESULT_CODE

_MAX_PENDING = 4
_PENDING_TEXT = 4096


def enter_turn(reading: Reading, turn_id: str | None, is_start: bool = False) -> None:
    """Note the turn of the lines that follow; a new one closes the model's step."""
    state = reading.state
    if turn_id and turn_id != state.turn:
        state.turn = turn_id
        state.prompts = state.event_prompts = state.item_prompts = 0
        state.step_number = 0
    elif not is_start:
        return
    state.open_calls, state.joined = {}, {}  # no output of an ended turn comes any more
    close_step(reading)


def add_prompt(reading: Reading, text: str, is_event: bool) -> None:
    """Add a prompt that an event or a finished item tells of; told by both it is one.

    Its id is `thread/turn/n`, the n-th of its turn; `thread/#n` in logs without turn ids.
    """
    state = reading.state
    if is_event:
        state.event_prompts += 1
    else:
        state.item_prompts += 1
    if not state.has_prompt_events:
        state.has_prompt_events = True
        state.pending = []
    if max(state.event_prompts, state.item_prompts) > state.prompts:
        _put_prompt(reading, text, reading.offset, reading.at_ms)


def add_message_prompt(reading: Reading, text: str) -> None:
    """Add a user's message; where events tell prompts, it is only the copy of one."""
    state = reading.state
    if state.is_bare:
        _put_prompt(reading, text, reading.offset, reading.at_ms)
    elif not state.has_prompt_events and len(state.pending) < _MAX_PENDING:
        state.pending.append(PendingPrompt(text[:_PENDING_TEXT], reading.offset, reading.at_ms))


def flush_pending(reading: Reading) -> None:
    """Take messages for prompts: the model went on, and no event has told of them."""
    pending, reading.state.pending = reading.state.pending, []
    for prompt in pending:
        _put_prompt(reading, prompt.text, prompt.offset, prompt.at_ms)


def _put_prompt(reading: Reading, text: str, offset: int, at_ms: int | None) -> None:
    state = reading.state
    close_step(reading)
    state.prompts += 1
    name = f"{state.turn}/{state.prompts}" if state.turn else f"#{state.prompts}"
    origin = "agent" if _is_given_by_agent(state) else "typed"
    natural_id = f"{reading.owner}/{name}"
    reading.facts.append(PromptFact(reading.where, offset, at_ms, natural_id, origin, text))


def _is_given_by_agent(state: State) -> bool:
    """Whether prompts of the thread that the lines here belong to come from a parent agent."""
    if not state.owner:
        return state.is_subagent
    return any(one.thread == state.owner and one.is_subagent for one in state.ancestors)


def enter_step(reading: Reading, result: str, text: str = "") -> str:
    """Note an item of the model; return the id of its step, empty in copied lines.

    The first item of a step adds its response, so that the time before it is the step's.
    """
    state = reading.state
    if state.pending:
        flush_pending(reading)
    if state.owner:
        return ""
    if state.is_late and state.last_id:
        if text:
            put_response(reading, state.last_id, result, text)
        return state.last_id
    if state.step_ended and not state.has_counts:
        close_step(reading)
    is_new = not state.step
    if is_new:
        state.step, state.step_result = step_id(reading), "unknown"
    is_more = RESULT_CODE[result] > RESULT_CODE[state.step_result]
    if is_more:
        state.step_result = result
    if is_new or text or (is_more and not state.has_counts):
        put_response(reading, state.step, result, text)
    return state.step


def put_response(reading: Reading, natural_id: str, result: str, text: str) -> None:
    """Add a record of a response that holds no count."""
    model, tier = reading.state.model or "unknown", reading.state.tier
    where, text = reading.where, text[:MAX_RESPONSE_TEXT]
    fact = ResponseFact(where, reading.offset, reading.at_ms, natural_id, model, result, text)
    fact.tier = tier
    reading.facts.append(fact)


def close_step(reading: Reading) -> None:
    """End the model's step: what follows is of another."""
    state = reading.state
    if state.step and not state.has_counts:
        state.step_number += 1
    state.step = state.step_result = ""
    state.step_ended = state.is_late = False


def step_id(reading: Reading) -> str:
    """Return the id of the step that begins here (see the module's head)."""
    state = reading.state
    a, b, c, d, e = state.total or ZERO
    # Without turn ids the prompt parts an answer that has no count from the response after it.
    turn = state.turn or f"#{state.prompts}"
    name = f"{state.owner or state.thread}/{turn}/{a}.{b}.{c}.{d}.{e}"
    if state.epoch:
        name += f"~{state.epoch}"
    if state.records:
        name += f"*{state.records}"
    if state.step_number and not state.has_counts:
        name += f"+{state.step_number}"
    return name
