"""`agentpprof profile`, the default command: one view, one output."""

import json
from typing import Any

import click

from agentpprof.commands import profile_options
from agentpprof.commands.options import OnceCommand, loudness_options, store_options
from agentpprof.encoders import encoder
from agentpprof.output import STDOUT, write_output


@click.command("profile", cls=OnceCommand)
@profile_options.output_options
@profile_options.selection_options
@profile_options.rule_options
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
    asked = profile_options.read_options(options)
    made = profile_options.make_profile(asked)
    data = encoder(asked.format).encode(made.profile, asked.output_options)
    write_output(data, asked.output)
    summary = json.dumps(profile_options.summary_of(made, asked), indent=2, ensure_ascii=False)
    for line in made.told:
        click.echo(line, err=True)
    if not asked.is_quiet:
        click.echo(summary, err=asked.output == STDOUT)
