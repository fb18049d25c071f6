"""Checks for `doctor`: what is stored against the logs and the machine it came from."""

import os
import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from agentpprof.agents import AGENTS, decoder_of
from agentpprof.agents.facts import BadLineFact
from agentpprof.counts import counted
from agentpprof.errors import sqlite_name
from agentpprof.ingest import reader
from agentpprof.ingest.compressed import opened_logical
from agentpprof.ingest.discover import Root
from agentpprof.mounts import is_remote, mount_type
from agentpprof.store.database import opened_for_reading, write_lock_path
from agentpprof.store.files import KnownFile
from agentpprof.store.leftovers import SIDECARS
from agentpprof.store.watch_lock import lock_path

SAMPLE_ROWS = 500
_LINE_BYTES = 64 * 1024 * 1024
_LINES_TO_AN_ANSWER = 20


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    is_fine: bool
    text: str  # what was found and, when it is not fine, what to do


def surroundings(database: Path, roots: Iterable[Root]) -> Iterator[Check]:
    """Check modes and mounts; touches nothing."""
    yield _modes(database)
    kind = mount_type(str(database.parent))
    yield Check(
        "mount",
        not is_remote(kind),
        f"the database lies on {kind or 'a file system of unknown kind'}"
        + (": WAL needs a local one, name another place with --db" if is_remote(kind) else ""),
    )
    remote = sorted({mount_type(root.path) for root in roots if is_remote(mount_type(root.path))})
    text = f"logs lie on {', '.join(remote)}: a watcher polls" if remote else "events can be used"
    yield Check("events", True, text)


def _modes(database: Path) -> Check:
    """Check that only the owner can read the database, and nobody else can replace it."""
    sidecars = (database.with_name(database.name + suffix) for suffix in SIDECARS)
    files = [database, *sidecars, lock_path(database), write_lock_path(database)]
    open_files = [path.name for path in files if path.exists() and path.stat().st_mode & 0o077]
    is_folder_open = database.parent.exists() and database.parent.stat().st_mode & 0o022
    if open_files:
        text = f"others can read {', '.join(open_files)}: chmod 600"
    elif is_folder_open:
        text = "others can write into the database's folder: chmod 700"
    else:
        text = "only you can read and replace the database"
    return Check("permissions", not (open_files or is_folder_open), text)


def integrity(database: Path, *, is_deep: bool) -> Check:
    """Let SQLite check the file: its pages, deeply also every index."""
    pragma = "integrity_check" if is_deep else "quick_check"
    try:
        with opened_for_reading(database) as connection:
            rows = connection.execute(f"pragma {pragma}").fetchall()
    except sqlite3.DatabaseError as error:
        rows = [(sqlite_name(error),)]
    is_fine = rows == [("ok",)]
    text = (
        f"{len(rows):,} faults: run agentpprof doctor --repair, which mends indexes; else restore "
        "a backup, or what agentpprof doctor --salvage still reads"
    )
    return Check(pragma, is_fine, "the database's file is sound" if is_fine else text)


def logs_unchanged(known: Mapping[str, KnownFile]) -> Check:
    """Hash the head of each log, and what stands before its offset, as when it was read."""
    files = changed = unseen = 0
    for path, file in known.items():
        if file.is_gone or not file.checkpoint.offset:
            continue
        try:
            with opened_logical(path) as plain:
                changed += not reader.is_continued(plain.descriptor, file.checkpoint)
                files += 1
        except OSError:
            unseen += 1  # gone since, or not ours to read: status tells of those
    text = f"{changed:,} of {counted(files, 'log')} rewritten since the last read{_unseen(unseen)}"
    return Check("logs", not changed, text + (": run agentpprof index" if changed else ""))


def _unseen(count: int) -> str:
    """Return how many things could not be looked at, where there are any."""
    return f"; {count:,} could not be looked at" if count else ""


def rows_in_logs(database: Path, seed: int | None = None) -> Check:
    """Read a sample of stored rows again where they came from: the line must tell of them."""
    rows = missing = unseen = 0
    with opened_for_reading(database) as connection:
        sample = _sample(connection, random.Random(seed))  # noqa: S311 # no secret
    sample.sort(key=lambda row: (row.path, row.offset))  # each log is opened once
    for path, of_log in groupby(sample, key=lambda row: row.path):
        wanted = list(of_log)
        try:
            with opened_logical(path) as plain:
                told = [_is_told_at(plain.descriptor, row) for row in wanted]
        except OSError:
            unseen += len(wanted)
            continue
        rows += len(told)
        missing += told.count(False)
    text = f"{missing:,} of {rows:,} sampled rows are not told of by their line{_unseen(unseen)}"
    return Check("rows", not missing, text + (": run agentpprof index" if missing else ""))


class _Row(NamedTuple):
    key: int
    agent: str
    path: str
    offset: int


def _sample(connection: sqlite3.Connection, chance: random.Random) -> list[_Row]:
    last = connection.execute("select coalesce(max(id), 0) from operation").fetchone()[0]
    ids = {chance.randint(1, last) for _ in range(SAMPLE_ROWS)} if last else set()
    query = (
        "select operation.key, log_file.agent, log_file.path, operation.offset from operation "
        "inner join log_file on operation.log_file_id = log_file.id "
        "where operation.id = ? and not log_file.gone and log_file.offset > operation.offset"
    )
    found = [row for each in sorted(ids) for row in connection.execute(query, (each,))]
    return [_Row(key, agent, os.fsdecode(path), offset) for key, agent, path, offset in found]


def _is_told_at(descriptor: int, row: _Row) -> bool:
    """Look at a row's line, then at the lines behind it: an answer may make a prompt of it."""
    return any(
        _is_told(_lines_at(descriptor, row.offset, count), row)
        for count in (1, _LINES_TO_AN_ANSWER)
    )


def _lines_at(descriptor: int, offset: int, count: int) -> bytes:
    """Return up to `count` lines of an open log from an offset on; raises OSError."""
    data = b""
    while chunk := os.pread(descriptor, 65536, offset + len(data)):
        data += chunk
        if data.count(b"\n") >= count or len(data) > _LINE_BYTES:
            break
    return b"\n".join(data.split(b"\n", count)[:count])


def _is_told(lines: bytes, row: _Row) -> bool:
    """Decode lines alone: they must be records and, where ids need no other line, give the row."""
    from agentpprof.ingest.assemble import assemble
    from agentpprof.ingest.state import AssemblyState

    decoder = decoder_of(row.agent)
    state = decoder.initial_state(row.path)
    facts, _ = decoder.decode(lines + b"\n", row.offset, row.path, state)
    if not AGENTS[row.agent].is_line_enough:
        return not any(isinstance(fact, BadLineFact) for fact in facts)
    rows, _ = assemble(facts, AssemblyState(), row.agent)
    told = rows.operations.get(row.key)
    return told is not None and told.offset == row.offset
