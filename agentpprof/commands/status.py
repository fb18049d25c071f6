"""`agentpprof status`: how things stand, at a glance or for a monitor."""

from typing import Unpack

import click

from agentpprof.commands.options import debug_option, store_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.option_groups import StoreOptions
from agentpprof.runs.condition import read_condition, tell


@click.command("status", cls=OnceCommand)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@debug_option
@store_options
def command(as_json: bool, **options: Unpack[StoreOptions]) -> int:
    """Say what is stored, what is pending, who watches and what needs attention.

    Changes nothing, and works when the watcher is dead or hangs. Exit codes: 0 all is well, 1 there
    is no database or it can't be used, 2 the command line is wrong, 3 something needs attention.
    """
    return tell(read_condition(options), (), as_json)
