"""`agentpprof restore`: a backup in the place of the database."""

from pathlib import Path

import click

from agentpprof.commands.confirming import confirm
from agentpprof.commands.options import database_option, debug_option, quiet_option
from agentpprof.commands.sections import OnceCommand
from agentpprof.runs.chosen import named_database
from agentpprof.store.database import default_path
from agentpprof.store.maintenance import restore
from agentpprof.text.telling import say


@click.command("restore", cls=OnceCommand)
@click.argument("source", metavar="PATH")
@click.option("--yes", is_flag=True, help="Don't ask.")
@database_option
@quiet_option
@debug_option
def command(source: str, yes: bool, database: str | None, quiet: bool) -> None:
    """Put the backup PATH in the place of the database, once it was found to be sound.

    Only this way is safe: a copied file beside an old write-ahead log would be silently mixed with
    it. What was forgotten since stays forgotten. Logs that still exist are read again afterwards.
    """
    path = named_database(database) or default_path()
    if path.exists() and not yes:
        confirm("Replace the database that is there?")
    kept = restore(path, Path(source))
    if kept is not None:
        say(f"the damaged database was kept as {kept.name}", on_stderr=True)
    if not quiet:
        say("restored; run agentpprof index to read what has come since", on_stderr=True)
