"""What `sql`, `ask` and `search` share: which database they ask, parameters, and their output."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from agentpprof.commands.options import (
    check_loudness,
    chosen_database,
    chosen_roots,
    loudness_options,
    named_database,
    store_options,
)
from agentpprof.commands.printing import table_on_stdout
from agentpprof.commands.progress import progress_bar
from agentpprof.commands.sections import F, OnceCommand, apply_options, option
from agentpprof.commands.telling import print_text, report_lines, say
from agentpprof.config import configured_tagger
from agentpprof.errors import UsageError
from agentpprof.models import Answer
from agentpprof.output import STDOUT, write_output
from agentpprof.store.database import look_at, no_database, opened_for_reading, opened_for_writing
from agentpprof.store.schema import schema_version

_OUTPUT = "Output"
_STORE = "Logs and database"
_FORMATS: Final = ("json", "jsonl", "csv", "markdown")
_FORMS_OF_FILES: Final = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown"}
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)\.\d+")


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
        option(_OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object."),
        option(_OUTPUT, "--jsonl", "as_jsonl", is_flag=True, help="One JSON object a line."),
        option(_OUTPUT, "--csv", "as_csv", is_flag=True, help="CSV, safe for spreadsheets."),
        option(_OUTPUT, "--markdown", "as_markdown", is_flag=True, help="A Markdown table."),
        option(
            _OUTPUT, "-o", "--output", metavar="PATH", default=STDOUT, help="A file, not stdout."
        ),
    )
    function = loudness_options(function)
    return apply_options(function, *flags, store_options, no_sync_option)


def no_sync_option(function: F) -> F:
    """Add whether the logs are looked at first."""
    return option(
        _STORE,
        "--no-sync",
        is_flag=True,
        help="Ask what is stored; logs are not looked at. So it is with --db alone.",
    )(function)


def parameter_option(function: F) -> F:
    """Add `-p name=value`."""
    return option(
        "Question",
        "-p",
        "--param",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter, :NAME in the statement; numbers are numbers, null is null.",
    )(function)


def read_parameters(texts: Iterable[str]) -> dict[str, Any]:
    """Return parameters by name; raises UsageError for one that is not NAME=VALUE."""
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.lstrip(":@$")
        if not equals or not name.isidentifier():
            raise UsageError(f"-p {text!r}: write NAME=VALUE, for example -p limit=10")
        if name in parameters:
            raise UsageError(f"-p {name} is given twice")
        parameters[name] = typed_value(value)
    return parameters


def typed_value(text: str) -> Any:
    """Return a number for what looks like one, None for null, else the text."""
    if text == "null":
        return None
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


@contextmanager
def asked_database(options: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the database to ask, brought up to date with the logs first.

    A database that `--db` names is taken as it is: it may be somebody else's, and logs of this
    machine have no place in it. With roots beside it, those are read into it.
    """
    check_loudness(options["quiet"], options["verbose"])
    named = named_database(options["database"])
    claude_roots, codex_roots = options["claude_roots"], options["codex_roots"]
    has_roots = bool(claude_roots or codex_roots)
    if has_roots and options["no_sync"] and named is None:
        raise UsageError("roots go into a fresh database, so --no-sync needs --db beside them")
    syncs = not options["no_sync"] and (has_roots or options["database"] is None)
    roots = chosen_roots(claude_roots, codex_roots) if syncs else []
    with chosen_database(named, has_roots, options["quiet"]) as path:
        if syncs:
            _sync(path, roots, options)
        _bring_up_to_date(path)
        yield path


def _sync(path: Path, roots: list[Any], options: Mapping[str, Any]) -> None:
    from agentpprof.ingest.indexer import sync
    from agentpprof.store.tag_cache import tag_new_prompts

    with progress_bar(options["quiet"]) as on_progress:
        report = sync(path, roots, on_progress)
    tag_new_prompts(path, configured_tagger())
    if not options["quiet"]:
        for line in report_lines(report, options["verbose"]):
            say(line, on_stderr=True)


def _bring_up_to_date(path: Path) -> None:
    """Make the views those of this version; a current database is only looked at."""
    from agentpprof.store.schema import is_current

    version = look_at(path)
    if version == 0:
        raise no_database(path)
    if version == schema_version():
        with opened_for_reading(path) as connection:
            if is_current(connection, version):
                return
    with opened_for_writing(path):
        pass


def chosen_format(options: Mapping[str, Any]) -> str:
    """Return the form of output that was asked for or that the file's name says, else a table."""
    chosen = [name for name in _FORMATS if options[f"as_{name}"]]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} contradict each other: leave one out")
    if chosen:
        return chosen[0]
    return _FORMS_OF_FILES.get(Path(options["output"]).suffix.lower(), "table")


def write_answer(answer: Answer, options: Mapping[str, Any], droppable: Sequence[str] = ()) -> None:
    """Write an answer as it was asked for; what was cut is told on stderr too, but for JSON.

    Columns of `droppable` may be left out on a narrow terminal.
    """
    from agentpprof.tables import WRITERS

    form = chosen_format(options)
    if form == "table" and options["output"] == STDOUT:
        print_text(table_on_stdout(answer, droppable))
    else:
        text = WRITERS[form](answer)
        write_output(text.encode("utf-8", "backslashreplace"), options["output"])
    if answer.cut and form in ("jsonl", "csv"):
        say(f"cut: {answer.cut}", on_stderr=True)
