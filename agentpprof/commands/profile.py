"""`agentpprof profile`, the default command: one view, one output."""

import json
from typing import Any

import click

from agentpprof.commands.asked import read_options
from agentpprof.commands.making import make_profile, summary_of
from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import (
    output_options,
    rule_options,
    selection_options,
    tag_options,
)
from agentpprof.commands.sections import OnceCommand
from agentpprof.commands.telling import say
from agentpprof.encoders import encoder
from agentpprof.output import STDOUT, write_output


@click.command("profile", cls=OnceCommand)
@output_options
@selection_options
@rule_options
@tag_options
@store_options
@loudness_options
def command(**options: Any) -> None:
    """Write one profile of agent activity.

    The name of the output decides the format: .pb.gz and .pb are pprof, .folded, .svg and .json
    themselves. New log lines are read first.

    \b
      agentpprof -o agent.pb.gz                    tokens of this folder's project
      agentpprof -o agent.svg --all-projects       a picture of everything
      agentpprof -o files.folded --view files      which files were touched
      agentpprof -o - --format folded | sort -nr   to another program
    """
    asked = read_options(options)
    made = make_profile(asked)
    data = encoder(asked.format).encode(made.profile, asked.output_options)
    write_output(data, asked.output)
    for line in made.told:
        say(line, on_stderr=True)
    if not asked.is_quiet:
        summary = json.dumps(summary_of(made, asked), indent=2, ensure_ascii=False)
        say(summary, on_stderr=asked.output == STDOUT)
