"""What commands tell on stdout and stderr: no text of a log, no path below a project."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from agentpprof.counts import counted
from agentpprof.ingest.report import SyncReport
from agentpprof.output import STDOUT, write_output
from agentpprof.store import queries
from agentpprof.store.database import opened_for_reading, wal_path
from agentpprof.streams import READABLE, encoding_of, readable

_FIRST_WORDS = 120  # characters
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def say(text: str, *, on_stderr: bool = False) -> None:
    """Write a line, also where the stream can't hold all of it: names of files may be any bytes."""
    stream = sys.stderr if on_stderr else sys.stdout
    try:
        click.echo(readable(text, encoding_of(stream)), err=on_stderr)
    except BrokenPipeError:
        raise
    except OSError:
        if not on_stderr:
            raise  # what was asked for; what is told beside it may get lost


def say_json(document: Any, *, on_stderr: bool = False) -> None:
    """Write a document as JSON that is valid whatever the encoding: in ASCII unless it is UTF-8."""
    encoding = encoding_of(sys.stderr if on_stderr else sys.stdout)
    say(json.dumps(document, indent=2, ensure_ascii=encoding != "utf-8"), on_stderr=on_stderr)


def print_text(text: str) -> None:
    """Write text for people on stdout, as its encoding can show it."""
    encoding = encoding_of(sys.stdout)
    write_output(text.encode(encoding, READABLE), STDOUT)


def age_line(database: Path) -> str:
    """Return how old the store is, for a run that did not sync."""
    now = time.time()
    places = (database, wal_path(database))
    written = max(place.stat().st_mtime for place in places if place.exists())
    line = f"not synced: the database was last written {ago(now - written)}"
    with opened_for_reading(database) as connection:
        span = queries.read_span(connection)
    if span is None:
        return f"{line} and is empty"
    return f"{line}, its newest session ended {ago(now - span[1] / 1000)}"


def first_words(text: str) -> str:
    """Return the beginning of a text in one line, for whoever asked to see texts."""
    return " ".join(text[: 4 * _FIRST_WORDS].split())[:_FIRST_WORDS]


def ago(seconds: float) -> str:
    """Return how long ago something was, in its largest unit: 3 hours ago."""
    for length, unit in _UNITS:
        if seconds >= length:
            count = int(seconds // length)
            return f"{counted(count, unit)} ago"
    return "less than a minute ago"


def report_lines(report: SyncReport, verbose: bool) -> Iterator[str]:
    """Yield what one pass did, and what it had to leave out."""
    if verbose or report.files_read:
        yield f"{read_text_of(report)}, {report.seconds:.1f} s"
    skipped = skipped_text(report.bad_lines, report.unknown_records, len(report.unreadable))
    if skipped:
        yield skipped


def read_text_of(report: SyncReport) -> str:
    """Return what one pass read, and what of it was not stored before."""
    known = report.operations - report.new_operations
    return (
        f"{report.files_read:,} of {counted(report.files, 'log file')} read: "
        f"{report.bytes_read / 1e6:,.1f} MB, {counted(report.new_operations, 'new operation')}"
        + (f", {known:,} known before" if known > 0 else "")
    )


def skipped_text(bad_lines: int, unknown_records: int, unreadable: int) -> str:
    """Return one line on what was skipped, empty when nothing was."""
    counts = (
        (bad_lines, "damaged line", "damaged lines"),
        (unknown_records, "record of an unknown type", "records of unknown types"),
        (unreadable, "unreadable file or folder", "unreadable files or folders"),
    )
    parts = [counted(count, one, many) for count, one, many in counts if count]
    return "skipped: " + ", ".join(parts) if parts else ""
