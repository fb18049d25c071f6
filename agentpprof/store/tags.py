"""The tag cache: which tag each text has under each definition of a tagger."""

import sqlite3
import time
from collections.abc import Mapping
from hashlib import blake2b

from agentpprof import __version__
from agentpprof.resources import read_text
from agentpprof.store.transactions import transaction

CURRENT_TAGGER = "tagger_id"  # the key in `meta` of the tagger whose tags the views show


def definition_hash(definition: str) -> bytes:
    """Return what identifies a tagger's definition."""
    return blake2b(definition.encode("utf-8", "replace"), digest_size=16).digest()


def read_tags(connection: sqlite3.Connection, definition: str, kind: str) -> dict[int, str]:
    """Return text hash -> tag of one tagger; empty for one that never tagged."""
    rows = connection.execute(
        "select tag.text_hash, tag.tag from tag inner join tagger on tag.tagger_id = tagger.id "
        "where tagger.definition_hash = ? and tag.kind = ?",
        (definition_hash(definition), kind),
    )
    return dict(rows)


def read_untagged(connection: sqlite3.Connection, definition: str) -> dict[int, int]:
    """Return text hash -> key of a prompt that holds it, of texts that a tagger has not tagged."""
    statement = read_text("sql", "select/untagged_prompts.sql")
    return dict(connection.execute(statement, {"definition_hash": definition_hash(definition)}))


def is_shown(connection: sqlite3.Connection, definition: str) -> bool:
    """Say whether a tagger's tags are those that views show."""
    row = connection.execute(
        "select 1 from tagger inner join meta on meta.key = ? and meta.value = tagger.id "
        "where tagger.definition_hash = ?",
        (CURRENT_TAGGER, definition_hash(definition)),
    ).fetchone()
    return row is not None


def is_all_tagged(connection: sqlite3.Connection) -> bool:
    """Say whether nothing was saved since this version's built-in tagger had tagged all."""
    rows = connection.execute("select key, value from meta where key in ('generation', 'tagged')")
    found = dict(rows)
    return found.get("tagged") == f"{__version__} {found.get('generation')}"


def mark_all_tagged(connection: sqlite3.Connection, generation: str | None) -> None:
    """Note that this version's built-in tagger has tagged all up to a generation."""
    connection.execute(
        "insert or replace into meta (key, value) values ('tagged', ?)",
        (f"{__version__} {generation}",),
    )


def save_tags(
    connection: sqlite3.Connection,
    definition: str,
    kind: str,
    tags: Mapping[int, str],
    *,
    name: str = "rules",
    is_current: bool = False,
) -> None:
    """Add tags under a tagger's definition; `is_current` makes it the one that views show."""
    now_ms = time.time_ns() // 1_000_000
    with transaction(connection):
        connection.execute(
            "insert or ignore into tagger (name, definition_hash, definition, created_at_ms) "
            "values (?, ?, ?, ?)",
            (name, definition_hash(definition), definition, now_ms),
        )
        tagger_id = connection.execute(
            "select id from tagger where definition_hash = ?", (definition_hash(definition),)
        ).fetchone()[0]
        connection.executemany(
            "insert or ignore into tag (tagger_id, kind, text_hash, tag, created_at_ms) "
            "values (?, ?, ?, ?, ?)",
            [(tagger_id, kind, text_hash, tag, now_ms) for text_hash, tag in tags.items()],
        )
        if is_current:
            connection.execute(
                "insert or replace into meta (key, value) values (?, ?)",
                (CURRENT_TAGGER, str(tagger_id)),
            )
            # The mark is the built-in tagger's: another one may have taken its place.
            connection.execute("delete from meta where key = 'tagged'")
