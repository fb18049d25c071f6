"""What `status` and `doctor` tell: one record of facts, told as lines or as JSON."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from agentpprof import __version__
from agentpprof.counts import counted, counted_sessions
from agentpprof.errors import StoreError
from agentpprof.ingest.checking import Check
from agentpprof.ingest.discover import Root
from agentpprof.ingest.pending import Pending, find_pending
from agentpprof.option_groups import StoreOptions
from agentpprof.runs.chosen import chosen_roots, named_database
from agentpprof.runs.expiry import expiry_warning
from agentpprof.store.database import default_path
from agentpprof.store.files import KnownFile
from agentpprof.store.health import DISK_ALARM_BYTES, WAL_ALARM_BYTES, Health, read_health
from agentpprof.store.watch_lock import WatchNote
from agentpprof.text.telling import ago, say

NEEDS_ATTENTION = 3  # exit code: it works, but a person should look


class Condition(NamedTuple):
    """Everything that is told, and what of it needs attention."""

    database: Path
    roots: list[Root]
    known: dict[str, KnownFile]
    health: Health
    pending: Pending
    attention: list[str]


def read_condition(options: StoreOptions) -> Condition:
    """Look at the database, its locks and the logs; changes nothing."""
    database = named_database(options["database"]) or default_path()
    roots = chosen_roots(options["claude_roots"], options["codex_roots"])
    health, known = read_health(database)
    pending = find_pending(roots, known)
    attention = list(_attention(health, pending, _expiry(database, roots)))
    return Condition(database, roots, known, health, pending, attention)


def _expiry(database: Path, roots: Sequence[Root]) -> str:
    try:
        return expiry_warning(database, roots)
    except StoreError:
        return ""  # told already: the database can't be read


def _attention(health: Health, pending: Pending, expiry: str) -> Iterator[str]:
    if health.error:
        yield health.error
    elif not health.schema:
        yield "there is no database yet: run agentpprof index"
    note = health.note
    if health.watcher == "late" and note is not None and note.error:
        yield f"the watcher's last pass failed ({note.error})"
    elif health.watcher == "late":
        yield "the watcher hangs: restart it"
    if health.wal_bytes > WAL_ALARM_BYTES:
        yield "the write-ahead log has grown: a program keeps a read of the database open"
    if health.counts.is_compaction_due:
        yield "bytes of what was forgotten may still stand in the file: run agentpprof forget"
    if health.disk_free_bytes < DISK_ALARM_BYTES:
        yield "the disk is nearly full"
    if pending.unreadable:
        what = counted(pending.unreadable, "file or folder", "files or folders")
        yield f"{what} of logs can't be read"
    if expiry:
        yield expiry


def record_of(condition: Condition) -> dict[str, Any]:
    """Return the condition for other programs; no path but the database's own."""
    health, pending = condition.health, condition.pending
    note = health.note or WatchNote()
    return {
        "version": __version__,
        "database": str(condition.database),
        "schema": health.schema,
        "known_schema": health.known_schema,
        "sqlite_version": health.sqlite_version,
        "sqlite_wal_reset_bug": health.has_wal_reset_bug,
        "watcher": health.watcher,
        "watcher_pid": note.pid if health.is_watch_lock_held else None,
        "mode": note.mode if health.is_watch_lock_held else "none",
        "mode_reason": note.reason or None,
        "write_lock_held": health.is_write_lock_held,
        "last_scan_at_ms": note.scanned_at_ms,
        "last_commit_at_ms": health.written_at_ms,
        "last_error": note.last_error or None,
        "last_error_at_ms": note.last_error_at_ms,
        "files": pending.files,
        "files_pending": pending.pending_files,
        "files_unfinished": pending.unfinished_files,
        "files_unreadable": pending.unreadable,
        "files_gone": health.counts.gone_files,
        "files_damaged": health.counts.damaged_files,
        "lines_damaged": health.counts.damaged_lines,
        "lag_bytes": pending.lag_bytes,
        "sessions": health.counts.sessions,
        "subagents": health.counts.subagents,
        "operations": health.counts.operations,
        "database_bytes": health.database_bytes,
        "wal_bytes": health.wal_bytes,
        "disk_free_bytes": health.disk_free_bytes,
        "attention": condition.attention,
    }


def lines_of(condition: Condition) -> Iterator[str]:
    """Yield the condition for a person."""
    health, pending = condition.health, condition.pending
    bug = " (has the WAL-reset bug: one writer at a time is safe)" * health.has_wal_reset_bug
    yield f"agentpprof    {__version__}, SQLite {health.sqlite_version}{bug}"
    yield (
        f"database      {condition.database}, schema {health.schema} of {health.known_schema}, "
        f"{_mb(health.database_bytes)}, write-ahead log {_mb(health.wal_bytes)}"
    )
    yield (
        f"stored        {counted_sessions(health.counts.sessions, health.counts.subagents)}, "
        f"{counted(health.counts.operations, 'operation')}, "
        f"last written {_ago(health.written_at_ms)}"
    )
    yield (
        f"logs          {counted(pending.files, 'file')}: {pending.pending_files:,} pending "
        f"({_mb(pending.lag_bytes)}), {pending.unfinished_files:,} with an unfinished line, "
        f"{health.counts.gone_files:,} gone, {health.counts.damaged_files:,} damaged, "
        f"{counted(health.counts.damaged_lines, 'damaged line')}"
    )
    yield f"watcher       {_watcher_text(health)}"
    if health.is_write_lock_held:
        yield "write lock    held: something is being written now"
    if health.note is not None and health.note.last_error:
        yield f"last error    {health.note.last_error}, {_ago(health.note.last_error_at_ms)}"
    for text in condition.attention:
        yield f"attention     {text}"


def _watcher_text(health: Health) -> str:
    note = health.note
    if not health.is_watch_lock_held or note is None:
        return "none" if not health.is_watch_lock_held else "starting"
    reason = f" ({note.reason})" if note.reason else ""
    state = "" if health.watcher in ("fresh", "polling") else f", {health.watcher}"
    return f"process {note.pid}, {note.mode}{reason}, last scan {_ago(note.scanned_at_ms)}{state}"


def _ago(at_ms: int | None) -> str:
    return "never" if at_ms is None else ago(max(time.time() - at_ms / 1000, 0))


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def tell(condition: Condition, checks: Sequence[Check], as_json: bool) -> int:
    """Write the condition and the checks to stdout; returns the exit code."""
    faults = [check for check in checks if not check.is_fine]
    if as_json:
        record = record_of(condition)
        if checks:
            record["checks"] = [
                {"name": each.name, "ok": each.is_fine, "text": each.text} for each in checks
            ]
        click.echo(json.dumps(record, indent=2, default=os.fspath))
    else:
        for line in lines_of(condition):
            say(line)
        for check in checks:
            say(f"{'ok' if check.is_fine else 'FAULT':<14}{check.name}: {check.text}")
    if condition.health.error or not condition.health.schema:
        return 1
    return NEEDS_ATTENTION if condition.attention or faults else 0
