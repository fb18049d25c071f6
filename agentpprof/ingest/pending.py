"""What a sync would read now: files and bytes that lie behind the last scan."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agentpprof.agents import AGENTS
from agentpprof.ingest.discover import Root, find_log_files
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
        is_packed = log_file.path != log_file.logical_path  # offsets are those of plain bytes
        version = AGENTS[log_file.agent].parser_version
        if before is None or before.parser_version < version:
            pending, lag = pending + 1, lag + log_file.size
        elif before.identity != log_file[2:]:
            pending += 1
            lag += max(log_file.size - (0 if is_packed else before.checkpoint.offset), 0)
        elif 0 < before.checkpoint.offset < log_file.size and not is_packed:
            unfinished += 1
    return Pending(files, pending, lag, unfinished, len(unreadable))
