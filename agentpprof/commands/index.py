"""`agentpprof index`: one pass over the logs."""

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.config import settings
from agentpprof.errors import UsageError
from agentpprof.runs.chosen import check_loudness, chosen_database, chosen_roots, named_database
from agentpprof.runs.homes import missing_homes
from agentpprof.runs.source import index_logs
from agentpprof.text.telling import report_lines, say


@click.command("index", cls=OnceCommand)
@store_options
@loudness_options
def command(
    claude_roots: tuple[str, ...],
    codex_roots: tuple[str, ...],
    database: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Read what is new in the logs into the database, and tag new prompts.

    Logs of named roots need --db: they stay out of your own history.
    """
    check_loudness(quiet, verbose)
    named = named_database(database)
    is_foreign = bool(claude_roots or codex_roots)
    if is_foreign and named is None:
        raise UsageError("index with a root needs --db: foreign logs stay out of your own history")
    roots = chosen_roots(claude_roots, codex_roots)
    with chosen_database(named, is_foreign, quiet) as path:
        report = index_logs(path, roots, is_quiet=quiet)
    if not quiet:
        for line in () if is_foreign else missing_homes(settings({})):
            say(line, on_stderr=True)
        for line in report_lines(report, verbose):
            say(line, on_stderr=True)
