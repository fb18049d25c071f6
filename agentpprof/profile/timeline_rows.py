"""What each prompt of a session led to, sub-agents included: `agentpprof show`. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentpprof.models import Bag, PromptRow, SessionInfo
from agentpprof.profile.fields import outcome_named
from agentpprof.vocabulary import FAILED_RESULTS, LLM, ORIGINS, RESULT_CODE, UNTAGGED

_FAILED = frozenset(RESULT_CODE[name] for name in FAILED_RESULTS)
Row = tuple[int | None, int, int, int, int, int, int, int]  # as sql/select/timeline.sql gives it


@dataclass
class Delegated:
    """What sub-agents of one type did for a prompt."""

    sessions: set[int] = field(default_factory=set)
    tokens: int = 0
    calls: int = 0


@dataclass
class Step:
    """One prompt of a person with all that it led to; `prompt_key` 0 is before the first."""

    prompt_key: int
    started_at_ms: int | None = None
    tag: str = UNTAGGED
    origin: str = ""
    outcome: str = ""
    tokens: int = 0
    work_ms: int = 0  # of the session and its sub-agents, without the wait of one for the other
    responses: int = 0
    calls: int = 0
    failed: int = 0
    actions: dict[str, list[int]] = field(default_factory=dict)  # action: [calls, failed ones]
    repeats: dict[str, int] = field(default_factory=dict)
    subagents: dict[str, Delegated] = field(default_factory=dict)


def steps_of(
    top: SessionInfo,
    every: Mapping[int, SessionInfo],
    prompts: Iterable[PromptRow],
    above: Mapping[int, int],
    rows: Iterable[tuple[Row, Bag]],
) -> list[Step]:
    """Return the steps of a session in time; `above` leads from a sub-agent's prompt upwards."""
    own = [prompt for prompt in prompts if prompt.session_key == top.key]
    steps = {0: Step(0)}
    for prompt in own:
        steps[prompt.key] = Step(
            prompt.key,
            prompt.started_at_ms or None,
            origin=ORIGINS[prompt.origin],
            outcome=outcome_named(prompt.outcome),
        )
    fed = set()
    for row, bag in rows:
        prompt_key, session_key = row[0], row[1]
        key = prompt_key or every[session_key].prompt_key or 0
        step = steps.get(_topmost(key, above, steps), steps[0])
        fed.add(step.prompt_key)
        _add(step, row, bag, every[session_key], is_own=session_key == top.key)
    return [step for step in steps.values() if step.prompt_key or 0 in fed]


def _topmost(key: int, above: Mapping[int, int], steps: Mapping[int, Step]) -> int:
    seen = set()
    while key not in steps and key in above and key not in seen:
        seen.add(key)
        key = above[key]
    return key


def _add(step: Step, row: Row, bag: Bag, session: SessionInfo, is_own: bool) -> None:
    """Add one group of equal operations to a step."""
    _, session_key, _, result, count, tokens, active_ms, responses = row
    step.tokens += tokens
    step.work_ms += active_ms
    is_call = bag.op != LLM
    if not is_own:
        kind = session.agent_type or "agent"
        delegated = step.subagents.setdefault(kind, Delegated())
        delegated.sessions.add(session_key)
        delegated.tokens += tokens
        delegated.calls += count * is_call
    if not is_call:
        step.responses += responses
        return
    failed = count * (result in _FAILED)
    step.calls += count
    step.failed += failed
    done = step.actions.setdefault(bag.action, [0, 0])
    done[0] += count
    done[1] += failed
    if bag.repeat:
        step.repeats[bag.repeat] = step.repeats.get(bag.repeat, 0) + count
