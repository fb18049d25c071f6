"""A model's tags for one profile: which texts it needs, and what the model says of them."""

import sqlite3
from pathlib import Path

from agentpprof.profile.llm_texts import find_texts, wanted_by
from agentpprof.runs.asked import TOP, Asked
from agentpprof.runs.llm_tagging import Job, TaggedByModel, tag_texts
from agentpprof.store import queries, tag_cache
from agentpprof.text.telling import say


def tag_for_profile(
    connection: sqlite3.Connection,
    database: Path,
    asked: Asked,
    new_tags: tag_cache.NewTags,
) -> TaggedByModel:
    """Return the tags of what was selected; rules' new tags are put into `new_tags`."""
    choice = asked.tagger.llm
    assert choice is not None  # noqa: S101 # the caller looked
    prompts = queries.read_prompts(connection)
    by_rule = tag_cache.tags_of_prompts(connection, asked.tagger.tagger, prompts, new_tags)
    wanted = wanted_by(asked.rules, asked.selection, lists_sessions=asked.format == "json")
    texts = find_texts(connection, asked.selection, wanted, by_rule)
    job = Job(
        choice,
        choice.tag_database(database, is_temporary=asked.source.is_temporary),
        saves=asked.tagger.saves,
        is_quiet=asked.is_quiet,
    )
    tagged = tag_texts(connection, texts, job)
    _tell(tagged, asked)
    return tagged


def _tell(tagged: TaggedByModel, asked: Asked) -> None:
    """Say what went wrong, also where little is to be said; `top` prints all warnings itself."""
    if asked.is_quiet and tagged.report.error:
        say(tagged.report.error, on_stderr=True)
    elif not asked.is_quiet and asked.format != TOP:
        for line in tagged.report.lines():
            say(line, on_stderr=True)
