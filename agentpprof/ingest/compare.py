"""Compare what a scan found with what the store knows: what changed, moved, vanished, came back."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from agentpprof.agents import AGENTS
from agentpprof.ingest.discover import Root
from agentpprof.ingest.quiet import has_unseen_tail
from agentpprof.models import LogFile
from agentpprof.store.files import KnownFile


class LogChanges(NamedTuple):
    """Files to read, numbers of files that vanished or came back, and what moved (by new path).

    `quiet` of the files have not changed: their last bytes are looked at once, as nobody writes.
    """

    files: list[LogFile]
    gone: list[int]
    back: list[int]
    moved: dict[str, KnownFile]
    quiet: int = 0

    def __bool__(self) -> bool:
        """Say whether there is anything to do."""
        return bool(self.files or self.gone or self.back or self.moved)


def find_changes(
    log_files: list[LogFile], known: dict[str, KnownFile], roots: Iterable[Root], now_ns: int
) -> LogChanges:
    """Return what is to be done; files missing below roots that are still there have vanished."""
    changed = [
        log_file
        for log_file in log_files
        if _is_due(log_file, known.get(log_file.logical_path), now_ns)
    ]
    moved = _moved_files(changed, known)
    found = {log_file.logical_path for log_file in log_files}
    renamed = {file.log_file_id for file in moved.values()}
    prefixes = tuple(
        root.path.rstrip("/") + "/"
        for root in roots
        if os.path.isdir(root.path)  # noqa: PTH112 # one call, ten thousand times a day
    )
    gone = [
        file.log_file_id
        for path, file in known.items()
        if path not in found
        and not file.is_gone
        and path.startswith(prefixes)
        and file.log_file_id not in renamed
    ]
    back = [file.log_file_id for path, file in known.items() if path in found and file.is_gone]
    befores = ((log_file, known.get(log_file.logical_path)) for log_file in changed)
    quiet = sum(
        before is not None and not has_changed(log_file, before) for log_file, before in befores
    )
    return LogChanges(changed, gone, back, moved, quiet)


def _moved_files(log_files: Iterable[LogFile], known: dict[str, KnownFile]) -> dict[str, KnownFile]:
    """Return new path -> the known file that now lies there: agents rename logs to archive them.

    The same device and inode, at a path that is new, of a file that is nowhere else any more. That
    it still holds what was read is for the reader to check. A path that is not whole was stored
    by a release that kept roots as they were spelled.
    """
    new = [log_file for log_file in log_files if log_file.logical_path not in known]
    if not new:
        return {}
    by_inode = {file.identity[:2]: (path, file) for path, file in known.items()}
    moved = {}
    for log_file in new:
        former = by_inode.get((log_file.device, log_file.inode))
        if former is None or log_file.is_compressed:
            continue
        if not former[0].startswith(os.sep) or not os.path.lexists(former[0]):
            moved[log_file.logical_path] = former[1]
    return moved


def _is_due(log_file: LogFile, before: KnownFile | None, now_ns: int) -> bool:
    return (
        before is None or has_changed(log_file, before) or has_unseen_tail(log_file, before, now_ns)
    )


def has_changed(log_file: LogFile, before: KnownFile) -> bool:
    """Compare what a listing shows with what was stored; parser versions count as well."""
    return before.identity != log_file.identity or is_outdated(log_file, before)


def is_outdated(log_file: LogFile, before: KnownFile) -> bool:
    """Say whether a file was read by an older parser, so that it is read from its start."""
    return before.parser_version < AGENTS[log_file.agent].parser_version
