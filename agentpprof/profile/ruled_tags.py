"""Tags that people's own rules give to sessions and answers; prompts are tagged in the store.

Needed only where such rules are given, so nothing here is kept.
"""

from collections.abc import Callable, Mapping, Sequence

from agentpprof.models import PromptRow, SessionInfo

Tag = Callable[[str, Sequence[str]], list[str]]  # (kind, texts) -> tags, '' where no rule matches
FIRST_PROMPTS = 8  # a session's text is made of them, so that an append changes nothing
_PROMPT_CHARACTERS = 180
_SESSION_CHARACTERS = 1500


def session_tags_by_rule(
    tag: Tag,
    every: Mapping[int, SessionInfo],
    prompts: Sequence[PromptRow],
    texts: Mapping[int, tuple[str, str]],
) -> dict[int, str]:
    """Return session -> tag for sessions whose text a rule matches.

    The text is the session's folder and its first prompts (`texts`: prompt key -> text, skill).
    """
    first: dict[int, list[str]] = {key: [session.cwd or ""] for key, session in every.items()}
    for prompt in first_prompts(prompts):
        text = " ".join(texts.get(prompt.key, ("", ""))[0].split())
        first[prompt.session_key].append(text[:_PROMPT_CHARACTERS])
    joined = [" ".join(parts)[:_SESSION_CHARACTERS] for parts in first.values()]
    return {key: found for key, found in zip(first, tag("session", joined), strict=True) if found}


def first_prompts(prompts: Sequence[PromptRow]) -> list[PromptRow]:
    """Return the first prompts of every session; `prompts` come sorted by session and time."""
    chosen: list[PromptRow] = []
    session, count = None, 0
    for prompt in prompts:
        count = count + 1 if prompt.session_key == session else 1
        session = prompt.session_key
        if count <= FIRST_PROMPTS:
            chosen.append(prompt)
    return chosen


def answer_tags_by_rule(tag: Tag, answers: Sequence[str]) -> dict[str, str]:
    """Return answer -> tag for answers that a rule matches; equal ones are looked at once."""
    distinct = list(dict.fromkeys(answers))
    return {
        text: found for text, found in zip(distinct, tag("llm", distinct), strict=True) if found
    }
