"""`agentpprof doctor`: status, and checks that take longer."""

from collections.abc import Iterator
from typing import Any

import click

from agentpprof.commands.condition import Condition, read_condition, tell
from agentpprof.commands.options import store_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.ingest.checking import (
    Check,
    integrity,
    logs_unchanged,
    rows_in_logs,
    surroundings,
)


@click.command("doctor", cls=OnceCommand)
@click.option("--deep", is_flag=True, help="Also check every index, and the logs against the rows.")
@click.option("--json", "as_json", is_flag=True, help="As JSON on stdout.")
@click.option("--debug", is_flag=True, help="Show where an error came from.")
@store_options
def command(**options: Any) -> int:
    """Check the database and its surroundings; changes nothing.

    With --deep every index is checked, heads and ends of logs are hashed again, and a sample of
    stored rows is read once more from the log. Exit codes as those of status.
    """
    condition = read_condition(options)
    return tell(condition, list(_checks(condition, options["deep"])), options["as_json"])


def _checks(condition: Condition, is_deep: bool) -> Iterator[Check]:
    yield from surroundings(condition.database, condition.roots)
    if condition.health.error or not condition.health.schema:
        return  # told by status; there is nothing to look into
    sound = integrity(condition.database, is_deep=is_deep)
    yield sound
    if is_deep and sound.is_fine:
        yield logs_unchanged(condition.known)
        yield rows_in_logs(condition.database)
