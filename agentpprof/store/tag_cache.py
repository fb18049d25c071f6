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

from agentpprof.memory import paused_collection
from agentpprof.models import PromptRow
from agentpprof.store.database import (
    is_read_only,
    opened_for_reading,
    opened_for_writing,
    write_lock,
)
from agentpprof.store.queries import read_meta, read_prompt_texts
from agentpprof.store.tags import (
    is_all_tagged,
    is_shown,
    mark_all_tagged,
    read_tags,
    read_untagged,
    save_tags,
)
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger
from agentpprof.vocabulary import UNTAGGED

_LOCK_SECONDS = 1.0
_KIND = "prompt"
_BATCH = 5_000  # texts in memory at once


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
    """Tag what the database's own tagger has not tagged yet; returns how many texts.

    Where nothing was saved since the built-in tagger had tagged all, nothing is looked at.
    """
    with opened_for_reading(database) as connection:
        if tagger == DEFAULT_TAGGER and is_all_tagged(connection):
            return 0
        generation = read_meta(connection, "generation")
        untagged = read_untagged(connection, tagger.definition())
        missing = _tag_texts(connection, tagger, untagged)
        is_current = is_shown(connection, tagger.definition())
    if missing or not is_current or tagger == DEFAULT_TAGGER:
        is_saved = save(database, tagger, missing, is_current=True)
        if is_saved and tagger == DEFAULT_TAGGER:
            _mark(database, generation)
    return len(missing.tags)


def _mark(database: Path, generation: str | None) -> None:
    """Note up to where the built-in tagger has tagged all."""
    with write_lock(database, _LOCK_SECONDS) as is_held:
        if is_held:
            with opened_for_writing(database) as connection:
                mark_all_tagged(connection, generation)


def tags_of_prompts(
    connection: sqlite3.Connection, tagger: Tagger, prompts: list[PromptRow], new: NewTags
) -> Mapping[int, str]:
    """Return all tags, text hash -> tag; those that are not stored yet are put into `new`."""
    known = {**read_tags(connection, tagger.definition(), _KIND), **new.tags}
    new.update(tag_unknown(connection, tagger, prompts, known))
    return {**known, **new.tags}


def save(database: Path, tagger: Tagger, new: NewTags, *, is_current: bool = False) -> bool:
    """Save new tags, unless they can't be, or somebody else is writing for longer than a second."""
    if is_read_only(database):
        return False  # then they are worked out each time
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
    return _tag_texts(connection, tagger, keys)


def _tag_texts(connection: sqlite3.Connection, tagger: Tagger, keys: Mapping[int, int]) -> NewTags:
    """Tag texts (hash -> a prompt that holds it), not too many at once."""
    new = NewTags({}, {})
    if not keys:
        return new
    needs_known = tagger.has_builtin and tagger.rules
    builtin = read_tags(connection, DEFAULT_TAGGER.definition(), _KIND) if needs_known else {}
    hashes = list(keys)
    with paused_collection():  # tagging makes no cycles either
        for start in range(0, len(hashes), _BATCH):
            batch = {text_hash: keys[text_hash] for text_hash in hashes[start : start + _BATCH]}
            new.update(_tag_batch(connection, tagger, batch, builtin))
    return new


def _tag_batch(
    connection: sqlite3.Connection,
    tagger: Tagger,
    keys: Mapping[int, int],
    builtin: Mapping[int, str],
) -> NewTags:
    """Tag some texts (hash -> a prompt that holds it); `builtin` are built-in tags known before."""
    from agentpprof.tagging.builtin import tag_prompt

    stored = read_prompt_texts(connection, keys.values())
    texts = {text_hash: stored[key][0] for text_hash, key in keys.items() if key in stored}
    by_rule = dict(zip(texts, tagger.by_rules(_KIND, list(texts.values())), strict=True))
    left = [text_hash for text_hash, tag in by_rule.items() if not tag]
    if not tagger.has_builtin:
        return NewTags({**by_rule, **dict.fromkeys(left, UNTAGGED)}, {})
    given = {each: builtin.get(each) or tag_prompt(texts[each]) for each in left}
    return NewTags({**by_rule, **given}, given)
