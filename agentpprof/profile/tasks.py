"""What every prompt is about: its own tag, the one before it, or that of the person's prompt.

A prompt that only goes on ("yes", "continue") keeps the task before it in its session. A prompt
that a parent agent wrote stands under the task of the human prompt that spawned it, however deep.
"""

from collections.abc import Iterable, Mapping, Sequence

from agentpprof.models import PromptRow, SessionInfo
from agentpprof.vocabulary import UNTAGGED

FOLLOW = "follow"


def tasks_of_prompts(
    every: Mapping[int, SessionInfo], prompts: Sequence[PromptRow], tags: Mapping[int, str]
) -> dict[int, str]:
    """Return prompt key -> the task it counts under; `tags` is text hash -> tag."""
    parents = {key: session.parent_key for key, session in every.items()}
    spawned_by = {key: session.prompt_key for key, session in every.items()}
    above = spawning_prompts(prompts, parents, spawned_by)
    return effective_tasks(own_tasks(prompts, tags), above)


def own_tag(prompt: PromptRow, tags: Mapping[int, str]) -> str:
    """Return a prompt's own tag: the one set by hand, else that of its text."""
    return prompt.hand_tag or tags.get(prompt.text_hash, UNTAGGED)


def own_tasks(prompts: Iterable[PromptRow], tags: Mapping[int, str]) -> dict[int, str]:
    """Return prompt key -> task within its own session; `tags` is text hash -> tag."""
    tasks: dict[int, str] = {}
    session, task = None, UNTAGGED
    for prompt in prompts:
        if prompt.session_key != session:
            session, task = prompt.session_key, UNTAGGED
        tag = own_tag(prompt, tags)
        if tag != FOLLOW or task == UNTAGGED:
            task = tag
        tasks[prompt.key] = task
    return tasks


def spawning_prompts(
    prompts: Iterable[PromptRow],
    parents: Mapping[int, int | None],
    spawned_by: Mapping[int, int | None],
) -> dict[int, int]:
    """Return prompt of a sub-agent -> prompt of the session above it.

    `parents` is session -> parent session; `spawned_by` is session -> prompt of the call that
    started it. Without such a call: the parent's latest prompt before the sub-agent's own.
    """
    of_session: dict[int, list[PromptRow]] = {}
    for prompt in prompts:
        of_session.setdefault(prompt.session_key, []).append(prompt)
    above: dict[int, int] = {}
    for session, rows in of_session.items():
        parent = parents.get(session)
        for row in rows:
            if not row.is_of_agent or parent is None:
                continue
            found = spawned_by.get(session) or _latest_before(
                of_session.get(parent, ()), row.started_at_ms
            )
            if found is not None:
                above[row.key] = found
    return above


def effective_tasks(own: Mapping[int, str], above: Mapping[int, int]) -> dict[int, str]:
    """Return prompt key -> the task it counts under, following sub-agents up to a person."""
    tasks: dict[int, str] = {}
    for key in own:
        at, seen = key, {key}
        while (up := above.get(at)) is not None and up in own and up not in seen:
            at = up
            seen.add(at)
        tasks[key] = own[at]
    return tasks


def _latest_before(prompts: Iterable[PromptRow], time_ms: int) -> int | None:
    found = None
    for prompt in prompts:
        if prompt.started_at_ms <= time_ms or found is None:
            found = prompt.key
    return found
