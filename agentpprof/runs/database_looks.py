"""What `sessions` and `show` share: the chosen sessions with their tags, from a synced database."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from agentpprof.config import configured_tagger
from agentpprof.models import SessionInfo
from agentpprof.option_groups import LoudnessOptions
from agentpprof.profile.gather import Gathered
from agentpprof.profile.request import Request
from agentpprof.profile.rules import Rules
from agentpprof.profile.selection import Selection
from agentpprof.profile.views import VIEWS
from agentpprof.runs.making import gather
from agentpprof.runs.source import Source, synced_database
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.text.telling import report_lines, say

_BY_SESSION: Final = Rules(("session",))


class Look(NamedTuple):
    """An open database with the sessions that were chosen."""

    connection: sqlite3.Connection
    every: dict[int, SessionInfo]
    gathered: Gathered
    zone: str


@contextmanager
def looked_at(selection: Selection, source: Source, options: LoudnessOptions) -> Iterator[Look]:
    """Sync, then yield the chosen sessions, tagged as the views are."""
    with synced_database(source, is_quiet=options["quiet"]) as (path, synced):
        for line in () if options["quiet"] else report_lines(synced.report, options["verbose"]):
            say(line, on_stderr=True)
        tagger = configured_tagger()
        if source.syncs:
            tag_cache.tag_new_prompts(path, tagger)
        with opened_for_reading(path) as connection:
            chosen = synced.narrowed(connection, selection)
            request = Request(VIEWS["operations"], _BY_SESSION, chosen, tagger=tagger)
            gathered = gather(connection, request, tag_cache.NewTags({}, {}))
            every = {session.key: session for session in queries.read_sessions(connection)}
            zone = queries.read_meta(connection, "zone") or "UTC"
            yield Look(connection, every, gathered, zone)
