"""`agentpprof top`: the largest frames of a view on the terminal, as a table, a tree or JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypedDict, Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import (
    rule_options,
    selection_options,
    tag_options,
    view_options,
)
from agentpprof.commands.sections import OUTPUT, F, OnceCommand, apply_options, option
from agentpprof.defaults import DEFAULT_SVG_WIDTH
from agentpprof.encoders.decode import profile_of_document
from agentpprof.encoders.samples import stack_values
from agentpprof.errors import UsageError
from agentpprof.models import Profile, Stack
from agentpprof.option_groups import ShownProfileOptions, WrittenOptions
from agentpprof.profile.rules import parse_stack
from agentpprof.profile.top import NAMING_KINDS, only_kinds, top_branches, top_rows
from agentpprof.runs.asked import Asked, read_options
from agentpprof.runs.outputs import Output, make_output
from agentpprof.text.printing import paper_of_stdout, print_lines
from agentpprof.text.telling import say, say_json
from agentpprof.text.top_text import (
    Line,
    Paper,
    head_lines,
    left_out_line,
    row_lines,
    tree_lines,
)

DEFAULT_ROWS = 20
_ALL_ROWS = "agentpprof top --rows 0 shows all"
# What a profile's options say when nothing is to be written.
NO_OUTPUT: Final[WrittenOptions] = {
    "output": None,
    "format_name": None,
    "svg_width": DEFAULT_SVG_WIDTH,
    "labels": (),
    "include_previews": False,
    "anonymize": False,
    "flame": False,
    "all_measures": False,
}


class ByOptions(TypedDict):
    """What decides of which fields the stack is."""

    by: str | None
    stack: str | None


class RowOptions(TypedDict):
    """What is shown of a profile."""

    by: str | None
    rows: int
    as_json: bool


class TopOptions(ShownProfileOptions, RowOptions):
    """The options of `agentpprof top`."""

    tree: bool
    sort: str


class _WholeOptions(TopOptions, WrittenOptions):
    """The same with what would be written."""


class Choice(NamedTuple):
    """What is shown of a profile, and how."""

    kinds: tuple[str, ...] = NAMING_KINDS  # of frames; empty: all
    rows: int = DEFAULT_ROWS
    is_tree: bool = False
    by_flat: bool = False
    as_json: bool = False
    is_by: bool = False  # a row per value of `kinds`


def top_options(function: F) -> F:
    """Add what is shown."""
    return apply_options(
        function,
        view_options,
        option(
            OUTPUT,
            "--by",
            metavar="FIELD",
            help="One row per value of this field, for example tool, model or day.",
        ),
        option(
            OUTPUT,
            "--rows",
            type=click.IntRange(0),
            default=DEFAULT_ROWS,
            show_default=True,
            metavar="N",
            help="How many rows; 0 is all.",
        ),
        option(OUTPUT, "--tree", is_flag=True, help="The heaviest branches, indented."),
        option(
            OUTPUT,
            "--sort",
            type=click.Choice(["cum", "flat"]),
            default="cum",
            show_default=True,
            help="By all that was done below a frame, or by the frame alone.",
        ),
        option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, numbers exact."),
    )


@click.command("top", cls=OnceCommand)
@top_options
@selection_options
@rule_options
@tag_options
@store_options
@loudness_options
def command(**options: Unpack[TopOptions]) -> None:
    """Print the largest frames of a view: flat and cumulative, like pprof -top.

    flat is the weight of stacks that end in a frame, cum that of all stacks that hold it.

    \b
      agentpprof top
      agentpprof top --view time --by tool
      agentpprof top --stack task,action,object --tree --rows 40
    """
    choice = read_choice(options)
    whole: _WholeOptions = {**options, **NO_OUTPUT, "stack": stack_of(options)}
    asked = read_options(whole, options["by"])
    print_top(make_output(asked), asked, choice)


def read_choice(options: TopOptions) -> Choice:
    """Return what is to be shown; raises UsageError for what contradicts itself."""
    by = options["by"]
    if by is not None and options["tree"]:
        raise UsageError("--by and --tree contradict each other: a tree shows the whole stack")
    if options["tree"] and options["sort"] == "flat":
        raise UsageError("--sort flat and --tree contradict each other: a branch holds all below")
    kinds: tuple[str, ...] = NAMING_KINDS
    if by is not None:
        kinds = parse_stack(by, "--by")
    elif options["stack"] is not None:
        kinds = ()
    is_flat = options["sort"] == "flat"
    rows = options["rows"] or 10**9
    return Choice(kinds, rows, options["tree"], is_flat, options["as_json"], by is not None)


def stack_of(options: ByOptions) -> str | None:
    """Return the stack: that of `--by` alone, unless one is named that has the field."""
    by, stack = options["by"], options["stack"]
    if by is None:
        return stack
    named = parse_stack(stack) if stack else ()
    missing = [field for field in parse_stack(by, "--by") if field not in named]
    return ",".join((*named, *missing))


def print_top(made: Output, asked: Asked, choice: Choice) -> None:
    """Print the profile that was made, and on stderr what is told beside it."""
    profile = profile_of_document(json.loads(made.data))
    for line in made.told:
        say(line, on_stderr=True)
    if choice.as_json:
        say_json(document_of(profile, made, choice))
        return
    print_lines(lines_of(profile, made, choice, paper_of_stdout()))
    for warning in () if asked.is_quiet else made.summary["warnings"]:
        say(warning, on_stderr=True)


def lines_of(profile: Profile, made: Output, choice: Choice, paper: Paper) -> list[Line]:
    """Return what a person sees."""
    head = head_lines(profile, made.summary["sessions"], paper, made.summary["subagents"])
    stacks = _chosen_stacks(profile, choice)
    if choice.is_tree:
        branches, left_out = top_branches(stacks, choice.rows)
        return [
            *head,
            *tree_lines(branches, profile, paper),
            *left_out_line(left_out, "branch", "branches", _ALL_ROWS),
        ]
    rows = top_rows(stacks, choice.kinds, choice.by_flat)
    shown = row_lines(rows[: choice.rows], profile, paper)
    left_out = len(rows) - choice.rows
    return [*head, *shown, *left_out_line(left_out, "frame", "frames", _ALL_ROWS)]


def _chosen_stacks(profile: Profile, choice: Choice) -> Mapping[Stack, int]:
    """Return the stacks; with `--by` each has only frames of these fields."""
    stacks = stack_values(profile)
    return only_kinds(stacks, choice.kinds) if choice.is_by else stacks


def document_of(profile: Profile, made: Output, choice: Choice) -> dict[str, Any]:
    """Return the same for programs."""
    stacks = _chosen_stacks(profile, choice)
    document: dict[str, Any] = {
        "view": profile.view,
        "sample_type": profile.sample_type,
        "unit": profile.unit,
        "project": profile.project,
        "sessions": made.summary["sessions"],
        "subagents": made.summary["subagents"],
        "total": profile.total,
    }
    if choice.is_tree:
        branches, left_out = top_branches(stacks, choice.rows)
        tree = [branch._asdict() for branch in branches]
        return {**document, "tree": tree, "branches_left_out": left_out}
    rows = top_rows(stacks, choice.kinds, choice.by_flat)
    shown = [row._asdict() for row in rows[: choice.rows]]
    return {**document, "rows": shown, "rows_left_out": len(rows) - len(shown)}
