"""`agentpprof profile`, the default command: one view, one output."""

from typing import Unpack, cast

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import (
    output_options,
    rule_options,
    selection_options,
    tag_options,
)
from agentpprof.commands.sections import Guided, OnceCommand
from agentpprof.option_groups import ProfileOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.runs.asked import TOP, Asked, read_options
from agentpprof.runs.outputs import Output, make_output
from agentpprof.text.telling import say, say_json


class _Profile(Guided, OnceCommand):
    pass


@click.command("profile", cls=_Profile)
@output_options
@selection_options
@rule_options
@tag_options
@store_options
@loudness_options
def command(**options: Unpack[ProfileOptions]) -> None:
    """Write one profile of agent activity, or print the largest frames when there is no -o.

    The same as agentpprof without a command.
    """
    asked = read_options(options)
    made = make_output(asked)
    if asked.format == TOP:
        print_top_of(made, asked, options["stack"] is not None)
        return
    write_output(made.data, asked.output)
    for line in made.told:
        say(line, on_stderr=True)
    if not asked.is_quiet:
        say_json(made.summary, on_stderr=asked.output == STDOUT)


def print_top_of(made: Output, asked: Asked, has_stack: bool) -> None:
    """Print the largest frames; loaded only here, since outputs need none of it."""
    from agentpprof.commands.top import Choice, print_top

    print_top(made, asked, Choice(kinds=()) if has_stack else Choice())


def profile_defaults() -> ProfileOptions:
    """Return all options of a profile as they are when none is given."""
    params = command.make_context("profile", [], resilient_parsing=True).params
    return cast(ProfileOptions, params)
