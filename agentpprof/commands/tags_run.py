"""`agentpprof tags run`: let a model tag what is new, in as many runs as it takes."""

import json
from typing import Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import selection_options, tag_options
from agentpprof.commands.sections import OUTPUT, OnceCommand, option
from agentpprof.option_groups import TagsRunOptions
from agentpprof.text.telling import say, say_json
from agentpprof.vocabulary import TAG_KINDS


@click.command("run", cls=OnceCommand)
@option(OUTPUT, "--dry-run", "is_dry", is_flag=True, help="Only say what would be sent.")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object.")
@option(
    OUTPUT,
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(TAG_KINDS),
    help="What is tagged; llm are the model's answers. [default: prompt, session]",
)
@selection_options
@tag_options
@store_options
@loudness_options
def command(is_dry: bool, as_json: bool, **options: Unpack[TagsRunOptions]) -> int:
    """Tag what has no tag of this model yet; each answer is kept, so it can be broken off.

    Exit codes: 0 done, 1 the server was of no use; what it gave is kept.

    \b
      agentpprof tags run --tagger llm --all-projects --dry-run
      agentpprof tags run --tagger llm --all-projects
    """
    from agentpprof.runs.llm_run import dry_run, run_texts, text_of_dry_run, text_of_run

    if is_dry:
        sent = dry_run(options)
        say(json.dumps(sent, indent=2) if as_json else text_of_dry_run(sent))
        return 0
    report = run_texts(options)
    if as_json:
        say_json(report.as_plain())
    elif not options["quiet"] or report.error:
        say(text_of_run(report), on_stderr=bool(report.error))
    return int(bool(report.error))
