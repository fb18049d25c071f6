"""Make the profile that was asked for: gather, fold, and what is printed beside it."""

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof import __version__
from agentpprof.config import configured_tagger
from agentpprof.errors import NoSessionError, NothingFoundError
from agentpprof.models import Profile, PromptRow
from agentpprof.privacy import PublicText, shortened
from agentpprof.profile.gather import Gathered, gather_profile
from agentpprof.profile.request import Request
from agentpprof.profile.summaries import session_summaries, tagging_summary
from agentpprof.profile.views import VIEWS, View
from agentpprof.runs.asked import Asked
from agentpprof.runs.finding import no_session_message
from agentpprof.runs.source import Synced, synced_database
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.text.telling import skipped_text


class Made(NamedTuple):
    """A profile with what is told beside it."""

    profile: Profile
    sessions: int  # sub-agents among them
    subagents: int
    warnings: list[str]
    tagging: dict[str, Any]


def make_profile(asked: Asked) -> Made:
    """Sync, gather and fold; raises errors that say what to do."""
    with (
        synced_database(asked.source, is_quiet=True) as (path, synced),
        opened_for_reading(path) as connection,
    ):
        return make_on(connection, path, asked, synced)


def make_on(connection: sqlite3.Connection, database: Path, asked: Asked, synced: Synced) -> Made:
    """Gather and fold, and save tags that are new."""
    new_tags = tag_cache.NewTags({}, {})
    asked = _with_model_tags(connection, database, asked, synced, new_tags)
    gathered = gather_on(connection, asked, synced, new_tags)
    profile = _described(gathered.profile, asked)
    others = (
        _other(connection, asked._replace(view=view), synced, new_tags) for view in _others(asked)
    )
    profile = profile._replace(others=tuple(other for other in others if other is not None))
    if asked.format == "json" and not asked.anonymizes:
        summaries = session_summaries(connection, gathered, asked.with_previews)
        profile = profile._replace(sessions=summaries)
    skipped = queries.count_skipped(connection)
    if new_tags and asked.tagger.saves:
        tagger = asked.tagger.tagger
        tag_cache.save(database, tagger, new_tags, is_current=tagger == configured_tagger())
    warning = skipped_text(*skipped, len(synced.report.unreadable))
    warnings = [*([warning] if warning else []), *gathered.profile.unmatched]
    tagging = tagging_summary(gathered)
    if asked.anonymizes:
        del tagging["tag_counts"]  # own tags are own words
    if asked.tagger.model is not None:
        warnings += asked.tagger.model.report.lines()
        tagging["llm"] = asked.tagger.model.report.as_plain()
    return Made(profile, len(gathered.sessions), gathered.subagents, warnings, tagging)


def _with_model_tags(
    connection: sqlite3.Connection,
    database: Path,
    asked: Asked,
    synced: Synced,
    new_tags: tag_cache.NewTags,
) -> Asked:
    """Ask a model about what has no tag yet, where one is to be asked."""
    if asked.tagger.llm is None:
        return asked
    from agentpprof.runs.llm_profile import tag_for_profile

    selection = synced.narrowed(connection, asked.selection)
    tagged = tag_for_profile(connection, database, asked._replace(selection=selection), new_tags)
    return asked._replace(tagger=asked.tagger._replace(model=tagged))


def gather_on(
    connection: sqlite3.Connection, asked: Asked, synced: Synced, new_tags: tag_cache.NewTags
) -> Gathered:
    """Gather the profile; tags that were not stored yet are put into `new_tags`."""
    request = Request(
        asked.view,
        asked.rules,
        synced.narrowed(connection, asked.selection),
        asked.path_depth,
        with_idle=asked.with_idle,
        anonymizes=asked.anonymizes,
        tagger=asked.tagger.tagger,
        model=asked.tagger.model.tags if asked.tagger.model else None,
    )
    return gather(connection, request, new_tags)


def gather(
    connection: sqlite3.Connection, request: Request, new_tags: tag_cache.NewTags
) -> Gathered:
    """Gather what a request says; raises NothingFoundError that says what there is instead."""

    def tags_of(prompts: list[PromptRow]) -> Mapping[int, str]:
        by_rule = tag_cache.tags_of_prompts(connection, request.tagger, prompts, new_tags)
        return {**by_rule, **request.model.prompts} if request.model else by_rule

    try:
        gathered = gather_profile(connection, request, tags_of)
    except NoSessionError:
        raise NothingFoundError(no_session_message(connection, request.selection)) from None
    if not gathered.profile.samples:
        raise NothingFoundError(
            f"the {request.view.name} view has no samples: nothing of that kind was done, or "
            "--where, --prompt-tag, --since and --until leave nothing; try --view operations"
        )
    return gathered


def _others(asked: Asked) -> Iterator[View]:
    """Yield the views that stand in one file with the chosen one, the count first."""
    if asked.format == "speedscope":
        yield from (view for view in VIEWS.values() if view != asked.view)
    elif asked.format == "pprof" and asked.all_measures and asked.view.name != "operations":
        yield VIEWS["operations"]


def _other(
    connection: sqlite3.Connection, asked: Asked, synced: Synced, new_tags: tag_cache.NewTags
) -> Profile | None:
    """Return the same sessions in another view; None where nothing of that kind was done."""
    try:
        gathered = gather_on(connection, _in_own_stack(asked), synced, new_tags)
    except NothingFoundError:
        return None
    return _described(gathered.profile, asked)


def _in_own_stack(asked: Asked) -> Asked:
    """Return what was asked with the view's own stack, where a person named none."""
    if all(asked.rules.stack != view.stack for view in VIEWS.values()):
        return asked
    return asked._replace(rules=asked.rules._replace(stack=asked.view.stack))


def _described(profile: Profile, asked: Asked) -> Profile:
    """Return the profile with its project, and in the comments the version and the filters."""
    named = "anonymous" if asked.anonymizes else asked.selection.project_name or "all_projects"
    name = PublicText(named)
    facts = (f"agentpprof:project:{name}", f"agentpprof:version:{__version__}")
    filters = [] if asked.anonymizes else asked.filters()
    comments = (*profile.comments, *map(shortened, (*facts, *filters)))
    return profile._replace(project=name, comments=comments)


def summary_of(made: Made, asked: Asked) -> dict[str, Any]:
    """Return what is printed beside an output: no texts, no paths but the output's own."""
    return {
        "status": "ok",
        "output": asked.output,
        "format": asked.format,
        "view": asked.view.name,
        "sample_type": asked.view.sample_type,
        "unit": asked.view.unit,
        "sessions": made.sessions,
        "subagents": made.subagents,
        "samples": made.profile.total,
        "unique_stacks": len(made.profile.stacks()),
        "warnings": made.warnings,
        "tagging": made.tagging,
    }
