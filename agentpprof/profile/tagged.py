"""The tags of chosen sessions, of people's prompts in them, and of LLM calls: each with its giver.

What `agentpprof tags` counts and lists. As in profiles: what was set by hand comes first, then a
person's rules, then the built-in tagger; an LLM call that no rule tags is named by what the model
did next.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from agentpprof.errors import NoSessionError
from agentpprof.models import PromptRow, SessionInfo
from agentpprof.profile.ruled_tags import answer_tags_by_rule, first_prompts, session_tags_by_rule
from agentpprof.profile.selection import Selection, choose_sessions, newest_sessions
from agentpprof.profile.session_tags import session_tags, tags_by_hand
from agentpprof.profile.tasks import own_tag, tasks_of_prompts
from agentpprof.store import queries
from agentpprof.tagging.tagger import Tagger
from agentpprof.vocabulary import UNTAGGED

Tags = Callable[[list[PromptRow]], Mapping[int, str]]  # prompts -> text hash -> tag
BY_HAND, BY_RULE, BUILT_IN, BY_NOBODY = "hand", "rule", "built-in", ""
BY_PROMPTS = "prompts"  # a session's tag: the weightiest of its prompts' tags


class TaggedThing(NamedTuple):
    """A session or a prompt with its tag."""

    kind: str  # session, prompt
    key: int
    session: SessionInfo
    started_at_ms: int | None
    tag: str
    task: str  # of a prompt: what it counts under
    by: str  # who gave the tag


class _Prompts(NamedTuple):
    """All stored prompts, and what is known of them."""

    rows: list[PromptRow]
    tags: Mapping[int, str]  # by text hash
    tasks: Mapping[int, str]  # by key
    texts: Mapping[int, tuple[str, str]]  # key -> text, skill; empty where no rule needs them


class Tagged(NamedTuple):
    """All tags of the chosen sessions."""

    sessions: list[TaggedThing]  # without sub-agents; the newest first
    prompts: list[TaggedThing]  # people's; by session and time
    answers: Counter[str]  # tag -> LLM calls
    without_prompts: int  # sessions in which nothing stands that could be tagged

    def counts(self) -> dict[str, Mapping[str, int]]:
        """Return kind -> tag -> how many things have it."""
        return {
            "session": Counter(thing.tag for thing in self.sessions),
            "prompt": Counter(thing.tag for thing in self.prompts),
            "llm": self.answers,
        }


def gather_tags(
    connection: sqlite3.Connection, tagger: Tagger, selection: Selection, tags_of: Tags
) -> Tagged:
    """Return the tags of what is selected; raises NoSessionError where that is nothing."""
    every = {session.key: session for session in queries.read_sessions(connection)}
    chosen = choose_sessions(every.values(), selection)
    if not chosen:
        raise NoSessionError("no session matches")
    chosen = newest_sessions(chosen, every, selection.max_sessions)
    prompts = _read_prompts(connection, every, tagger, tags_of)
    keys = {session.key for session in chosen}
    own = [each for each in prompts.rows if each.session_key in keys and _is_meant(each, selection)]
    things = _sessions(connection, every, keys, prompts, tagger)
    tagged = {thing.key for thing in things}
    return Tagged(
        things,
        _tagged_prompts(every, own, prompts, tagger),
        _answers(connection, keys, selection, tagger),
        sum(each.parent_key is None and each.key not in tagged for each in chosen),
    )


def _read_prompts(
    connection: sqlite3.Connection, every: dict[int, SessionInfo], tagger: Tagger, tags_of: Tags
) -> _Prompts:
    rows = queries.read_prompts(connection)
    tags = tags_of(rows)
    texts: dict[int, tuple[str, str]] = {}
    if tagger.rules:
        texts = queries.read_prompt_texts(connection, (prompt.key for prompt in rows))
    return _Prompts(rows, tags, tasks_of_prompts(every, rows, tags), texts)


def _is_meant(prompt: PromptRow, selection: Selection) -> bool:
    """Say whether a prompt is a person's, within the chosen time."""
    since_ms, until_ms = selection.since_ms, selection.until_ms
    return (
        not prompt.is_of_agent
        and (since_ms is None or prompt.started_at_ms >= since_ms)
        and (until_ms is None or prompt.started_at_ms < until_ms)
    )


def _sessions(
    connection: sqlite3.Connection,
    every: dict[int, SessionInfo],
    keys: set[int],
    prompts: _Prompts,
    tagger: Tagger,
) -> list[TaggedThing]:
    rows = prompts.rows
    weighed = session_tags(queries.count_by_prompt(connection), every, rows, prompts.tags)
    ruled: dict[int, str] = {}
    if tagger.has_rules_for("session"):
        of_first = {each.key: prompts.texts.get(each.key, ("", "")) for each in first_prompts(rows)}
        ruled = session_tags_by_rule(tagger.by_rules, every, rows, of_first)
    by_hand = tags_by_hand(every)
    talked = {each.session_key for each in rows}  # without a prompt there is nothing to tag
    things = [
        TaggedThing(
            "session",
            key,
            own,
            own.started_at_ms,
            by_hand.get(key) or ruled.get(key) or weighed[key],
            "",
            _giver(key in by_hand, key in ruled, weighed[key], BY_PROMPTS),
        )
        for key, own in every.items()
        if key in keys and (own.hand_tag or (own.parent_key is None and key in talked))
    ]
    return sorted(things, key=lambda thing: (-(thing.started_at_ms or 0), thing.session.session_id))


def _tagged_prompts(
    every: dict[int, SessionInfo], own: list[PromptRow], prompts: _Prompts, tagger: Tagger
) -> list[TaggedThing]:
    texts = [prompts.texts.get(each.key, ("", ""))[0] for each in own]
    ruled = tagger.by_rules("prompt", texts)
    things = []
    for prompt, by_rule in zip(own, ruled, strict=True):
        session = every.get(prompt.session_key)
        if session is None:
            continue
        tag = own_tag(prompt, prompts.tags)
        by = _giver(bool(prompt.hand_tag), bool(by_rule), tag, BUILT_IN)
        at_ms, task = prompt.started_at_ms or None, prompts.tasks[prompt.key]
        things.append(TaggedThing("prompt", prompt.key, session, at_ms, tag, task, by))
    return things


def _giver(by_hand: bool, by_rule: bool, tag: str, otherwise: str) -> str:
    if by_hand:
        return BY_HAND
    if by_rule:
        return BY_RULE
    return BY_NOBODY if tag == UNTAGGED else otherwise


def _answers(
    connection: sqlite3.Connection,
    keys: set[int],
    selection: Selection,
    tagger: Tagger,
) -> Counter[str]:
    span = (selection.since_ms, selection.until_ms)
    has_rules = tagger.has_rules_for("llm")
    rows = queries.count_answers(connection, span, with_texts=has_rules)
    rows = [row for row in rows if row[0] in keys]
    ruled = answer_tags_by_rule(tagger.by_rules, [row[2] for row in rows]) if has_rules else {}
    counts: Counter[str] = Counter()
    for _, next_phase, text, count in rows:
        counts[ruled.get(text) or next_phase] += count
    return counts
