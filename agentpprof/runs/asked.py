"""A profile as it was asked for: every option read and checked before anything else is touched."""

import os
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from agentpprof.config import with_configuration, with_default_project
from agentpprof.defaults import DEFAULT_FORMAT
from agentpprof.encoders import encoder, format_of_path, gzip_of_path
from agentpprof.errors import NoHomeError, UsageError
from agentpprof.models import OutputOptions
from agentpprof.moments import moment
from agentpprof.option_groups import (
    ProfileOptions,
    SelectionOptions,
    SessionsOptions,
)
from agentpprof.origins import Configured
from agentpprof.output import STDOUT, stream_of
from agentpprof.places import expanded
from agentpprof.profile.fields import LABELS, TEXT_FIELDS
from agentpprof.profile.rules import (
    Rules,
    check_fields,
    idle_rules,
    parse_label_rule,
    parse_stack,
    parse_where,
    read_op_map_file,
)
from agentpprof.profile.selection import Selection, name_of_root
from agentpprof.profile.times import parse_span
from agentpprof.profile.views import View, view_named
from agentpprof.runs.chosen import check_loudness, checked_agent
from agentpprof.runs.source import Source, read_source
from agentpprof.runs.tagger_choice import TaggerChoice, read_tagger
from agentpprof.store.database import default_path, look_at, opened_for_reading
from agentpprof.tagging.rules import check_tag
from agentpprof.workspaces import find_workspace

TOP = "top"  # the format of a run without an output: what is largest, for the terminal
_SVG_WIDTHS = range(200, 100_001)
_PATH_DEPTHS = range(1, 21)


class Asked(NamedTuple):
    """One profile as it was asked for."""

    output: str
    format: str
    output_options: OutputOptions
    all_measures: bool
    view: View
    rules: Rules
    tagger: TaggerChoice
    selection: Selection
    source: Source
    path_depth: int
    with_idle: bool
    with_previews: bool
    anonymizes: bool
    is_quiet: bool
    is_verbose: bool
    notes: tuple[str, ...]  # what is allowed but does nothing, for stderr

    def filters(self) -> list[str]:
        """Return what was left out, for the comments of an output: no patterns for texts."""
        chosen = self.selection
        found = {
            "agent": chosen.agent,
            "session_id": chosen.session_id,
            "session_tag": chosen.session_tag,
            "prompt_tag": chosen.prompt_tag,
            "since": _day_of(chosen.since_ms),
            "until": _day_of(chosen.until_ms),
            "max_sessions": chosen.max_sessions,
            "scan_files": self.source.scan_files or None,
        }
        texts = [f"filter:{name}:{value}" for name, value in found.items() if value is not None]
        for rule in self.rules.where:
            pattern = "" if rule.field in TEXT_FIELDS else f":{rule.pattern.source}"
            texts.append(f"filter:where:{rule.field}{':not' * rule.is_negated}{pattern}")
        return texts


def read_options(options: ProfileOptions, by: str | None = None) -> Asked:
    """Read and check all options, what the configuration adds among them; raises UsageError.

    `by` is the field that rows are told by, where a command has such an option.
    """
    return read_flags(with_configuration(options), by)


def read_flags(options: ProfileOptions, by: str | None = None) -> Asked:
    """Read and check options alone; raises UsageError before anything else is touched."""
    check_loudness(options["quiet"], options["verbose"])
    output = _checked_output(options["output"], options["format_name"])
    named = options["format_name"]
    format_name = TOP if options["output"] is None else _checked_format(output, named)
    view = view_named(options["view_name"])
    rules = _read_rules(options, view, format_name, by)
    tagger = read_tagger(options)
    _check_range("--svg-width", options["svg_width"], _SVG_WIDTHS)
    _check_range("--path-depth", options["path_depth"], _PATH_DEPTHS)
    selection = _read_selection(options)
    source = read_source(options)
    _check_overwriting(output, source)
    _check_anonymize(options, rules, format_name)
    return Asked(
        output,
        format_name,
        OutputOptions(options["svg_width"], gzip_of_path(output), options["flame"]),
        options["all_measures"],
        view,
        rules,
        tagger,
        _with_span(selection, options, source),
        source,
        options["path_depth"],
        options["include_idle"],
        options["include_previews"],
        options["anonymize"],
        options["quiet"],
        options["verbose"],
        (*tagger.notes, *idle_rules(rules), *_idle_flags(options, format_name, view)),
    )


def _check_anonymize(options: ProfileOptions, rules: Rules, format_name: str) -> None:
    """Refuse what would bring a person's own words, or numbers that differ within one file."""
    if not options["anonymize"]:
        return
    if rules.has_label_rules():
        raise UsageError(
            "--anonymize: the labels of --op-map and --stack-rule are your own words; leave one "
            "out, and op_map_files of the configuration (agentpprof config show)"
        )
    if options["include_previews"]:
        raise UsageError("--anonymize: texts are not fit to publish; leave --include-previews out")
    if format_name == "speedscope" or (options["all_measures"] and format_name == "pprof"):
        raise UsageError(
            "--anonymize: names are numbered anew in each view, so write one view a file, for "
            "example --format pprof without --all-measures"
        )


def read_sessions_asked(options: SessionsOptions) -> tuple[Selection, Source]:
    """Return what a command about whole sessions was asked for; raises UsageError."""
    name: Literal["session_tag", "prompt_tag"]
    for name in ("session_tag", "prompt_tag"):
        if options[name] is not None:
            raise UsageError(f"--{name.replace('_', '-')}: this command is about all that was done")
    return read_selected(options)


def read_selected(options: SessionsOptions) -> tuple[Selection, Source]:
    """Return the sessions that were chosen, and where their logs are; raises UsageError."""
    check_loudness(options["quiet"], options["verbose"])
    options = with_default_project(options)
    source = read_source(options)
    return _with_span(_read_selection(options), options, source), source


def _day_of(time_ms: int | None) -> str | None:
    """Return a time to the minute, in UTC."""
    at = moment(time_ms)
    return f"{at:%Y-%m-%dT%H:%M}" if at else None


def _checked_output(output: str | None, named_format: str | None) -> str:
    if output is None and named_format is not None:
        raise UsageError(
            f"--format {named_format} needs an output: write -o - for stdout, or leave it out to "
            "see the largest frames"
        )
    if output is None or stream_of(output) == stream_of(STDOUT):
        return STDOUT
    if not output or (output != STDOUT and (Path(output).is_dir() or output.endswith("/"))):
        raise UsageError(f"-o {output!r} is no file: name one, for example agent.svg")
    return output


def _checked_format(output: str, named: str | None) -> str:
    by_name = format_of_path(output) if output != STDOUT else None
    if named is not None:
        encoder(named)
    if by_name and named and by_name != named:
        raise UsageError(f"-o {output} is a name for {by_name}, but --format says {named}")
    chosen = by_name or named or DEFAULT_FORMAT
    if output == STDOUT and chosen == "pprof" and sys.stdout.isatty():
        raise UsageError("pprof is binary: write it to a file with -o, or pipe it on")
    return chosen


def _read_rules(options: ProfileOptions, view: View, format_name: str, by: str | None) -> Rules:
    stack = parse_stack(options["stack"]) if options["stack"] is not None else view.stack
    op_map = [parse_label_rule(text, "--op-map") for text in options["op_maps"]]
    for path in options["op_map_files"]:
        op_map += read_op_map_file(path)
    rules = Rules(
        stack,
        tuple(parse_where(text) for text in options["where"]),
        tuple(op_map),
        tuple(parse_label_rule(text, "--stack-rule") for text in options["stack_rules"]),
        tuple(dict.fromkeys((*LABELS, *options["labels"]))),
    )
    check_fields(rules, parse_stack(by, "--by") if by else ())
    return rules if format_name == "pprof" else rules._replace(labels=())


def _read_selection(options: SelectionOptions) -> Selection:
    """Return what selects sessions, but for times."""
    agent = checked_agent(options["agent"])
    option: Literal["session_tag", "prompt_tag"]
    for option in ("session_tag", "prompt_tag"):
        tag = options[option]
        if tag is not None:
            check_tag(tag, f"--{option.replace('_', '-')} {tag!r}")
    if options["max_sessions"] < 0:
        raise UsageError(f"--max-sessions {options['max_sessions']}: write 0 for all, or how many")
    if options["session_id"] == "":
        raise UsageError("--session-id '' is empty: write a part of the id, or leave it out")
    root, name = _project(options)
    return Selection(
        root,
        name,
        agent=agent,
        session_id=options["session_id"],
        session_tag=options["session_tag"],
        prompt_tag=options["prompt_tag"],
        max_sessions=options["max_sessions"] or None,
    )


def _project(options: SelectionOptions) -> tuple[str | None, str | None]:
    """Return root and name of the chosen project; logs named one by one are of any project."""
    named, name = options["project_root"], options["project_name"]
    if named == "":
        raise UsageError("--project-root '' is empty: name a folder, or leave it out")
    if name is not None and not name.strip():
        raise UsageError("--project-name '' is empty: write a name, or leave it out")
    if named is not None and options["all_projects"]:
        raise UsageError("--project-root and --all-projects contradict each other: leave one out")
    if options["all_projects"] or (options["session_files"] and named is None):
        return None, name
    try:
        place = expanded(named or ".")
    except NoHomeError as error:
        if not isinstance(named, Configured):
            raise
        raise UsageError(f"{named.origin} {error}") from None
    root = find_workspace(os.path.realpath(place)).root
    return (None if options["session_files"] else root), name or name_of_root(root)


def _with_span(selection: Selection, options: SelectionOptions, source: Source) -> Selection:
    since, until = options["since"], options["until"]
    if since is None and until is None:
        return selection
    since_ms, until_ms = parse_span(since, until, _zone(source))
    return selection._replace(since_ms=since_ms, until_ms=until_ms)


def _zone(source: Source) -> str:
    """Return the zone that days are counted in: the database's, or that of one yet to be made."""
    from agentpprof.store.queries import read_meta
    from agentpprof.store.schema import local_zone

    path = source.database or (None if source.is_foreign else default_path())
    if path is None or look_at(path) == 0:
        return local_zone()
    with opened_for_reading(path) as connection:
        return read_meta(connection, "zone") or "UTC"


def _check_range(option: str, value: int, allowed: range) -> None:
    if value not in allowed:
        raise UsageError(f"{option} {value}: write a number from {allowed[0]} to {allowed[-1]:,}")


def _check_overwriting(output: str, source: Source) -> None:
    """Refuse an output that would replace the database or one of the logs."""
    if output == STDOUT:
        return
    place = os.path.realpath(output)
    database = source.database or default_path()
    if place == os.path.realpath(database):
        raise UsageError(f"-o {output} is the database: name another file")
    if any(place == log_file.path for log_file in source.files):
        raise UsageError(f"-o {output} is one of the logs: name another file")


def _idle_flags(options: ProfileOptions, format_name: str, view: View) -> list[str]:
    """Return what is said of flags that change nothing here."""
    flags = (
        (options["include_previews"], format_name != "json", "--include-previews", "JSON"),
        (options["include_idle"], view.name != "time", "--include-idle", "the time view"),
        (bool(options["labels"]), format_name != "pprof", "--label", "pprof"),
        (options["all_measures"], format_name != "pprof", "--all-measures", "pprof"),
        (options["flame"], format_name != "svg", "--flame", "SVG"),
    )
    return [
        f"{name}: without effect, it changes {what} only"
        for is_given, is_idle, name, what in flags
        if is_given and is_idle
    ]
