"""Tags of stored prompts: what is known is reused, only what is new is tagged, once.

Touches the store; the taggers themselves are pure.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from agentpprof.models import PromptRow
from agentpprof.store.database import opened_for_reading, opened_for_writing, write_lock
from agentpprof.store.queries import read_meta, read_prompt_texts, read_prompts
from agentpprof.store.tags import CURRENT_TAGGER, read_tags, save_tags
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger

_LOCK_SECONDS = 1.0


def tag_new_prompts(database: Path, tagger: Tagger = DEFAULT_TAGGER) -> int:
    """Tag what the database's own tagger has not tagged yet; returns how many texts."""
    with opened_for_reading(database) as connection:
        prompts = read_prompts(connection)
        missing = missing_tags(connection, tagger, prompts)
        is_current = read_meta(connection, CURRENT_TAGGER) is not None
    if missing or not is_current:
        save(database, tagger, missing, is_current=True)
    return len(missing)


def tags_of_prompts(
    connection: sqlite3.Connection, tagger: Tagger, prompts: list[PromptRow]
) -> tuple[Mapping[int, str], Mapping[int, str]]:
    """Return (all tags, those of them that are new), text hash -> tag."""
    known = read_tags(connection, tagger.definition(), "prompt")
    missing = _tag(connection, tagger, prompts, known)
    return {**known, **missing}, missing


def missing_tags(
    connection: sqlite3.Connection, tagger: Tagger, prompts: list[PromptRow]
) -> dict[int, str]:
    """Return the tags of texts that have none under this tagger yet."""
    known = read_tags(connection, tagger.definition(), "prompt")
    return _tag(connection, tagger, prompts, known)


def save(
    database: Path, tagger: Tagger, tags: Mapping[int, str], *, is_current: bool = False
) -> bool:
    """Save new tags, unless somebody else is writing for longer than a second."""
    with write_lock(database, _LOCK_SECONDS) as is_held:
        if not is_held:
            return False
        with opened_for_writing(database) as connection:
            save_tags(connection, tagger.definition(), "prompt", tags, is_current=is_current)
    return True


def _tag(
    connection: sqlite3.Connection,
    tagger: Tagger,
    prompts: list[PromptRow],
    known: Mapping[int, str],
) -> dict[int, str]:
    """Tag each distinct text that is not known, from one prompt that holds it."""
    keys = {p.text_hash: p.key for p in prompts if p.text_hash not in known}
    texts = read_prompt_texts(connection, keys.values())
    hashes = [text_hash for text_hash, key in keys.items() if key in texts]
    tags = tagger.tag_prompts([texts[keys[text_hash]][0] for text_hash in hashes])
    return dict(zip(hashes, tags, strict=True))
