"""`agentpprof search`: words in prompts, commands and answers."""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Unpack

import click

from agentpprof.commands.asking_options import WordsCommand, no_sync_option
from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.sections import OUTPUT, option
from agentpprof.encoders.fitting import cells
from agentpprof.errors import UsageError
from agentpprof.option_groups import DatabaseOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.profile.selection import no_project
from agentpprof.profile.times import parse_span
from agentpprof.runs.asking import asked_database
from agentpprof.runs.chosen import check_text, checked_agent
from agentpprof.store.database import opened_for_reading
from agentpprof.store.queries import read_meta
from agentpprof.store.search import KINDS, Hit, Search, find_hits
from agentpprof.store.search_index import (
    PENDING_BEARABLE,
    OnIndexed,
    read_pending,
    save_search_index,
)
from agentpprof.streams import readable
from agentpprof.tagging.rules import check_tag
from agentpprof.terminal import show
from agentpprof.text.printing import paper_of_stdout
from agentpprof.text.telling import print_text
from agentpprof.zones import time_text

_WHERE = "Where"
_AROUND = 60  # characters of a snippet on each side of what was found
_WIDTH_IN_PIPES = 100  # cells
_LEAST = 8  # characters of the shortest snippet
_WIDEST = 10  # cells of a character that an encoding lacks: \U0001f600


class SearchOptions(DatabaseOptions):
    """The options of `agentpprof search`."""

    kind: str | None
    project: str | None
    agent: str | None
    tag: str | None
    session_id: str | None
    since: str | None
    until: str | None
    limit: int
    as_json: bool
    redact: bool
    output: str


@click.command("search", cls=WordsCommand)
@click.argument("words", nargs=-1, required=True)
@option(_WHERE, "--kind", type=click.Choice(KINDS), help="Only texts of this kind.")
@option(_WHERE, "--project", metavar="NAME", help="Only this project, as the views call it.")
@option(_WHERE, "--agent", metavar="NAME", help="Sessions of this agent: claude, codex.")
@option(_WHERE, "--tag", metavar="TAG", help="Only what stands under prompts of this tag.")
@option(_WHERE, "--session-id", metavar="TEXT", help="Sessions whose id contains this.")
@option(
    _WHERE, "--since", metavar="TIME", help="From then on: 2026-05-17, 7d, 24h, today, yesterday."
)
@option(_WHERE, "--until", metavar="TIME", help="Up to then, not included.")
@option(OUTPUT, "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True,
        metavar="N", help="Hits at most, the newest first.")  # fmt: skip
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, with whole texts.")
@option(OUTPUT, "--redact", is_flag=True, help="Without secrets, home, user and host names.")
@option(OUTPUT, "-o", "--output", metavar="PATH", default=STDOUT, help="A file, not stdout.")
@store_options
@no_sync_option
@loudness_options
def command(words: tuple[str, ...], **options: Unpack[SearchOptions]) -> None:
    """Find texts that hold all WORDS, whatever their case; quote words that belong together.

    All projects are searched unless --project names one.

    \b
      agentpprof search pytest checkout
      agentpprof search "undefined reference" --kind answer --since 7d
    """
    if not all(word.strip() for word in words):
        raise UsageError("an empty word is found everywhere: name what to look for")
    for word in words:
        check_text("the word", word)
    _check(options)
    with asked_database(options) as path:
        _index_texts(path, options["quiet"])
        with opened_for_reading(path) as connection:
            zone = read_meta(connection, "zone") or "UTC"
            _check_project(connection, options["project"])
            question = _question(words, options, zone)
            hits, has_more = _first(find_hits(connection, question), options["limit"])
    if options["redact"]:
        hits = [_redacted(hit) for hit in hits]
    if options["as_json"]:
        text = _json(hits, words, has_more)
    else:
        text = "\n".join(_lines(hits, words, zone, has_more)) + "\n"
    if options["output"] == STDOUT and not options["as_json"]:
        print_text(text)
    else:
        write_output(text.encode("utf-8", "backslashreplace"), options["output"])


def _check(options: SearchOptions) -> None:
    """Refuse what no text can stand under; raises UsageError."""
    checked_agent(options["agent"])
    name: Literal["session_id", "project"]
    for name in ("session_id", "project"):
        if options[name] == "":
            option_name = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option_name} '' is empty: write a text, or leave it out")
    check_text("--session-id", options["session_id"] or "")
    if options["tag"] is not None:
        check_tag(options["tag"], f"--tag {options['tag']!r}")


def _check_project(connection: sqlite3.Connection, project: str | None) -> None:
    """Raise NothingFoundError for a project that no view knows."""
    if project is None:
        return
    known = [row[0] for row in connection.execute("select distinct project from projects")]
    if project not in known:
        raise no_project(project, known)


def _question(words: tuple[str, ...], options: SearchOptions, zone: str) -> Search:
    since_ms, until_ms = parse_span(options["since"], options["until"], zone)
    return Search(
        words,
        options["kind"],
        options["project"],
        options["agent"],
        options["tag"],
        options["session_id"],
        since_ms,
        until_ms,
    )


def _index_texts(path: Path, is_quiet: bool) -> None:
    """Bring the search index up to date when it lacks more than a search can bear."""
    with opened_for_reading(path) as connection:
        pending = read_pending(connection)
    if pending.texts <= PENDING_BEARABLE:
        return
    with _progress(is_quiet) as on_indexed:
        save_search_index(path, on_indexed)


@contextmanager
def _progress(is_quiet: bool) -> Iterator[OnIndexed | None]:
    if is_quiet or not sys.stderr.isatty():
        yield None
        return

    def tell(done: int, total: int) -> None:
        click.echo(
            f"\rmaking texts searchable: {100 * done // max(total, 1)} %", err=True, nl=False
        )

    try:
        yield tell
    finally:
        click.echo("\r" + " " * 40 + "\r", err=True, nl=False)


def _first(hits: Iterator[Hit], limit: int) -> tuple[list[Hit], bool]:
    """Return the first hits, and whether there are more."""
    found = [hit for hit, _ in zip(hits, range(limit + 1), strict=False)]
    return found[:limit], len(found) > limit


def _redacted(hit: Hit) -> Hit:
    """Redact the whole text before a snippet is cut from it: a cut can hide a secret's begin."""
    from agentpprof.redactor import redact

    return hit._replace(
        text=redact(hit.text),
        log_path=redact(hit.log_path),
        project=hit.project and redact(hit.project),
    )


def snippet(text: str, words: tuple[str, ...], width: int = 2 * _AROUND) -> str:
    """Return the part of a text around the first word found, in one line."""
    lowered = text.lower()
    places = [(lowered.find(word.lower()), len(word)) for word in words]
    at, length = min((place for place in places if place[0] >= 0), default=(0, 0))
    start = max(min(at + length // 2 - width // 2, len(text) - width), 0)
    part = " ".join(text[start : start + width].split())
    return ("…" if start else "") + part + ("…" if start + width < len(text) else "")


def fitting_snippet(text: str, words: tuple[str, ...], room: int, encoding: str) -> str:
    """Return a snippet as it is shown, so short that it has about `room` cells in that encoding."""
    width = room
    while True:
        part = readable(show(snippet(text, words, width)), encoding)
        if cells(part) <= room + 2 or width <= _LEAST:
            return part
        width = max(width - max((cells(part) - room) // _WIDEST, 1), _LEAST)


def _json(hits: list[Hit], words: tuple[str, ...], has_more: bool) -> str:
    rows = [
        {**hit._asdict(), "log_path": _encodable(hit.log_path), "snippet": snippet(hit.text, words)}
        for hit in hits
    ]
    whole = {"words": list(words), "hits": rows, "hit_count": len(rows), "has_more": has_more}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def _encodable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _lines(hits: list[Hit], words: tuple[str, ...], zone: str, has_more: bool) -> Iterator[str]:
    """Yield three lines a hit: what it is, its snippet, and where it stands."""
    mark = _marker(words)
    paper = paper_of_stdout()
    width = max((paper.width or _WIDTH_IN_PIPES) - 4, 40)
    for hit in hits:
        at = time_text(hit.started_at_ms, zone, "%Y-%m-%d %H:%M")
        parts = (at, hit.project, hit.kind, hit.tool, hit.tag)
        yield show("  ".join(part for part in parts if part))
        yield "  " + mark(fitting_snippet(hit.text, words, width, paper.encoding))
        yield show(f"  {hit.agent} {hit.session_id}  {hit.log_path}:{hit.log_offset}")
    if not hits:
        yield "nothing was found: fewer words, or leave filters out"
    elif has_more:
        yield f"more than {len(hits)}: narrow it down, or allow more with --limit"


def _marker(words: tuple[str, ...]) -> Callable[[str], str]:
    """Return what makes the words bold on a terminal."""
    if not sys.stdout.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        return lambda text: text
    import re

    anywhere = re.compile("|".join(re.escape(show(word)) for word in words), re.IGNORECASE)
    return lambda text: anywhere.sub(lambda found: click.style(found[0], bold=True), text)
