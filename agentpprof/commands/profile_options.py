"""The profile's options: what each is, and all of them checked before anything is read."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from agentpprof.commands.options import chosen_database, chosen_roots
from agentpprof.commands.telling import report_lines, skipped_text
from agentpprof.encoders import ENCODERS, format_of_path, gzip_of_path
from agentpprof.errors import NothingFoundError, StoreError, UsageError
from agentpprof.ingest.discover import Root
from agentpprof.ingest.workspaces import find_workspace
from agentpprof.models import OutputOptions, Profile, PromptRow
from agentpprof.output import STDOUT
from agentpprof.privacy import PublicText
from agentpprof.profile.fields import LABELS
from agentpprof.profile.rules import Rules, check_fields, parse_stack, parse_where
from agentpprof.profile.selection import Selection, name_of_root
from agentpprof.profile.times import parse_time
from agentpprof.profile.views import DEFAULT_VIEW, VIEWS, View, view_named
from agentpprof.tagging.tagger import Tagger

F = TypeVar("F", bound=Callable[..., Any])
_DEFAULT_FORMAT = "pprof"
_NARROWEST_SVG = 200


def output_options(function: F) -> F:
    """Add what is written, and where."""
    return _apply(
        function,
        click.option("-o", "--output", metavar="PATH", help="The one output file; - is stdout."),
        click.option(
            "--format",
            "format_name",
            metavar="NAME",
            help=f"{', '.join(ENCODERS)}; for names that say no format. [default: pprof]",
        ),
        click.option(
            "--view",
            "view_name",
            default=DEFAULT_VIEW,
            show_default=True,
            metavar="NAME",
            help=f"What a width means: {', '.join(VIEWS)}.",
        ),
        click.option(
            "--include-previews",
            is_flag=True,
            help="Put texts of prompts, commands and answers into JSON. Not for strangers' eyes.",
        ),
        click.option("--svg-width", type=int, default=1200, show_default=True, help="In pixels."),
        click.option(
            "--include-idle", is_flag=True, help="Time view: waiting for you and silence as well."
        ),
    )


def selection_options(function: F) -> F:
    """Add which sessions are looked at."""
    return _apply(
        function,
        click.option(
            "--project-root",
            default=".",
            show_default=True,
            metavar="DIR",
            help="Sessions of this project and everything below it; it need not exist here.",
        ),
        click.option("--all-projects", is_flag=True, help="Sessions of every project."),
        click.option("--project-name", metavar="NAME", help="What to call the project."),
        click.option("--session-id", metavar="TEXT", help="Sessions whose id contains this."),
        click.option("--since", metavar="TIME", help="From then on: 2026-05-17, 7d, yesterday."),
        click.option("--until", metavar="TIME", help="Up to then, not included."),
        click.option("--no-sync", is_flag=True, help="Don't look for new log lines first."),
    )


def rule_options(function: F) -> F:
    """Add how operations become stacks."""
    return _apply(
        function,
        click.option("--stack", metavar="FIELDS", help="Frames, root first: task,action,object."),
        click.option(
            "--where",
            multiple=True,
            metavar="FIELD=REGEX",
            help="Keep operations whose field matches; FIELD!=REGEX drops them. All must hold.",
        ),
        click.option(
            "--tag-rule",
            "tag_rules",
            multiple=True,
            metavar="KIND:TAG=REGEX",
            help="Tag by your own rule, before the built-in ones; KIND is session, prompt, llm, all.",
        ),
    )


def _apply(function: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


class Asked(NamedTuple):
    """One profile as it was asked for: every part read and checked."""

    output: str
    format: str
    output_options: OutputOptions
    view: View
    rules: Rules
    tagger: Tagger
    selection: Selection
    times: tuple[str | None, str | None]
    roots: list[Root]
    is_foreign: bool
    database: str | None
    syncs: bool
    with_idle: bool
    with_previews: bool
    is_quiet: bool
    is_verbose: bool


class Made(NamedTuple):
    """A profile with what is told beside it."""

    profile: Profile
    sessions: int
    warnings: list[str]
    told: list[str]
    tagging: dict[str, Any]


def read_options(options: Mapping[str, Any]) -> Asked:
    """Read and check all options; raises UsageError before anything else is touched."""
    output = _checked_output(options["output"])
    view = view_named(options["view_name"])
    rules = Rules(
        parse_stack(options["stack"]) if options["stack"] is not None else view.stack,
        where=tuple(parse_where(text) for text in options["where"]),
    )
    check_fields(rules)
    for time in (options["since"], options["until"]):
        parse_time(time, "UTC")
    format_name = _checked_format(output, options["format_name"])
    if options["svg_width"] < _NARROWEST_SVG:
        raise UsageError(f"--svg-width must be {_NARROWEST_SVG} or more")
    if output == STDOUT and format_name == "pprof" and sys.stdout.isatty():
        raise UsageError("pprof is binary: write it to a file with -o, or pipe it on")
    return Asked(
        output,
        format_name,
        OutputOptions(options["svg_width"], gzip_of_path(output)),
        view,
        rules._replace(labels=LABELS) if format_name == "pprof" else rules,
        Tagger(_tag_rules(options["tag_rules"])),
        _selection(options),
        (options["since"], options["until"]),
        chosen_roots(options["claude_roots"], options["codex_roots"]),
        bool(options["claude_roots"] or options["codex_roots"]),
        options["database"],
        not options["no_sync"],
        options["include_idle"],
        options["include_previews"],
        options["quiet"],
        options["verbose"],
    )


def _checked_output(output: str | None) -> str:
    if output is None:
        raise UsageError("no output is named: write for example -o agent.pb.gz or -o agent.svg")
    if not output or (output != STDOUT and Path(output).is_dir()):
        raise UsageError(f"-o {output!r} is no file: name one, for example agent.svg")
    return output


def _checked_format(output: str, named: str | None) -> str:
    by_name = format_of_path(output) if output != STDOUT else None
    if named is not None and named not in ENCODERS:
        raise UsageError(f"unknown format {named!r}; known formats: {', '.join(ENCODERS)}")
    if by_name and named and by_name != named:
        raise UsageError(f"-o {output} is a name for {by_name}, but --format says {named}")
    return by_name or named or _DEFAULT_FORMAT


def _tag_rules(texts: tuple[str, ...]) -> tuple[Any, ...]:
    if not texts:
        return ()
    from agentpprof.tagging.rules import parse_tag_rule, rule_warnings

    rules = tuple(parse_tag_rule(text) for text in texts)
    for warning in rule_warnings(rules):
        click.echo(warning, err=True)
    return rules


def _selection(options: Mapping[str, Any]) -> Selection:
    root = None
    if not options["all_projects"]:
        folder = Path(options["project_root"]).expanduser()
        root = find_workspace(os.path.realpath(folder)).root
    name = options["project_name"] or (name_of_root(root) if root else None)
    return Selection(root, name, session_id=options["session_id"])


def make_profile(asked: Asked) -> Made:
    """Sync, gather and fold; raises errors that say what to do."""
    from agentpprof.commands.finding import no_session_message
    from agentpprof.ingest.indexer import SyncReport, sync
    from agentpprof.profile.gather import Request, gather_profile
    from agentpprof.profile.summaries import session_summaries, tagging_summary
    from agentpprof.store import queries, tag_cache
    from agentpprof.store.database import look_at, opened_for_reading

    with chosen_database(asked.database, asked.is_foreign) as path:
        report = sync(path, asked.roots) if asked.syncs else SyncReport()
        if look_at(path) == 0:
            raise StoreError("there is no database yet: run agentpprof index, or leave out --no-sync")
        with opened_for_reading(path) as connection:
            zone = queries.read_meta(connection, "zone") or "UTC"
            selection = replace(
                asked.selection,
                since_ms=parse_time(asked.times[0], zone),
                until_ms=parse_time(asked.times[1], zone),
            )
            new_tags: dict[int, str] = {}

            def tags_of(prompts: list[PromptRow]) -> Mapping[int, str]:
                tags, missing = tag_cache.tags_of_prompts(connection, asked.tagger, prompts)
                new_tags.update(missing)
                return tags

            request = Request(asked.view, asked.rules, selection, with_idle=asked.with_idle)
            try:
                gathered = gather_profile(connection, request, tags_of)
            except NothingFoundError:
                raise NothingFoundError(no_session_message(connection, asked.selection)) from None
            if not gathered.profile.samples:
                raise NothingFoundError(
                    f"the {asked.view.name} view has no samples: nothing of that kind was done, "
                    "or --where and --since leave nothing; try --view operations"
                )
            profile = replace(
                gathered.profile,
                project=PublicText(selection.project_name or "all_projects"),
            )
            if asked.format == "json":
                summaries = session_summaries(connection, gathered, asked.with_previews)
                profile = replace(profile, sessions=summaries)
            tagging = tagging_summary(gathered)
            skipped = queries.count_skipped(connection)
        if new_tags:
            tag_cache.save(path, asked.tagger, new_tags, is_current=not asked.tagger.rules)
    told = [] if asked.is_quiet else list(report_lines(report, asked.is_verbose))
    warning = skipped_text(*skipped, len(report.unreadable))
    return Made(profile, len(gathered.sessions), [warning] if warning else [], told, tagging)


def summary_of(made: Made, asked: Asked) -> dict[str, Any]:
    """Return what is printed beside an output: no texts, no paths but the output's own."""
    return {
        "status": "ok",
        "output": asked.output,
        "format": asked.format,
        "view": asked.view.name,
        "sample_type": asked.view.sample_type,
        "unit": asked.view.unit,
        "sessions": made.sessions,
        "samples": made.profile.total,
        "unique_stacks": len(made.profile.stacks()),
        "warnings": made.warnings,
        "tagging": made.tagging,
    }
