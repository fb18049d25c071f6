"""`agentpprof sql`: any question to the database, read-only and within limits."""

import json
import os
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

import click

from agentpprof.commands.asking_options import WordsCommand, asking_options, parameter_option
from agentpprof.commands.sections import QUESTION, option
from agentpprof.errors import UsageError
from agentpprof.models import Answer
from agentpprof.option_groups import AnswerOptions, DatabaseOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.runs.asking import asked_database, chosen_format, read_parameters, write_answer
from agentpprof.store.guard import DEFAULT_LIMITS, Limits, opened_guarded
from agentpprof.store.schema_docs import Shown, read_schema
from agentpprof.text.telling import print_text

_LIMITS = "Limits"
_GRACE_SECONDS = 3.0


class SqlOptions(DatabaseOptions, AnswerOptions):
    """The options of `agentpprof sql`."""

    file: str | None
    parameters: tuple[str, ...]
    schema: bool
    explain: bool
    max_rows: int
    max_cell: int
    seconds: float


@click.command("sql", cls=WordsCommand)
@click.argument("statement", required=False)
@option(QUESTION, "--file", "file", metavar="PATH", help="Read the statement from a file.")
@parameter_option
@option(QUESTION, "--schema", is_flag=True, help="Show the views, their columns and meaning.")
@option(QUESTION, "--explain", is_flag=True, help="Show how SQLite would carry it out.")
@option(
    _LIMITS,
    "--max-rows",
    type=click.IntRange(1, 1_000_000),
    default=DEFAULT_LIMITS.rows,
    show_default=True,
    metavar="N",
    help="Rows at most.",
)
@option(
    _LIMITS,
    "--max-cell",
    type=click.IntRange(1, 1_000_000),
    default=DEFAULT_LIMITS.cell_characters,
    show_default=True,
    metavar="N",
    help="Characters of one value at most.",
)
@option(
    _LIMITS,
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=DEFAULT_LIMITS.seconds,
    show_default=True,
    metavar="N",
    help="Time at most.",
)
@asking_options
def command(statement: str | None, **options: Unpack[SqlOptions]) -> None:
    """Ask the database in SQL: a statement, @FILE, or - for stdin.

    Nothing but reading is possible. agentpprof sql --schema shows what there is to ask.

    \b
      agentpprof sql "select * from sessions order by started_at_ms desc limit 5"
      agentpprof sql @report.sql -p project=shop --csv -o report.csv
    """
    chosen_format(options)
    asks_for_schema = options["schema"]
    if asks_for_schema and (statement is not None or options["file"] is not None):
        raise UsageError("--schema shows what there is to ask, so a statement contradicts it")
    text = "" if asks_for_schema else read_statement(statement, options["file"])
    parameters = read_parameters(options["parameters"])
    limits = Limits(options["seconds"], options["max_rows"], options["max_cell"])
    with asked_database(options) as path:
        if asks_for_schema:
            _write_schema(read_schema(path), options)
            return
        answer = _asked(path, text, parameters, limits, options["explain"])
    write_answer(answer, options)


def _write_schema(views: list[Shown], options: AnswerOptions) -> None:
    """Write the views for people, or as JSON: name, meaning, columns."""
    form = chosen_format(options)
    if form not in ("table", "json"):
        raise UsageError(f"--schema is text or --json: leave --{form} out")
    if form == "json":
        whole = {"views": [view._asdict() for view in views]}
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    else:
        text = "\n".join(
            f"{view.name}\n{_wrapped(view.meaning)}\n{_wrapped(', '.join(view.columns))}\n"
            for view in views
        )
    if options["output"] == STDOUT and form == "table":
        print_text(text)
    else:
        write_output(text.encode(), options["output"])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="  ")


def _asked(
    path: Path, text: str, parameters: dict[str, Any], limits: Limits, explains: bool
) -> Answer:
    with ended_after(limits.seconds + _GRACE_SECONDS), opened_guarded(path) as guarded:
        if explains:
            return guarded.explain(text, parameters)
        return guarded.run(text, parameters, limits)


def read_statement(statement: str | None, file: str | None) -> str:
    """Return the statement itself, or what a file or stdin holds; raises UsageError."""
    if (statement is None) == (file is None):
        raise UsageError(
            "name one statement: agentpprof sql 'select …', @FILE, --file FILE, or - for stdin"
        )
    if statement == STDOUT:
        return sys.stdin.read()
    if statement is not None and statement.startswith("@"):
        file = statement[1:]
    if file is None:
        return statement or ""
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is no UTF-8 text") from None


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End this process if the body lasts longer: one step of SQLite may not be interruptible.

    Nothing is lost by that: the body only reads.
    """
    timer = threading.Timer(seconds, _end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end() -> None:
    sys.stderr.write("Error: stopped: one step of the statement took too long\n")
    sys.stderr.flush()
    os._exit(1)
