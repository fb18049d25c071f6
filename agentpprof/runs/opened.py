"""The chosen sessions of a command that only looks at them: logs read first, then the database."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.config import configured_tagger
from agentpprof.profile.selection import Selection
from agentpprof.runs.asked import read_sessions_asked
from agentpprof.runs.chosen import chosen_database
from agentpprof.runs.source import sync_source
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.text.progress import progress_bar


class Opened(NamedTuple):
    """An open database, and what of it was chosen."""

    connection: sqlite3.Connection
    database: Path
    is_temporary: bool
    selection: Selection


@contextmanager
def opened_selection(options: Mapping[str, Any]) -> Iterator[Opened]:
    """Read the selection's options, sync, tag new prompts by rules, and open the database."""
    selection, source = read_sessions_asked(options)
    with chosen_database(source.database, source.is_foreign, options["quiet"]) as path:
        with progress_bar(options["quiet"]) as on_progress:
            synced = sync_source(source, path, on_progress)
        tag_cache.tag_new_prompts(path, configured_tagger())
        with opened_for_reading(path) as connection:
            if synced.paths is not None:
                keys = queries.read_sessions_of_files(connection, synced.paths)
                selection = selection._replace(session_keys=keys)
            yield Opened(connection, path, source.database is None and source.is_foreign, selection)
