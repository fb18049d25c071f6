"""What `sql`, `ask` and `search` do: the database they ask, parameters, how answers are written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from agentpprof.errors import UsageError
from agentpprof.models import Answer
from agentpprof.option_groups import AnswerOptions, DatabaseOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.runs.chosen import check_loudness, chosen_database, chosen_roots, named_database
from agentpprof.runs.source import index_logs
from agentpprof.store.database import renew_schema
from agentpprof.text.printing import print_table
from agentpprof.text.telling import report_lines, say

_FORMATS: Final = ("json", "jsonl", "csv", "markdown")
_FORMS_OF_FILES: Final = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown"}
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)\.\d+")


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
def asked_database(options: DatabaseOptions) -> Iterator[Path]:
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
            report = index_logs(path, roots, is_quiet=options["quiet"])
            for line in () if options["quiet"] else report_lines(report, options["verbose"]):
                say(line, on_stderr=True)
        renew_schema(path, with_views=True)
        yield path


def chosen_format(options: AnswerOptions) -> str:
    """Return the form of output that was asked for or that the file's name says, else a table."""
    given = {
        "json": options["as_json"],
        "jsonl": options["as_jsonl"],
        "csv": options["as_csv"],
        "markdown": options["as_markdown"],
    }
    chosen = [name for name, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} contradict each other: leave one out")
    if chosen:
        return chosen[0]
    return _FORMS_OF_FILES.get(Path(options["output"]).suffix.lower(), "table")


def write_answer(answer: Answer, options: AnswerOptions, droppable: Sequence[str] = ()) -> None:
    """Write an answer as it was asked for; what was cut is told on stderr too, but for JSON.

    Columns of `droppable` may be left out on a narrow terminal.
    """
    from agentpprof.text.tables import WRITERS

    form = chosen_format(options)
    if form == "table" and options["output"] == STDOUT:
        print_table(answer, droppable)
    else:
        text = WRITERS[form](answer)
        write_output(text.encode("utf-8", "backslashreplace"), options["output"])
    if answer.cut and form in ("jsonl", "csv"):
        say(f"cut: {answer.cut}", on_stderr=True)
