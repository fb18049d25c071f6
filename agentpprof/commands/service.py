"""`agentpprof service`: watch from login on."""

import click

from agentpprof.commands.options import database_option, debug_option, quiet_option
from agentpprof.commands.sections import OnceCommand
from agentpprof.errors import AgentPprofError
from agentpprof.runs.chosen import named_database
from agentpprof.service import install, run_quietly, service_for, uninstall
from agentpprof.store.database import default_path
from agentpprof.text.telling import say


@click.command("service", cls=OnceCommand)
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
@click.option("--print", "only_print", is_flag=True, help="Show the file; change nothing.")
@database_option
@quiet_option
@debug_option
def command(action: str, only_print: bool, database: str | None, quiet: bool) -> int:
    """Install, uninstall or look at the service that runs agentpprof watch from login on.

    On Linux a user's unit of systemd, on macOS an agent of launchd. It ends at logout, unless
    loginctl enable-linger was called. Exit code of status: 0 it runs, 3 it does not.
    """
    path = named_database(database) or default_path()
    service = service_for(path)
    if only_print:
        click.echo(service.text, nl=False)
        return 0
    if action == "status":
        is_running = service.path.exists() and run_quietly(service.ask) == 0
        state = "runs" if is_running else "is stopped" if service.path.exists() else "is missing"
        say(f"the service {state}; agentpprof status says more")
        return 0 if is_running else 3
    if action == "install":
        path.absolute().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not install(service, run_quietly):
            raise AgentPprofError(
                f"{service.path} is written, but could not be started: "
                + " && ".join(" ".join(each) for each in service.start)
            )
        done = "installed and started"
    else:
        done = "removed" if uninstall(service, run_quietly) else "not there"
    if not quiet:
        say(f"the service is {done}", on_stderr=True)
    return 0
