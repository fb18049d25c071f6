"""Where the logs of a run come from, and how they get into the database."""

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentpprof.agents import titles
from agentpprof.config import configured_tagger
from agentpprof.errors import UsageError
from agentpprof.ingest import session_files
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.ingest.report import SyncReport
from agentpprof.models import LogFile
from agentpprof.option_groups import SourceOptions
from agentpprof.runs.chosen import (
    chosen_database,
    chosen_roots,
    named_database,
    temporary_folder,
)
from agentpprof.store import queries
from agentpprof.store.database import look_at, renew_schema
from agentpprof.store.watch_lock import is_watched
from agentpprof.text.progress import OnProgress, progress_bar

if TYPE_CHECKING:
    from agentpprof.profile.selection import Selection


class Source(NamedTuple):
    """The logs of a run and the database they go into."""

    roots: list[Root]
    files: tuple[LogFile, ...]  # named one by one; then no folder is looked at
    reads_stdin: bool
    scan_files: int  # 0: all
    database: Path | None  # None: the usual one, or a temporary one for foreign logs
    is_foreign: bool
    syncs: bool

    @property
    def has_named_files(self) -> bool:
        """Say whether single logs were named."""
        return bool(self.files) or self.reads_stdin

    @property
    def is_temporary(self) -> bool:
        """Say whether the database is gone after the run."""
        return self.database is None and self.is_foreign


class Synced(NamedTuple):
    """What a pass did; `paths` are the only logs that the run is about, None for all."""

    report: SyncReport
    paths: tuple[str, ...] | None

    def narrowed(self, connection: sqlite3.Connection, selection: "Selection") -> "Selection":
        """Return what was selected, of the logs that the run is about."""
        if self.paths is None:
            return selection
        keys = queries.read_sessions_of_files(connection, self.paths)
        return selection._replace(session_keys=keys)


def read_source(options: SourceOptions) -> Source:
    """Check what says where the logs are; raises UsageError, and opens named logs at most."""
    names = options["session_files"]
    has_roots = bool(options["claude_roots"] or options["codex_roots"])
    session_files.check_names(names)
    if options["scan_files"] < 0:
        raise UsageError(f"--scan-files {options['scan_files']}: write 0 for all, or how many")
    database = named_database(options["database"])
    if names and has_roots:
        raise UsageError("--session-file names the only logs, so roots beside it contradict it")
    if names and options["no_sync"]:
        raise UsageError("--session-file has to be read, so --no-sync contradicts it")
    if has_roots and options["no_sync"] and database is None:
        raise UsageError("roots go into a fresh database, so --no-sync needs --db beside them")
    reads_stdin = session_files.STDIN in names
    if reads_stdin and sys.stdin.isatty():
        raise UsageError("--session-file -: stdin is a terminal; pipe a log in")
    files = [session_files.named_log_file(name) for name in names if name != session_files.STDIN]
    return Source(
        chosen_roots(options["claude_roots"], options["codex_roots"]),
        tuple(session_files.distinct(files)),
        reads_stdin,
        options["scan_files"],
        database,
        has_roots or bool(names),
        not options["no_sync"],
    )


@contextmanager
def synced_database(
    source: Source, *, is_quiet: bool, has_bar: bool = True
) -> Iterator[tuple[Path, Synced]]:
    """Yield the database of a run, up to date with its logs; a bar shows how far that is."""
    with chosen_database(source.database, source.is_foreign, is_quiet) as path:
        with progress_bar(is_quiet or not has_bar) as on_progress:
            synced = sync_source(source, path, on_progress)
        yield path, synced


def sync_source(source: Source, database: Path, on_progress: OnProgress) -> Synced:
    """Bring the database up to date with the logs of the run, as far as they are to be read."""
    if source.has_named_files:
        with temporary_folder() as folder:
            return _sync_named(source, database, on_progress, folder)
    if source.scan_files:
        unreadable: list[str] = []
        found = find_log_files(source.roots, unreadable)
        files = session_files.newest(found, source.scan_files)
        report = SyncReport(files=len(files))
        if source.syncs:
            from agentpprof.ingest.indexer import sync_files

            report = sync_files(database, files, on_progress)
        unreadable += report.unreadable
        report = report._replace(unreadable=tuple(unreadable))
        synced = Synced(report, tuple(each.logical_path for each in files))
    elif source.syncs and not _is_kept_up_to_date(source, database):
        from agentpprof.ingest.indexer import sync

        synced = Synced(sync(database, source.roots, on_progress), None)
    else:
        synced = Synced(SyncReport(), None)
    if not source.syncs:
        renew_schema(database)
    return synced


def index_logs(database: Path, roots: Iterable[Root], *, is_quiet: bool) -> SyncReport:
    """Read what is new below the roots, and tag new prompts as the views show them."""
    from agentpprof.ingest.indexer import sync
    from agentpprof.store.tag_cache import tag_new_prompts

    with progress_bar(is_quiet) as on_progress:
        report = sync(database, roots, on_progress)
    tag_new_prompts(database, configured_tagger())
    return report


def _is_kept_up_to_date(source: Source, database: Path) -> bool:
    """Say whether a watcher of just these logs has the database up to date already."""
    return not source.is_foreign and look_at(database) > 0 and is_watched(database, source.roots)


def _sync_named(source: Source, database: Path, on_progress: OnProgress, folder: Path) -> Synced:
    from agentpprof.ingest.indexer import sync_files

    files = list(source.files)
    if source.reads_stdin:
        copy = session_files.copy_of_stdin(sys.stdin.buffer.read, folder)
        try:
            files.append(session_files.named_log_file(str(copy)))
        except UsageError:
            raise UsageError(f"--session-file -: stdin holds no log of {titles()}") from None
    if source.scan_files:
        files = session_files.newest(files, source.scan_files)
    files = [session_files.with_its_suffix(each, folder) for each in files]
    report = sync_files(database, files, on_progress)
    return Synced(report, tuple(each.logical_path for each in files))
