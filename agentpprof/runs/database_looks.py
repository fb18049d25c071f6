"""What `sessions` and `show` share: the chosen sessions with their tags, from a synced database."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from agentpprof.config import configured_tagger
from agentpprof.models import SessionInfo
from agentpprof.profile.gather import Gathered
from agentpprof.runs.asked import read_options
from agentpprof.runs.making import gather_on
from agentpprof.runs.source import synced_database
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.text.telling import report_lines, say


class Look(NamedTuple):
    """An open database with the sessions that were chosen."""

    connection: sqlite3.Connection
    every: dict[int, SessionInfo]
    gathered: Gathered
    zone: str


@contextmanager
def looked_at(options: Mapping[str, Any]) -> Iterator[Look]:
    """Sync, then yield the chosen sessions; `options` holds all those of a profile."""
    asked = read_options({**options, "view_name": "operations", "stack": "session"})
    source = asked.source
    with synced_database(source, is_quiet=asked.is_quiet) as (path, synced):
        for line in () if asked.is_quiet else report_lines(synced.report, asked.is_verbose):
            say(line, on_stderr=True)
        if source.syncs:
            tag_cache.tag_new_prompts(path, configured_tagger())
        with opened_for_reading(path) as connection:
            gathered = gather_on(connection, asked, synced, tag_cache.NewTags({}, {}))
            every = {session.key: session for session in queries.read_sessions(connection)}
            zone = queries.read_meta(connection, "zone") or "UTC"
            yield Look(connection, every, gathered, zone)
