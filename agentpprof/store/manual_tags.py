"""Tags set by hand, of sessions and prompts: they beat every tagger and outlive re-reads.

Profiles read them with the rows that they belong to (sql/select/prompts.sql, sessions.sql), views
join them. A change bumps the database's generation, so that no finished output is reused.
"""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import NothingFoundError, UsageError
from agentpprof.resources import read_text
from agentpprof.store.database import (
    held_for_writing,
    look_at,
    no_database,
    opened_for_writing,
)
from agentpprof.store.transactions import bump_generation, transaction

_LOCK_SECONDS = 10.0
_SHOWN = 10


class Named(NamedTuple):
    """A session or a prompt that somebody named."""

    kind: str  # session, prompt
    key: int
    id: str


class Change(NamedTuple):
    """What was done to one tag set by hand; None where there is none."""

    target: Named
    before: str | None
    after: str | None


def set_tag(database: Path, text: str, tag: str) -> Change:
    """Give the session or prompt that `text` names a tag (checked by the caller)."""

    def save(connection: sqlite3.Connection, target: Named) -> None:
        connection.execute(
            "insert or replace into manual_tag (kind, key, tag, set_at_ms) values (?, ?, ?, ?)",
            (target.kind, target.key, tag, time.time_ns() // 1_000_000),
        )

    return _change(database, text, save)


def unset_tag(database: Path, text: str) -> Change:
    """Leave a session or prompt to the taggers again; NothingFoundError if it is already."""

    def remove(connection: sqlite3.Connection, target: Named) -> None:
        found = connection.execute(
            "delete from manual_tag where kind = ? and key = ?", (target.kind, target.key)
        )
        if not found.rowcount:
            raise NothingFoundError(
                f"the {target.kind} {target.id} has no tag set by hand; "
                "see them with agentpprof tags list --by-hand"
            )

    return _change(database, text, remove)


def find_named(connection: sqlite3.Connection, text: str) -> Named:
    """Return the session or prompt with the id `text`, or with the only id that begins so.

    An id that goes on behind another one and a slash (a sub-agent's) has to be written out. Raises
    UsageError with the candidates, or NothingFoundError with ids that there are.
    """
    found = _candidates(connection, text)
    exact = [each for each in found if each.id == text]
    ids = {each.id for each in found}
    chosen = exact or [each for each in found if not _is_below(each.id, ids)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise UsageError(
            f"{text!r} is the beginning of {len(chosen):,} ids; write more of one:\n"
            + _listed(chosen)
        )
    raise NothingFoundError(
        f"no session and no prompt has an id that begins with {text!r}. "
        + _what_there_is(connection)
    )


def _candidates(connection: sqlite3.Connection, text: str) -> list[Named]:
    if not text.strip():
        raise UsageError("the id is empty: write the beginning of a session's or prompt's id")
    try:
        text.encode()
    except UnicodeEncodeError:
        return []  # bytes that no id has
    rows = connection.execute(read_text("sql", "select/named.sql"), {"text": text})
    return list(map(Named._make, rows))


def _is_below(own: str, ids: set[str]) -> bool:
    """Say whether `own` goes on behind one of `ids` and a slash."""
    parts = own.split("/")
    return any("/".join(parts[:size]) in ids for size in range(1, len(parts)))


def _listed(named: list[Named]) -> str:
    lines = [f"  {each.kind} {each.id}" for each in named[:_SHOWN]]
    if len(named) > _SHOWN:
        lines.append(f"  and {len(named) - _SHOWN:,} more")
    return "\n".join(lines)


def _what_there_is(connection: sqlite3.Connection) -> str:
    rows = connection.execute(
        "select 'session', key, session_id from session where parent_key is null "
        "order by started_at_ms desc limit 5"
    )
    newest = list(map(Named._make, rows))
    if not newest:
        return "The database is empty: run agentpprof index"
    return (
        "agentpprof tags list shows all; new logs are read by agentpprof index. "
        "The newest sessions:\n" + _listed(newest)
    )


def _change(
    database: Path, text: str, apply: Callable[[sqlite3.Connection, Named], None]
) -> Change:
    """Change one tag and the database's generation, in one transaction."""
    if look_at(database) == 0:
        raise no_database(database)
    with (
        held_for_writing(database, _LOCK_SECONDS),
        opened_for_writing(database) as connection,
        transaction(connection),
    ):
        target = find_named(connection, text)
        before = _tag_of(connection, target)
        apply(connection, target)
        bump_generation(connection)
        return Change(target, before, _tag_of(connection, target))


def _tag_of(connection: sqlite3.Connection, target: Named) -> str | None:
    row = connection.execute(
        "select tag from manual_tag where kind = ? and key = ?", (target.kind, target.key)
    ).fetchone()
    return row[0] if row else None
