"""Tags of stored prompts: what is known is reused, only what is new is tagged, once.

Two layers. Tags of a rule set are stored under its whole definition, so a second run with the same
rules tags nothing. Tags that the built-in tagger gave are stored under its own definition as well:
with changed rules, rules are searched in all texts again (one automaton, cheap), and the built-in
tagger only sees texts that no rule tags any more and that it never saw.

Touches the store; the taggers themselves are pure.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from agentpprof.models import PromptRow
from agentpprof.store.database import opened_for_reading, opened_for_writing, write_lock
from agentpprof.store.queries import read_meta, read_prompt_texts, read_prompts
from agentpprof.store.tags import CURRENT_TAGGER, read_tags, save_tags
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger
from agentpprof.vocabulary import UNTAGGED

_LOCK_SECONDS = 1.0
_KIND = "prompt"


class NewTags(NamedTuple):
    """Tags that were not stored yet, text hash -> tag; `builtin`: those that no rule gave."""

    tags: dict[int, str]
    builtin: dict[int, str]

    def __bool__(self) -> bool:
        """Say whether there is anything to save."""
        return bool(self.tags)

    def update(self, others: "NewTags") -> None:
        """Add what another look found."""
        self.tags.update(others.tags)
        self.builtin.update(others.builtin)


def tag_new_prompts(database: Path, tagger: Tagger = DEFAULT_TAGGER) -> int:
    """Tag what the database's own tagger has not tagged yet; returns how many texts."""
    with opened_for_reading(database) as connection:
        prompts = read_prompts(connection)
        missing = missing_tags(connection, tagger, prompts)
        is_current = read_meta(connection, CURRENT_TAGGER) is not None
    if missing or not is_current:
        save(database, tagger, missing, is_current=True)
    return len(missing.tags)


def tags_of_prompts(
    connection: sqlite3.Connection, tagger: Tagger, prompts: list[PromptRow], new: NewTags
) -> Mapping[int, str]:
    """Return all tags, text hash -> tag; those that are not stored yet are put into `new`."""
    known = {**read_tags(connection, tagger.definition(), _KIND), **new.tags}
    new.update(tag_unknown(connection, tagger, prompts, known))
    return {**known, **new.tags}


def missing_tags(
    connection: sqlite3.Connection, tagger: Tagger, prompts: list[PromptRow]
) -> NewTags:
    """Return the tags of texts that have none under this tagger yet."""
    known = read_tags(connection, tagger.definition(), _KIND)
    return tag_unknown(connection, tagger, prompts, known)


def save(database: Path, tagger: Tagger, new: NewTags, *, is_current: bool = False) -> bool:
    """Save new tags, unless somebody else is writing for longer than a second."""
    with write_lock(database, _LOCK_SECONDS) as is_held:
        if not is_held:
            return False
        with opened_for_writing(database) as connection:
            save_tags(connection, tagger.definition(), _KIND, new.tags, is_current=is_current)
            if tagger.rules and new.builtin:
                save_tags(connection, DEFAULT_TAGGER.definition(), _KIND, new.builtin)
    return True


def tag_unknown(
    connection: sqlite3.Connection,
    tagger: Tagger,
    prompts: list[PromptRow],
    known: Mapping[int, str],
) -> NewTags:
    """Tag each distinct text that is not known, from one prompt that holds it."""
    keys = {p.text_hash: p.key for p in prompts if p.text_hash not in known}
    if not keys:
        return NewTags({}, {})
    stored = read_prompt_texts(connection, keys.values())
    texts = {text_hash: stored[key][0] for text_hash, key in keys.items() if key in stored}
    by_rule = dict(zip(texts, tagger.by_rules(_KIND, list(texts.values())), strict=True))
    left = {text_hash: text for text_hash, text in texts.items() if not by_rule[text_hash]}
    if not tagger.has_builtin:
        return NewTags({**by_rule, **dict.fromkeys(left, UNTAGGED)}, {})
    builtin = _builtin_tags(connection, left, read_them=bool(tagger.rules))
    return NewTags({**by_rule, **builtin}, builtin)


def _builtin_tags(
    connection: sqlite3.Connection, texts: Mapping[int, str], *, read_them: bool
) -> dict[int, str]:
    """Return the built-in tag of each text, from the store where it is known there."""
    from agentpprof.tagging.builtin import tag_prompt

    known = read_tags(connection, DEFAULT_TAGGER.definition(), _KIND) if read_them else {}
    return {
        text_hash: known.get(text_hash) or tag_prompt(text) for text_hash, text in texts.items()
    }
