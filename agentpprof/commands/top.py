"""`agentpprof top`: the largest frames of a view on the terminal, as a table, a tree or JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import (
    rule_options,
    selection_options,
    tag_options,
    view_options,
)
from agentpprof.commands.sections import F, OnceCommand, apply_options, option
from agentpprof.defaults import DEFAULT_SVG_WIDTH
from agentpprof.encoders.decode import profile_of_document
from agentpprof.encoders.samples import stack_values
from agentpprof.errors import UsageError
from agentpprof.models import Profile, Stack
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
_OUTPUT = "Output"
_ALL_ROWS = "agentpprof top --rows 0 shows all"
# What a profile's options say when nothing is to be written.
NO_OUTPUT: Final[Mapping[str, Any]] = {
    "output": None,
    "format_name": None,
    "svg_width": DEFAULT_SVG_WIDTH,
    "labels": (),
    "include_previews": False,
    "anonymize": False,
    "flame": False,
    "all_measures": False,
}


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
            _OUTPUT,
            "--by",
            metavar="FIELD",
            help="One row per value of this field, for example tool, model or day.",
        ),
        option(
            _OUTPUT,
            "--rows",
            type=click.IntRange(0),
            default=DEFAULT_ROWS,
            show_default=True,
            metavar="N",
            help="How many rows; 0 is all.",
        ),
        option(_OUTPUT, "--tree", is_flag=True, help="The heaviest branches, indented."),
        option(
            _OUTPUT,
            "--sort",
            type=click.Choice(["cum", "flat"]),
            default="cum",
            show_default=True,
            help="By all that was done below a frame, or by the frame alone.",
        ),
        option(_OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, numbers exact."),
    )


@click.command("top", cls=OnceCommand)
@top_options
@selection_options
@rule_options
@tag_options
@store_options
@loudness_options
def command(**options: Any) -> None:
    """Print the largest frames of a view: flat and cumulative, like pprof -top.

    flat is the weight of stacks that end in a frame, cum that of all stacks that hold it.

    \b
      agentpprof top
      agentpprof top --view time --by tool
      agentpprof top --stack task,action,object --tree --rows 40
    """
    choice = read_choice(options)
    asked = read_options({**options, **NO_OUTPUT, "stack": stack_of(options)})
    print_top(make_output(asked), asked, choice)


def read_choice(options: Mapping[str, Any]) -> Choice:
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


def stack_of(options: Mapping[str, Any]) -> str | None:
    """Return the stack: that of `--by` alone, unless one is named that has the field."""
    by, stack = options["by"], options["stack"]
    if by is None:
        return None if stack is None else str(stack)
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
