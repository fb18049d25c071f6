"""Gather what one profile is made of: sessions, tags, tasks, weights, and the names of things.

The one place that joins the store, the tagger and the pure parts; everything it calls is testable
alone.
"""

import sqlite3
from collections.abc import Callable, Mapping
from typing import NamedTuple

from agentpprof.errors import NoSessionError
from agentpprof.models import Profile, PromptRow, SessionInfo
from agentpprof.privacy import PublicText
from agentpprof.profile.build import build_profile, kept_cells
from agentpprof.profile.groups import Groups
from agentpprof.profile.request import Request
from agentpprof.profile.selection import (
    choose_sessions,
    count_subagents,
    newest_sessions,
    tasks_of_sessions,
    with_tag,
)
from agentpprof.profile.session_tags import needed_session_tags
from agentpprof.profile.tasks import tasks_of_prompts
from agentpprof.profile.weighing import Weighing
from agentpprof.store import queries

Tags = Callable[[list[PromptRow]], Mapping[int, str]]


class Gathered(NamedTuple):
    """A profile, with the sessions it was made of."""

    profile: Profile
    sessions: list[SessionInfo]
    tag_of_session: dict[int, str]
    prompts: list[PromptRow]
    tags: Mapping[int, str]
    subagents: int  # how many of the sessions are sub-agents of a known one


def gather_profile(connection: sqlite3.Connection, request: Request, tags_of: Tags) -> Gathered:
    """Return the profile of a request; `tags_of` gives text hash -> tag for prompts.

    Raises NothingFoundError when no session or no sample is left.
    """
    every = {session.key: session for session in queries.read_sessions(connection)}
    selection = request.selection
    chosen = choose_sessions(every.values(), selection)
    if not chosen:
        raise NoSessionError("no session matches")
    prompts = queries.read_prompts(connection)
    tags = tags_of(prompts)
    tasks = tasks_of_prompts(every, prompts, tags)
    tag_of_session = needed_session_tags(connection, request, every, prompts, tags)
    if selection.session_tag:
        tagged = {key: {tag} for key, tag in tag_of_session.items()}
        chosen = with_tag(chosen, tagged, "session", selection.session_tag)
    if selection.prompt_tag:
        tagged = tasks_of_sessions(every, prompts, tasks)
        chosen = with_tag(chosen, tagged, "prompt", selection.prompt_tag)
    chosen = newest_sessions(chosen, every, selection.max_sessions)
    groups = Groups(connection, request, chosen, every, tag_of_session)
    groups.group_prompts(prompts, tags, tasks)
    cells, rules = Weighing(connection, request, groups).cells(), request.rules
    if request.anonymizes:
        from agentpprof.profile.anonymize import anonymized  # it knows all tools and programs

        cells = anonymized(kept_cells(cells, request.view, rules))
        rules = rules._replace(where=())
    profile = build_profile(cells, request.view, rules)
    described = _described(profile, [] if request.anonymizes else chosen)
    subagents = count_subagents(chosen, every)
    return Gathered(described, chosen, tag_of_session, prompts, tags, subagents)


def _described(profile: Profile, sessions: list[SessionInfo]) -> Profile:
    starts = [s.started_at_ms for s in sessions if s.started_at_ms is not None]
    ends = [s.ended_at_ms for s in sessions if s.ended_at_ms is not None]
    return profile._replace(
        started_at_ms=min(starts, default=None),
        ended_at_ms=max(ends, default=None),
        comments=(PublicText(f"agentpprof:view:{profile.view}"),),
    )
