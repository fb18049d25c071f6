"""`agentpprof tags compare`: how far two taggers agree on the same prompts."""

from typing import Unpack

import click

from agentpprof.commands.asking_options import WordsCommand
from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import selection_options, tag_options
from agentpprof.commands.sections import OUTPUT, option
from agentpprof.option_groups import TagsCompareOptions
from agentpprof.text.telling import say, say_json


@click.command("compare", cls=WordsCommand)
@click.argument("first", default="regex")
@click.argument("second", default="llm")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object.")
@option(
    OUTPUT,
    "--include-previews",
    is_flag=True,
    help="Show the beginnings of texts they differ on. Not for strangers' eyes.",
)
@selection_options
@tag_options
@store_options
@loudness_options
def command(first: str, second: str, as_json: bool, **options: Unpack[TagsCompareOptions]) -> None:
    """Compare the tags of two taggers: share, matrix, and the prompts they differ on.

    A tagger is regex (--tag-rule, then the built-in rules), builtin, hand (tags set by hand), llm
    (the model of --llama-url and --model, with --task-choice) or llm:NAME (any model by the name
    that its server gives). No model is asked: agentpprof tags run does that.

    \b
      agentpprof tags compare --all-projects
      agentpprof tags compare hand llm --all-projects --include-previews
    """
    from agentpprof.runs.tagger_pairs import compare_taggers, text_of

    document = compare_taggers((first, second), options)
    if as_json:
        say_json(document)
    else:
        say(text_of(document))
