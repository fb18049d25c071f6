"""The output that was asked for: out of the cache, else made, and what is told beside it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof import output_cache
from agentpprof.memory import paused_collection
from agentpprof.runs.asked import TOP, Asked
from agentpprof.runs.expiry import expiry_warning
from agentpprof.runs.source import Synced, synced_database
from agentpprof.store.database import opened_for_reading
from agentpprof.store.queries import read_state
from agentpprof.text.telling import age_line, report_lines


class Output(NamedTuple):
    """What is written, what is printed beside it, and what is said on stderr."""

    data: bytes
    summary: dict[str, Any]
    told: list[str]


def make_output(asked: Asked) -> Output:
    """Sync, then take the output from the cache, or make it; raises errors that say what to do."""
    with synced_database(asked.source, is_quiet=asked.is_quiet) as (path, synced):
        with paused_collection(), opened_for_reading(path) as connection:
            key = _cache_key(connection, path, asked, synced)
            cached = output_cache.read_cached(key) if key else None
            if cached is None:
                cached = _made(connection, path, asked, synced)
                if key:
                    output_cache.write_cached(key, cached)
        told = [] if asked.is_quiet else list(_told(asked, path, synced))
    return Output(cached.data, {**cached.summary, "output": asked.output}, told)


def _made(
    connection: sqlite3.Connection, database: Path, asked: Asked, synced: Synced
) -> output_cache.CachedOutput:
    """Make an output that is in no cache; only then the parts that make it are imported."""
    from agentpprof.encoders import encoder
    from agentpprof.runs.making import make_on, summary_of

    made = make_on(connection, database, asked, synced)
    format_name = "json" if asked.format == TOP else asked.format
    data = encoder(format_name).encode(made.profile, asked.output_options)
    return output_cache.CachedOutput(data, summary_of(made, asked))


def _cache_key(
    connection: sqlite3.Connection, database: Path, asked: Asked, synced: Synced
) -> str | None:
    """Return the key of what is asked for; None where nothing may or can be kept."""
    if asked.with_previews or not asked.tagger.saves or synced.report.unreadable:
        return None
    if asked.source.is_temporary:
        return None
    if asked.tagger.llm is not None:
        return None  # what a model says may come in pieces
    parts = (
        asked.format,
        asked.output_options,
        asked.all_measures,
        asked.view.name,
        asked.rules,
        asked.tagger.tagger.definition(),
        asked.selection,
        asked.path_depth,
        asked.with_idle,
        asked.anonymizes,
        synced.paths,
    )
    return output_cache.cache_key(database, read_state(connection), parts)


def _told(asked: Asked, database: Path, synced: Synced) -> Iterator[str]:
    """Yield what is said on stderr beside an output."""
    yield from asked.notes
    yield from report_lines(synced.report, asked.is_verbose)
    if not asked.source.syncs:
        yield age_line(database)
    if not asked.source.is_foreign:
        warning = expiry_warning(database, asked.source.roots)
        if warning:
            yield warning
