"""`agentpprof backup`: a copy of the database."""

from pathlib import Path

import click

from agentpprof.commands.options import database_option, debug_option, quiet_option
from agentpprof.commands.sections import OnceCommand
from agentpprof.runs.chosen import named_database
from agentpprof.store.database import default_path
from agentpprof.store.maintenance import backup
from agentpprof.text.telling import say


@click.command("backup", cls=OnceCommand)
@click.argument("target", metavar="PATH")
@click.option("--yes", is_flag=True, help="Replace also a backup of another history.")
@database_option
@quiet_option
@debug_option
def command(target: str, yes: bool, database: str | None, quiet: bool) -> None:
    """Write a copy of the database to PATH, readable by you alone, also while others use it.

    An older backup of this database at that place is replaced. The logs are no backup: agents
    delete them after some weeks.
    """
    path = named_database(database) or default_path()
    size = backup(path, Path(target), replaces_all=yes)
    if not quiet:
        say(f"{target}: {size / 1e6:,.1f} MB", on_stderr=True)
