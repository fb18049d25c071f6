"""`agentpprof sessions`: the sessions, one a row, with tag, work and outcome."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import selection_options
from agentpprof.commands.sections import OUTPUT, OnceCommand, option
from agentpprof.counts import counted
from agentpprof.encoders.amounts import humanise
from agentpprof.models import Answer
from agentpprof.option_groups import SessionsOptions
from agentpprof.profile.selection import top_sessions
from agentpprof.profile.session_rows import (
    ListedSession,
    Totals,
    last_outcomes,
    session_rows,
    short_ids,
)
from agentpprof.runs.asked import read_selected
from agentpprof.runs.database_looks import Look, looked_at
from agentpprof.store import queries
from agentpprof.text.printing import print_table
from agentpprof.text.telling import say_json
from agentpprof.vocabulary import OUTCOMES
from agentpprof.zones import time_text

_SORTS: Final[Mapping[str, Callable[[ListedSession], int]]] = {
    "started": lambda row: row.started_at_ms or 0,
    "tokens": lambda row: row.totals.tokens,
    "time": lambda row: row.totals.work_ms,
    "prompts": lambda row: row.totals.prompts,
    "calls": lambda row: row.totals.tool_calls,
    "failed": lambda row: row.totals.failed_calls,
}
_DROPPABLE = ("agent", "failed", "outcome", "prompts", "time")  # on a narrow terminal, in order
_COLUMNS = (
    "session", "started", "project", "agent", "tag", "prompts", "calls", "failed", "tokens",
    "time", "outcome",
)  # fmt: skip


class ListOptions(SessionsOptions):
    """The options of `agentpprof sessions`."""

    sort: str
    outcome: str | None
    rows: int
    as_json: bool


@click.command("sessions", cls=OnceCommand)
@option(
    OUTPUT,
    "--sort",
    type=click.Choice(list(_SORTS)),
    default="started",
    show_default=True,
    help="What stands first: the latest, else the largest.",
)
@option(OUTPUT, "--outcome", type=click.Choice(OUTCOMES), help="Only sessions that ended so.")
@option(
    OUTPUT,
    "--rows",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    metavar="N",
    help="How many rows; 0 is all.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, numbers exact.")
@selection_options
@store_options
@loudness_options
def command(**options: Unpack[ListOptions]) -> None:
    """List sessions: tag, prompts, tool calls, tokens, time of work, outcome of the last prompt.

    Sub-agents count with their session. Time is that of the model and of tools, without you.

    \b
      agentpprof sessions --since 7d
      agentpprof sessions --all-projects --sort tokens --rows 10
    """
    outcome = options["outcome"]
    with looked_at(*read_selected(options), options) as look:
        rows = _rows(look)
        shorts = short_ids([each.session_id for each in top_sessions(look.every)])
    rows = [row for row in rows if outcome in (None, row.outcome)]
    rows.sort(key=_SORTS[options["sort"]], reverse=True)
    shown = rows[: options["rows"] or None]
    if options["as_json"]:
        document = {"sessions": [_record(row) for row in shown], "count": len(rows)}
        say_json(document)
        return
    cut = (
        f"{counted(len(rows) - len(shown), 'more session')}: --rows 0 shows all"
        if rows != shown
        else ""
    )
    answer = Answer(_COLUMNS, [_cells(row, shorts, look.zone) for row in shown], cut)
    print_table(answer, _DROPPABLE)


def _rows(look: Look) -> list[ListedSession]:
    totals = queries.read_session_totals(look.connection)
    return session_rows(
        look.gathered.sessions,
        look.every,
        {key: Totals(*row) for key, row in totals.items()},
        look.gathered.tag_of_session,
        last_outcomes(look.gathered.prompts),
    )


def _record(row: ListedSession) -> dict[str, Any]:
    """Return a row for programs."""
    fields = row._asdict()
    del fields["totals"]
    return {**fields, **row.totals._asdict()}


def _cells(row: ListedSession, shorts: Mapping[str, str], zone: str) -> tuple[Any, ...]:
    """Return a row for people."""
    totals = row.totals
    return (
        shorts.get(row.session_id, row.session_id),
        time_text(row.started_at_ms, zone, "%Y-%m-%d %H:%M"),
        row.project,
        row.agent,
        row.tag,
        totals.prompts,
        totals.tool_calls,
        totals.failed_calls,
        humanise(totals.tokens, "count"),
        humanise(round(totals.work_ms / 1000), "seconds"),
        row.outcome,
    )
