"""`agentpprof doctor`: status, and checks that take longer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Unpack

import click

from agentpprof.commands.options import debug_option, store_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.counts import counted
from agentpprof.ingest.checking import (
    Check,
    integrity,
    logs_unchanged,
    rows_in_logs,
    surroundings,
)
from agentpprof.option_groups import StoreOptions
from agentpprof.runs.chosen import named_database
from agentpprof.runs.condition import Condition, read_condition, tell
from agentpprof.store.database import default_path
from agentpprof.store.repair import repair
from agentpprof.store.salvage import salvage


class DoctorOptions(StoreOptions):
    """The options of `agentpprof doctor`."""

    deep: bool
    repair: bool
    salvage: str | None
    as_json: bool


@click.command("doctor", cls=OnceCommand)
@click.option("--deep", is_flag=True, help="Also check every index, and the logs against the rows.")
@click.option("--repair", is_flag=True, help="Make every index anew, then check as --deep does.")
@click.option("--salvage", metavar="PATH", help="Write what still reads to a new database.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@debug_option
@store_options
def command(**options: Unpack[DoctorOptions]) -> int:
    """Check the database and its surroundings; changes nothing but with --repair.

    With --deep every index is checked, heads and ends of logs are hashed again, and a sample of
    stored rows is read once more from the log. --repair mends damage in an index, for which no log
    is needed; rows are left as they are. --salvage copies every row that can still be read; then
    restore puts that copy in place, and index adds what the logs tell. Exit codes as those of
    status.
    """
    database = options["database"]
    repaired = [_salvaged(database, options["salvage"])] if options["salvage"] else []
    repaired += [_repaired(database)] if options["repair"] else []
    condition = read_condition(options)
    checks = _checks(condition, options["deep"] or options["repair"])
    return tell(condition, [*repaired, *checks], options["as_json"])


def _repaired(database: str | None) -> Check:
    """Repair the database; a check that tells what was done."""
    done = repair(named_database(database) or default_path())
    if done.error:
        advice = "restore a backup, or move the database away and index again"
        return Check(
            "repair", False, f"the damage is not in indexes alone ({done.error}): {advice}"
        )
    search = f", the search index up to operation {done.searchable:,}" if done.searchable else ""
    return Check(
        "repair", True, f"{counted(done.indexes, 'index was', 'indexes were')} made anew{search}"
    )


def _salvaged(database: str | None, path: str) -> Check:
    """Copy what can be read; a check that tells how much, and of which tables something is lost."""
    target = Path(path)
    found = salvage(named_database(database) or default_path(), target)
    lost = [f"{table} ({gaps:,})" for table, gaps in found.gaps.items() if gaps]
    text = f"{counted(sum(found.rows.values()), 'row')} of {len(found.rows)} tables copied"
    text += f"; gaps in {', '.join(lost)}" if lost else ", all there are"
    advice = f": run agentpprof restore {target}, then agentpprof index"
    return Check("salvage", not lost, text + advice)


def _checks(condition: Condition, is_deep: bool) -> Iterator[Check]:
    yield from surroundings(condition.database, condition.roots)
    if condition.health.error or not condition.health.schema:
        return  # told by status; there is nothing to look into
    sound = integrity(condition.database, is_deep=is_deep)
    yield sound
    if is_deep and sound.is_fine:
        yield logs_unchanged(condition.known)
        yield rows_in_logs(condition.database)
