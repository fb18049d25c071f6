"""What `agentpprof tags run` does: find the texts of the chosen sessions, ask, or only count."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.config import configured_tagger, with_model_server
from agentpprof.counts import counted
from agentpprof.errors import UsageError
from agentpprof.option_groups import TagsRunOptions
from agentpprof.profile.llm_texts import TextsToName, Wanted, find_texts, questions_of
from agentpprof.profile.selection import Selection
from agentpprof.redactor import EMAIL, SECRET
from agentpprof.runs.llm_server import LlmChoice
from agentpprof.runs.llm_tagging import Job, Report, missing_texts, tag_texts
from agentpprof.runs.opened import opened_selection
from agentpprof.runs.tagger_choice import read_tagger
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.tagging.llm_prompts import messages
from agentpprof.vocabulary import TAG_KINDS

_DEFAULT_KINDS = ("prompt", "session")


class TextsFound(NamedTuple):
    """What there is to tag, and with what."""

    connection: sqlite3.Connection
    texts: TextsToName
    job: Job


def run_texts(options: TagsRunOptions) -> Report:
    """Tag what is new of the chosen sessions; raises errors of options and database only."""
    with _found(options) as found:
        return tag_texts(*found).report


def dry_run(options: TagsRunOptions) -> dict[str, Any]:
    """Return what would be sent, and where to; nothing is."""
    with _found(options) as (connection, texts, job):
        missing = missing_texts(connection, texts, job)
        counts = dict.fromkeys(TAG_KINDS, 0)
        amounts = dict.fromkeys(("text_bytes", "request_bytes", "secrets", "emails"), 0)
        for question in questions_of(connection, texts, missing, job.choice.choices):
            counts[question.kind] += 1
            sent = messages(question)
            amounts["text_bytes"] += len(question.text.encode())
            amounts["request_bytes"] += sum(len(each["content"].encode()) for each in sent)
            amounts["secrets"] += question.text.count(SECRET)
            amounts["emails"] += question.text.count(EMAIL)
        limit = job.choice.max_new
        return {
            "status": "ok",
            "url": job.choice.server.url,
            "texts": sum(counts.values()),
            "kinds": counts,
            **amounts,
            "limit": limit,
        }


def text_of_dry_run(sent: Mapping[str, Any]) -> str:
    """Return a dry run for a person."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sent["kinds"].items() if count)
    lines = [
        f"{counted(sent['texts'], 'text')} ({kinds or 'nothing is new'}) would go to "
        f"{sent['url']}: "
        f"{sent['text_bytes']:,} bytes of text, {sent['request_bytes']:,} with the questions",
        f"taken out of them: {counted(sent['secrets'], 'secret')}, "
        f"{counted(sent['emails'], 'e-mail address', 'e-mail addresses')}; "
        "also the names of this person and machine, and home folders",
    ]
    if sent["limit"] is not None:
        lines.append(f"--max-uncached-tags: at most {sent['limit']:,} of them")
    return "\n".join(lines)


def text_of_run(report: Report) -> str:
    """Return how a run went, for a person."""
    counts = (
        f"{counted(report.tagged, 'new tag')}, {report.known:,} known before, "
        f"{report.untagged:,} untagged, {report.pending:,} pending"
    )
    return "\n".join([counts, *report.lines()])


@contextmanager
def _found(options: TagsRunOptions) -> Iterator[TextsFound]:
    """Read the options, sync, and find the texts."""
    tagger = read_tagger(with_model_server(options))
    if tagger.llm is None:
        raise UsageError("tags run needs --tagger llm: rules tag whenever logs are read")
    kinds = options["kinds"] or _DEFAULT_KINDS
    with opened_selection(options) as opened:
        kept_in = tagger.llm.tag_database(opened.database, is_temporary=opened.is_temporary)
        job = Job(tagger.llm, kept_in, saves=tagger.saves, is_quiet=options["quiet"])
        texts = texts_of_kinds(opened.connection, opened.selection, kinds)
        yield TextsFound(opened.connection, texts, job)


def texts_of_kinds(
    connection: sqlite3.Connection, selection: Selection, kinds: tuple[str, ...]
) -> TextsToName:
    """Return the texts of some kinds of the chosen sessions."""
    prompts = queries.read_prompts(connection)
    new = tag_cache.NewTags({}, {})
    by_rule = tag_cache.tags_of_prompts(connection, configured_tagger(), prompts, new)
    wanted = Wanted(sessions="session" in kinds, answers="llm" in kinds)
    texts = find_texts(connection, selection, wanted, by_rule)
    return texts if "prompt" in kinds else texts._replace(prompts={})


def run_in_background(
    database: Path, choice: LlmChoice, kept_in: Path, should_stop: Callable[[], bool]
) -> Report:
    """Tag what is new in the whole database, one request at a time, telling nothing."""
    job = Job(choice._replace(parallel=1), kept_in, is_quiet=True, should_stop=should_stop)
    with opened_for_reading(database) as connection:
        texts = texts_of_kinds(connection, Selection(), _DEFAULT_KINDS)
        return tag_texts(connection, texts, job).report
