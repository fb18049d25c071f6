"""`agentpprof index`: one pass over the logs."""

import os

import click

from agentpprof.commands.options import (
    OnceCommand,
    chosen_database,
    chosen_roots,
    loudness_options,
    store_options,
)
from agentpprof.commands.telling import report_lines
from agentpprof.errors import UsageError
from agentpprof.ingest.indexer import sync
from agentpprof.store.tag_cache import tag_new_prompts


@click.command("index", cls=OnceCommand)
@store_options
@loudness_options
def command(
    claude_roots: tuple[str, ...],
    codex_roots: tuple[str, ...],
    database: str | None,
    quiet: bool,
    verbose: bool,
    debug: bool,
) -> None:
    """Read what is new in the logs into the database, and tag new prompts."""
    is_foreign = bool(claude_roots or codex_roots)
    if is_foreign and database is None and not os.environ.get("AGENTPPROF_DB"):
        raise UsageError("index with a root needs --db: foreign logs stay out of your own history")
    roots = chosen_roots(claude_roots, codex_roots)
    with chosen_database(database, is_foreign) as path:
        report = sync(path, roots)
        tag_new_prompts(path)
    if not quiet:
        for line in report_lines(report, verbose):
            click.echo(line, err=True)
