"""Options that `sql`, `ask` and `search` share."""

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.sections import (
    OUTPUT,
    QUESTION,
    STORE,
    F,
    OnceCommand,
    apply_options,
    option,
)
from agentpprof.output import STDOUT


class WordsCommand(OnceCommand):
    """A command that takes words; one of them may be the name of a command."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Refuse an option given twice, then parse."""
        if "--help" not in args and "-h" not in args:
            _, _, order = self.make_parser(context).parse_args(args=list(args))
            self._refuse_doubled(context, order)
        return click.Command.parse_args(self, context, args)


def asking_options(function: F) -> F:
    """Add the forms of output, the database and what is told."""
    flags = (
        option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object."),
        option(OUTPUT, "--jsonl", "as_jsonl", is_flag=True, help="One JSON object a line."),
        option(OUTPUT, "--csv", "as_csv", is_flag=True, help="CSV, safe for spreadsheets."),
        option(OUTPUT, "--markdown", "as_markdown", is_flag=True, help="A Markdown table."),
        option(
            OUTPUT, "-o", "--output", metavar="PATH", default=STDOUT, help="A file, not stdout."
        ),
    )
    function = loudness_options(function)
    return apply_options(function, *flags, store_options, no_sync_option)


def no_sync_option(function: F) -> F:
    """Add whether the logs are looked at first."""
    return option(
        STORE,
        "--no-sync",
        is_flag=True,
        help="Ask what is stored; logs are not looked at. So it is with --db alone.",
    )(function)


def parameter_option(function: F) -> F:
    """Add `-p name=value`."""
    return option(
        QUESTION,
        "-p",
        "--param",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter, :NAME in the statement; numbers are numbers, null is null.",
    )(function)
