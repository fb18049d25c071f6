"""The chosen sessions of a command that only looks at them: logs read first, then the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agentpprof.config import configured_tagger
from agentpprof.option_groups import SessionsOptions
from agentpprof.profile.selection import Selection
from agentpprof.runs.asked import read_sessions_asked
from agentpprof.runs.source import synced_database
from agentpprof.store import tag_cache
from agentpprof.store.database import opened_for_reading


class Opened(NamedTuple):
    """An open database, and what of it was chosen."""

    connection: sqlite3.Connection
    database: Path
    is_temporary: bool
    selection: Selection


@contextmanager
def opened_selection(options: SessionsOptions) -> Iterator[Opened]:
    """Read the selection's options, sync, tag new prompts by rules, and open the database."""
    selection, source = read_sessions_asked(options)
    with synced_database(source, is_quiet=options["quiet"]) as (path, synced):
        tag_cache.tag_new_prompts(path, configured_tagger())
        with opened_for_reading(path) as connection:
            chosen = synced.narrowed(connection, selection)
            yield Opened(connection, path, source.is_temporary, chosen)
