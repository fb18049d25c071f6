"""`agentpprof diff`: what changed between two filters or saved profiles."""

from collections.abc import Iterator
from typing import Any, Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.profile_options import (
    rule_options,
    selection_options,
    tag_options,
    view_options,
)
from agentpprof.commands.sections import OUTPUT, OnceCommand, option
from agentpprof.commands.top import NO_OUTPUT, RowOptions, stack_of
from agentpprof.counts import counted
from agentpprof.defaults import DEFAULT_SVG_WIDTH
from agentpprof.encoders import encoder, format_of_path, gzip_of_path
from agentpprof.errors import UsageError
from agentpprof.models import Difference, OutputOptions
from agentpprof.option_groups import ShownProfileOptions, WrittenOptions
from agentpprof.output import STDOUT, stream_of, write_output
from agentpprof.privacy import PublicText, shortened
from agentpprof.profile.diff import FrameChange, SideCounts, as_diff_base, difference, frame_changes
from agentpprof.profile.rules import parse_stack
from agentpprof.profile.top import NAMING_KINDS
from agentpprof.runs.sides import Filter, Side, make_side, read_side
from agentpprof.runs.source import synced_database
from agentpprof.store.database import opened_for_reading
from agentpprof.text.diff_text import change_lines, head_lines
from agentpprof.text.printing import paper_of_stdout, print_lines
from agentpprof.text.telling import report_lines, say, say_json
from agentpprof.text.top_text import left_out_line

_FORMATS = ("pprof", "folded", "svg")


class DiffOptions(ShownProfileOptions, RowOptions):
    """The options of `agentpprof diff`."""

    output: str | None
    format_name: str | None
    per: str | None
    svg_width: int
    flame: bool


class _WholeOptions(ShownProfileOptions, RowOptions, WrittenOptions):
    """The same with what only a single profile can be written with."""

    per: str | None


@click.command("diff", cls=OnceCommand)
@click.argument("base")
@click.argument("new")
@option(OUTPUT, "-o", "--output", metavar="PATH", help="A file as well: .pb.gz, .folded or .svg.")
@option(OUTPUT, "--format", "format_name", metavar="NAME", help="pprof, folded, svg; for -o -.")
@view_options
@option(
    OUTPUT,
    "--per",
    type=click.Choice(SideCounts._fields),
    help="Scale the base to as many prompts, sessions or tool calls as the new side has.",
)
@option(
    OUTPUT,
    "--by",
    metavar="FIELD",
    help="One row per value of this field, for example tool, model or day.",
)
@option(
    OUTPUT,
    "--rows",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="How many rows; 0 is all.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, numbers exact.")
@option(
    OUTPUT,
    "--svg-width",
    type=int,
    default=DEFAULT_SVG_WIDTH,
    show_default=True,
    metavar="N",
    help="Width of an SVG in pixels.",
)
@option(OUTPUT, "--flame", is_flag=True, help="SVG: the root at the bottom, not on top.")
@selection_options
@rule_options
@tag_options
@store_options
@loudness_options
def command(base: str, new: str, **options: Unpack[DiffOptions]) -> None:
    """Show what changed from BASE to NEW: a table, and with -o a profile of the difference.

    Each side is a saved profile (.pb.gz, .json, .folded), `all`, or a filter: words since, until,
    project, branch, agent, session, session-tag, prompt-tag and where, joined by commas. All other
    options hold for both sides.

    \b
      agentpprof diff since=14d,until=7d since=7d
      agentpprof diff branch=main branch=fix --per prompt --by action
      agentpprof diff last-week.pb.gz this-week.pb.gz -o diff.svg
    """
    output = options["output"]
    if output is not None and stream_of(output) == stream_of(STDOUT):
        output = STDOUT
    options["output"] = output
    format_name = _checked_format(output, options["format_name"])
    change = _difference((base, new), options)
    for text in () if options["quiet"] else (base, new):
        if text.lower().endswith(".folded"):
            view = options["view_name"]
            say(f"{text} does not say what it counts: it is read as {view}", on_stderr=True)
    if output is not None:
        form = OutputOptions(options["svg_width"], gzip_of_path(output), options["flame"])
        write_output(_encoded(change, format_name, form), output)
    if output != STDOUT:
        _print(change, options)


def _checked_format(output: str | None, named: str | None) -> str:
    """Return the format of the output, empty without one."""
    if output is None:
        if named is not None:
            raise UsageError(f"--format {named} needs an output: write -o - for stdout")
        return ""
    by_name = format_of_path(output) if output != STDOUT else None
    if by_name and named and by_name != named:
        raise UsageError(f"-o {output} is a name for {by_name}, but --format says {named}")
    chosen = by_name or named or "pprof"
    if encoder(chosen).name not in _FORMATS:
        raise UsageError(f"a difference is written as {', '.join(_FORMATS)}, not as {chosen}")
    return chosen


def _difference(texts: tuple[str, str], options: DiffOptions) -> Difference:
    """Make both sides, and scale the base where that is asked for."""
    asked_for: _WholeOptions = {**NO_OUTPUT, **options, "stack": stack_of(options)}
    names = ("BASE", "NEW")
    read = [
        read_side(text, asked_for, name, options["by"])
        for text, name in zip(texts, names, strict=True)
    ]
    base, new = _made(read, options["quiet"], options["verbose"])
    facts = (*_facts(base, "base"), *_facts(new, "new"))
    per = options["per"]
    if per is None:
        return difference(base.profile, new.profile, None)._replace(facts=facts)
    counts = _counts(base, new, per)
    words = f"base scaled from {counts[0]:,} to {counted(counts[1], per)}"
    return difference(base.profile, new.profile, counts)._replace(facts=facts, note=words)


def _facts(side: Side, name: str) -> Iterator[PublicText]:
    """Yield what a side is, with its name before it."""
    return (shortened(f"{name}:{fact.removeprefix('filter:')}") for fact in side.facts)


def _counts(base: Side, new: Side, per: str) -> tuple[int, int]:
    found = []
    for side, name in ((base, "BASE"), (new, "NEW")):
        if side.counts is None:
            raise UsageError(f"--per {per}: {name} doesn't say how many; save it as .json")
        count = getattr(side.counts, per)
        if not count:
            raise UsageError(f"--per {per}: {name} has none")
        found.append(count)
    return found[0], found[1]


def _made(read: list[Side | Filter], is_quiet: bool, is_verbose: bool) -> list[Side]:
    """Return both sides; the database is opened only if one of them needs it."""
    filters = [side for side in read if isinstance(side, Filter)]
    if not filters:
        return [side for side in read if isinstance(side, Side)]
    with (
        synced_database(filters[0].asked.source, is_quiet=is_quiet) as (path, synced),
        opened_for_reading(path) as connection,
    ):
        made = [
            make_side(connection, path, side, synced, name) if isinstance(side, Filter) else side
            for side, name in zip(read, ("BASE", "NEW"), strict=True)
        ]
    for line in () if is_quiet else report_lines(synced.report, is_verbose):
        say(line, on_stderr=True)
    return made


def _encoded(change: Difference, format_name: str, options: OutputOptions) -> bytes:
    if format_name == "pprof":
        return encoder("pprof").encode(as_diff_base(change), options)
    if format_name == "folded":
        from agentpprof.encoders.diff_folded import encode

        return encode(change)
    from agentpprof.encoders.diff_svg import encode as draw

    return draw(change, options)


def _print(change: Difference, options: DiffOptions) -> None:
    kinds: tuple[str, ...] = NAMING_KINDS
    if options["by"] is not None:
        kinds = parse_stack(options["by"], "--by")
    elif options["stack"] is not None:
        kinds = ()
    changes = frame_changes(change, kinds, is_by=options["by"] is not None)
    shown = changes[: options["rows"] or None]
    if options["as_json"]:
        document = document_of(change, shown)
        document["rows_left_out"] = len(changes) - len(shown)
        say_json(document)
        return
    paper = paper_of_stdout()
    left_out = left_out_line(len(changes) - len(shown), "frame", "frames", "--rows 0 shows all")
    lines = [*head_lines(change, paper), *change_lines(shown, change.new, paper), *left_out]
    print_lines(lines)


def document_of(change: Difference, rows: list[FrameChange]) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "view": change.new.view,
        "sample_type": change.new.sample_type,
        "unit": change.new.unit,
        "facts": list(change.facts),
        "scaled": change.note or None,
        "base_total": change.base.total,
        "new_total": change.new.total,
        "rows": [{**row._asdict(), "delta": row.delta} for row in rows],
    }
