"""`agentpprof tags`: how well tags cover your history, which there are, and tags set by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import click

from agentpprof.commands.asking_options import WordsCommand
from agentpprof.commands.options import database_option, loudness_options, store_options
from agentpprof.commands.profile_options import selection_options
from agentpprof.commands.sections import (
    OUTPUT,
    TAGS,
    F,
    OnceCommand,
    OneOfGroup,
    apply_options,
    option,
)
from agentpprof.commands.tags_compare import command as compare_command
from agentpprof.commands.tags_run import command as run_command
from agentpprof.option_groups import LoudnessOptions, TagsReportOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.runs.chosen import check_loudness, named_database
from agentpprof.runs.tag_documents import (
    TagsAsked,
    list_tags,
    read_asked,
    report_tags,
    text_of,
)
from agentpprof.store.database import default_path
from agentpprof.store.manual_tags import Change, set_tag, unset_tag
from agentpprof.tagging.rules import check_tag
from agentpprof.text.printing import print_table
from agentpprof.text.tables import write_json
from agentpprof.text.telling import say, say_json

_DROPPABLE = ("session_id", "started_at")  # columns of the list that a narrow terminal lacks


class ChangeOptions(LoudnessOptions):
    """The options of `agentpprof tags set` and `unset`."""

    database: str | None
    as_json: bool


@click.group("tags", cls=OneOfGroup, default="report", default_if_no_args=True)
def command() -> None:
    """Look at tags, and set them by hand: report (the default), list, set, unset.

    \b
      agentpprof tags --all-projects
      agentpprof tags --all-projects --include-previews --tag-rule 'prompt:ship=(?i)release|staging'
      agentpprof tags list --tag untagged
      agentpprof tags set 019ec5 deploy
    """


def tag_report_options(function: F) -> F:
    """Add what is looked at, and the rules to try."""
    chosen = apply_options(function, selection_options, store_options, loudness_options)
    return apply_options(
        chosen,
        option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object."),
        option(
            OUTPUT,
            "--include-previews",
            is_flag=True,
            help="Show the beginnings of texts. Not for strangers' eyes.",
        ),
        option(
            TAGS,
            "--tag-rule",
            "tag_rules",
            multiple=True,
            metavar="KIND:TAG=REGEX",
            help="Try a rule, before the built-in ones; KIND: session, prompt, llm, all.",
        ),
        option(TAGS, "--no-builtin-tags", is_flag=True, help="Tag by your own rules alone."),
    )


@click.command("report", cls=OnceCommand)
@tag_report_options
def report(as_json: bool, **options: Unpack[TagsReportOptions]) -> None:
    """Say how many sessions, prompts and LLM calls have a tag, how tags spread, and what is odd.

    With --include-previews also what has no tag, and rules that would cover most of it.
    """
    document = report_tags(_asked(options, as_json))
    if as_json:
        say_json(document)
    else:
        say(text_of(document))


@click.command("list", cls=OnceCommand)
@tag_report_options
@option(TAGS, "--tag", metavar="TAG", help="Only what has this tag; untagged: what has none.")
@option(TAGS, "--by-hand", is_flag=True, help="Only tags set by hand.")
def list_command(
    as_json: bool, tag: str | None, by_hand: bool, **options: Unpack[TagsReportOptions]
) -> None:
    """List sessions, newest first, each followed by its prompts, with tag and giver."""
    if tag is not None:
        check_tag(tag, f"--tag {tag!r}")
    answer = list_tags(_asked(options, as_json), tag, only_by_hand=by_hand)
    if as_json:
        write_output(write_json(answer).encode("utf-8", "backslashreplace"), STDOUT)
    else:
        print_table(answer, _DROPPABLE)


def _asked(options: TagsReportOptions, is_quiet: bool) -> TagsAsked:
    """Read the options; what is allowed but unwise, and the age of the store, go to stderr."""
    asked = read_asked(options, is_quiet=is_quiet)
    if not options["quiet"]:
        for line in asked.notes:
            say(line, on_stderr=True)
    return asked


def change_options(function: F) -> F:
    """Add where the database lies, and how the change is told."""
    return apply_options(
        function,
        database_option,
        click.option("--json", "as_json", is_flag=True, help="One JSON object."),
        loudness_options,
    )


@click.command("set", cls=WordsCommand)
@click.argument("target", metavar="SESSION-OR-PROMPT")
@click.argument("tag")
@change_options
def set_command(target: str, tag: str, **options: Unpack[ChangeOptions]) -> None:
    """Give a session or prompt a tag by hand; it beats every tagger.

    Name it by its id, or by a beginning that only one has: agentpprof tags list shows ids.
    """
    check_tag(tag, f"tags set {target!r} {tag!r}")
    _change(options, lambda path: set_tag(path, target, tag))


@click.command("unset", cls=WordsCommand)
@click.argument("target", metavar="SESSION-OR-PROMPT")
@change_options
def unset_command(target: str, **options: Unpack[ChangeOptions]) -> None:
    """Take a tag set by hand away; the taggers decide again."""
    _change(options, lambda path: unset_tag(path, target))


def _change(options: ChangeOptions, change: Callable[[Path], Change]) -> None:
    check_loudness(options["quiet"], options["verbose"])
    done = change(named_database(options["database"]) or default_path())
    if options["as_json"]:
        told = {"status": "ok", "kind": done.target.kind, "id": done.target.id}
        say(json.dumps({**told, "before": done.before, "tag": done.after}))
    elif not options["quiet"]:
        say(f"{done.target.kind} {done.target.id}: {done.after or 'left to the taggers'}")


for _each in (report, list_command, set_command, unset_command, run_command, compare_command):
    command.add_command(_each)
