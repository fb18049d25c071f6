"""Which texts a model is asked about: those of the chosen sessions, each once, newest first.

A prompt that only goes on ("yes") is never asked about: alone it says nothing, and it keeps the
task before it. A session's text is its first eight prompts, so that an append asks nothing again.
"""

import re
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from agentpprof.keys import hash_of
from agentpprof.models import PromptRow, SessionInfo
from agentpprof.profile.ruled_tags import FIRST_PROMPTS
from agentpprof.profile.rules import Rules
from agentpprof.profile.selection import Selection, choose_sessions, newest_sessions, top_of
from agentpprof.profile.tasks import FOLLOW
from agentpprof.store import queries
from agentpprof.tagging.llm_prompts import Choices, Question, sendable, session_text

_EMPTY = hash_of("")
_LLM_FIELDS = frozenset({"llm", "call"})
_LLM_NAMED = re.compile(r"(?<![a-z_])(?:llm|call)=")


class Wanted(NamedTuple):
    """What besides people's prompts is to be named."""

    sessions: bool = False
    agent_prompts: bool = False
    answers: bool = False


class TextsToName(NamedTuple):
    """Texts to name: text hash -> where the text is."""

    prompts: dict[int, int]  # key of a prompt that has it
    sessions: dict[int, tuple[int, ...]]  # keys of a session's first prompts
    answers: dict[int, int]  # number of an LLM call that has it
    hash_of_session: dict[int, int]  # session key -> text hash

    def by_kind(self) -> dict[str, list[int]]:
        """Return the text hashes of each kind, in the order in which they are asked about."""
        return {
            "prompt": list(self.prompts),
            "session": list(self.sessions),
            "llm": list(self.answers),
        }


def wanted_by(rules: Rules, selection: Selection, *, lists_sessions: bool) -> Wanted:
    """Return what a profile needs; LLM calls only where something names them."""
    fields = rules.fields()
    label_rules = (*rules.op_map, *rules.stack_rules)
    by_session = "session" in fields or selection.session_tag or label_rules
    return Wanted(
        sessions=lists_sessions or bool(by_session),
        agent_prompts="prompt" in fields,
        answers=bool(_LLM_FIELDS & fields)
        or any(_LLM_NAMED.search(rule.pattern.source) for rule in label_rules),
    )


def find_texts(
    connection: sqlite3.Connection,
    selection: Selection,
    wanted: Wanted,
    rule_tags: Mapping[int, str],
) -> TextsToName:
    """Return what a model is asked about; `rule_tags` is text hash -> tag by rules."""
    every = {session.key: session for session in queries.read_sessions(connection)}
    chosen = choose_sessions(every.values(), selection)
    if not (selection.session_tag or selection.prompt_tag):
        chosen = newest_sessions(chosen, every, selection.max_sessions)
    keys = {session.key for session in chosen}
    tops = {top_of(session, every).key for session in chosen}
    prompts = [p for p in queries.read_prompts(connection) if p.session_key in keys | tops]
    asked = (p for p in prompts if _is_asked(p, every, wanted, rule_tags))
    first = _first_prompts(p for p in prompts if p.session_key in tops) if wanted.sessions else {}
    return TextsToName(
        {p.text_hash: p.key for p in sorted(asked, key=lambda p: -p.started_at_ms)},
        {_session_hash(rows): tuple(row.key for row in rows) for rows in first.values()},
        _answers(connection, keys, selection) if wanted.answers else {},
        {key: _session_hash(rows) for key, rows in first.items()},
    )


def _is_asked(
    prompt: PromptRow,
    every: Mapping[int, SessionInfo],
    wanted: Wanted,
    rule_tags: Mapping[int, str],
) -> bool:
    if prompt.hand_tag or prompt.text_hash == _EMPTY or rule_tags.get(prompt.text_hash) == FOLLOW:
        return False
    session = every.get(prompt.session_key)
    is_below = prompt.is_of_agent and session is not None and session.parent_key is not None
    return wanted.agent_prompts or not is_below


def _first_prompts(prompts: Iterable[PromptRow]) -> dict[int, list[PromptRow]]:
    """Return session -> its first prompts by people, the newest session first."""
    found: dict[int, list[PromptRow]] = {}
    for prompt in prompts:
        rows = found.setdefault(prompt.session_key, [])
        is_meant = not prompt.is_of_agent and prompt.text_hash != _EMPTY
        if is_meant and len(rows) < FIRST_PROMPTS:
            rows.append(prompt)
    newest = sorted((rows for rows in found.values() if rows), key=lambda r: -r[0].started_at_ms)
    return {rows[0].session_key: rows for rows in newest}


def _session_hash(prompts: list[PromptRow]) -> int:
    """Return what identifies a session's text, without reading it."""
    return hash_of(" ".join(str(prompt.text_hash) for prompt in prompts))


def _answers(
    connection: sqlite3.Connection, keys: Iterable[int], selection: Selection
) -> dict[int, int]:
    found: dict[int, int] = {}
    span = selection.since_ms, selection.until_ms
    for number, text in queries.read_answer_texts(connection, keys, span):
        found.setdefault(hash_of(text), number)
    return found


def questions_of(
    connection: sqlite3.Connection,
    texts: TextsToName,
    missing: Mapping[str, Container[int]],
    choices: Choices,
) -> Iterator[Question]:
    """Yield the questions about what is missing, each text read and redacted when it is due."""
    for text_hash, key in texts.prompts.items():
        if text_hash in missing["prompt"]:
            text = sendable(_prompt_text(connection, key))
            if text:
                yield Question("prompt", text_hash, text, choices)
    for text_hash, keys in texts.sessions.items():
        if text_hash in missing["session"]:
            prompts = [_prompt_text(connection, key) for key in keys]
            text = session_text([prompt for prompt in prompts if prompt.strip()])
            if text:
                yield Question("session", text_hash, text)
    for text_hash, number in texts.answers.items():
        if text_hash in missing["llm"]:
            text = sendable(queries.read_texts(connection, [number])[number])
            if text:
                yield Question("llm", text_hash, text)


def _prompt_text(connection: sqlite3.Connection, key: int) -> str:
    found = queries.read_prompt_texts(connection, [key])
    return found[key][0] if key in found else ""
