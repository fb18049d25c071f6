"""`agentpprof watch`: keep the database up to date while agents work."""

import json
from typing import Any, Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import tag_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.config import configured_tagger
from agentpprof.errors import UsageError
from agentpprof.ingest.watch import Batch, Watched
from agentpprof.ingest.watcher_process import run_watcher
from agentpprof.option_groups import LoudnessOptions, StoreOptions, TagOptions
from agentpprof.runs.chosen import check_loudness, chosen_roots, named_database, tell_new_database
from agentpprof.runs.watch_tagging import WatchTagging, read_watch_tagging
from agentpprof.store.database import default_path
from agentpprof.text.telling import read_text_of, say


class WatchOptions(TagOptions, StoreOptions, LoudnessOptions):
    """The options of `agentpprof watch`."""

    once: bool
    as_json: bool


@click.command("watch", cls=OnceCommand)
@click.option("--once", is_flag=True, help="One pass, then end.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line on stdout per batch read.")
@tag_options
@store_options
@loudness_options
def command(**options: Unpack[WatchOptions]) -> int:
    """Read new log lines as they come, until it is stopped (Ctrl-C, SIGTERM).

    New lines are in the database within a second. Other commands run beside it; a second watcher
    does not. Exit codes: 0 stopped, 1 a pass failed (--once), 78 the database needs a person.
    """
    check_loudness(options["quiet"], options["verbose"])
    job = _job(options)
    failed = False
    is_new = named_database(options["database"]) is not None and not job.database.exists()
    tagging = read_watch_tagging(job.database, options)
    for batch in run_watcher(job, is_once=options["once"]):
        failed = bool(batch.error)
        if batch.number == 1 and not (options["quiet"] or options["as_json"]):
            tell_new_database(job.database, is_new)
        _tag(tagging, batch, options)
        if is_worth_telling(batch, options["verbose"]):
            if options["as_json"]:
                click.echo(json.dumps(line_of(batch)))
            elif not options["quiet"] or batch.error:
                say(text_of(batch), on_stderr=True)
    if tagging is not None:
        tagging.stop()
    return int(failed and options["once"])


def _tag(tagging: WatchTagging | None, batch: Batch, options: WatchOptions) -> None:
    """Let a model tag what a pass read, where one was named."""
    if tagging is None:
        return
    if batch.number == 1 or batch.report.operations:
        tagging.wake()
    if options["once"]:
        tagging.finish()
    error = tagging.take_error()
    if error and not options["quiet"]:
        say(error, on_stderr=True)


def _job(options: StoreOptions) -> Watched:
    named = named_database(options["database"])
    if (options["claude_roots"] or options["codex_roots"]) and named is None:
        raise UsageError("watch with a root needs --db: foreign logs stay out of your own history")
    roots = chosen_roots(options["claude_roots"], options["codex_roots"])
    return Watched(named or default_path(), tuple(roots), configured_tagger())


def is_worth_telling(batch: Batch, verbose: bool = False) -> bool:
    """Say whether a pass did anything that somebody wants to hear of."""
    report = batch.report
    return verbose or bool(batch.number == 1 or batch.error or report.files_read or batch.tagged)


def line_of(batch: Batch) -> dict[str, Any]:
    """Return one pass for other programs: counts and codes only."""
    report = batch.report
    return {
        "batch": batch.number,
        "scan": batch.is_scan,
        "files": report.files,
        "files_read": report.files_read,
        "bytes_read": report.bytes_read,
        "operations": report.operations,
        "new_operations": report.new_operations,
        "damaged_lines": report.bad_lines,
        "unknown_records": report.unknown_records,
        "unreadable": len(report.unreadable),
        "tagged": batch.tagged,
        "seconds": round(report.seconds, 3),
        "error": batch.error or None,
    }


def text_of(batch: Batch) -> str:
    """Return one pass for a person."""
    if batch.error:
        return f"a pass failed ({batch.error}): it is tried again, see agentpprof status"
    return read_text_of(batch.report)
