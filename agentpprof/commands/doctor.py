"""`agentpprof doctor`: status, and checks that take longer."""

from collections.abc import Iterator
from typing import Any

import click

from agentpprof.commands.condition import Condition, read_condition, tell
from agentpprof.commands.options import named_database, store_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.ingest.checking import (
    Check,
    integrity,
    logs_unchanged,
    rows_in_logs,
    surroundings,
)
from agentpprof.store.database import default_path
from agentpprof.store.repair import repair


@click.command("doctor", cls=OnceCommand)
@click.option("--deep", is_flag=True, help="Also check every index, and the logs against the rows.")
@click.option("--repair", is_flag=True, help="Make every index anew, then check as --deep does.")
@click.option("--json", "as_json", is_flag=True, help="As JSON on stdout.")
@click.option("--debug", is_flag=True, help="Show where an error came from.")
@store_options
def command(**options: Any) -> int:
    """Check the database and its surroundings; changes nothing but with --repair.

    With --deep every index is checked, heads and ends of logs are hashed again, and a sample of
    stored rows is read once more from the log. --repair mends damage in an index, for which no log
    is needed; rows are left as they are. Exit codes as those of status.
    """
    repaired = [_repaired(options)] if options["repair"] else []
    condition = read_condition(options)
    checks = _checks(condition, options["deep"] or options["repair"])
    return tell(condition, [*repaired, *checks], options["as_json"])


def _repaired(options: dict[str, Any]) -> Check:
    """Repair the database; a check that tells what was done."""
    done = repair(named_database(options["database"]) or default_path())
    if done.error:
        advice = "restore a backup, or move the database away and index again"
        return Check(
            "repair", False, f"the damage is not in indexes alone ({done.error}): {advice}"
        )
    search = f", the search index up to operation {done.searchable:,}" if done.searchable else ""
    return Check("repair", True, f"{done.indexes:,} indexes were made anew{search}")


def _checks(condition: Condition, is_deep: bool) -> Iterator[Check]:
    yield from surroundings(condition.database, condition.roots)
    if condition.health.error or not condition.health.schema:
        return  # told by status; there is nothing to look into
    sound = integrity(condition.database, is_deep=is_deep)
    yield sound
    if is_deep and sound.is_fine:
        yield logs_unchanged(condition.known)
        yield rows_in_logs(condition.database)
