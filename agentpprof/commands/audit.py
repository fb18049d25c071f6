"""`agentpprof audit`: what the logs hold, what of it is dropped and why, and what counts."""

import sqlite3
from typing import Any, Unpack

import click

from agentpprof import audit
from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import selection_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.errors import NothingFoundError
from agentpprof.option_groups import SessionsOptions
from agentpprof.profile.selection import Selection, choose_sessions
from agentpprof.runs.asked import read_sessions_asked
from agentpprof.runs.finding import no_session_message
from agentpprof.runs.source import synced_database
from agentpprof.store import audits, queries
from agentpprof.store.database import opened_for_reading
from agentpprof.text.audit_text import audit_text
from agentpprof.text.telling import say, say_json


@click.command("audit", cls=OnceCommand)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@selection_options
@store_options
@loudness_options
def command(as_json: bool, **options: Unpack[SessionsOptions]) -> None:
    """Account for every token, response, prompt and tool call: raw = dropped + counted.

    Dropped are repeats of a response's rows, copies in other files, inherited and replayed
    history, and what was no use of a model. It works from stored lines, so also when the logs are
    gone. It is about whole sessions: --since and --until choose those with work in between. With
    --session-id the very lines are listed: file, byte offset, and why each counts or does not.

    \b
      agentpprof audit --all-projects
      agentpprof audit --session-id 019ec5
      agentpprof audit --all-projects --json
    """
    selection, source = read_sessions_asked(options)
    with (
        synced_database(source, is_quiet=options["quiet"], has_bar=not as_json) as (path, synced),
        opened_for_reading(path) as connection,
    ):
        chosen = synced.narrowed(connection, selection)
        document = _document(connection, chosen, with_lines=bool(options["session_id"]))
    if (options["since"] or options["until"]) and not options["quiet"]:
        say("sessions are accounted for whole, also their work outside of the time", on_stderr=True)
    if as_json:
        say_json(document)
    else:
        say(audit_text(document))


def _document(
    connection: sqlite3.Connection, selection: Selection, *, with_lines: bool
) -> dict[str, Any]:
    """Return the audit of the chosen sessions."""
    every = queries.read_sessions(connection)
    chosen = {session.key: session for session in choose_sessions(every, selection)}
    if not chosen:
        raise NothingFoundError(no_session_message(connection, selection))
    lines = audits.read_audit_lines(connection)
    accounts = audit.build_accounts(
        lines,
        audits.read_counted_sums(connection),
        audits.read_told(connection),
        {session.key: session.agent for session in every},
    )
    only = None if len(chosen) == len(every) else chosen
    skipped = audits.read_skipped_kinds(connection, only)
    document = audit.audit_document(accounts, chosen, skipped)
    if with_lines:
        document["lines"] = audit.line_rows(lines, chosen)
    return document
