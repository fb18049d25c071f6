"""What a sync would read now: files and bytes that lie behind the last scan."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agentpprof.ingest.compare import has_changed, is_outdated
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.models import LogFile
from agentpprof.store.files import KnownFile


class Pending(NamedTuple):
    """What the logs hold that the database does not."""

    files: int  # log files that are there
    pending_files: int  # those that changed since they were read
    lag_bytes: int
    unfinished_files: int  # read, but ending in the middle of a line
    unreadable: int


def find_pending(roots: Iterable[Root], known: Mapping[str, KnownFile]) -> Pending:
    """Compare what lies below the roots with what is stored; opens no log."""
    unreadable: list[str] = []
    files = pending = lag = unfinished = 0
    for log_file in find_log_files(roots, unreadable):
        files += 1
        before = known.get(log_file.logical_path)
        if before is None or has_changed(log_file, before):
            pending += 1
            lag += max(log_file.size - _read_bytes(log_file, before), 0)
        elif 0 < before.offset < log_file.size and not log_file.is_compressed:
            unfinished += 1
    return Pending(files, pending, lag, unfinished, len(unreadable))


def _read_bytes(log_file: LogFile, before: KnownFile | None) -> int:
    """Return how many bytes of a file on disk the next sync need not read."""
    if before is None or is_outdated(log_file, before) or log_file.is_compressed:
        return 0
    return before.offset
