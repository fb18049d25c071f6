"""Which log files a handful of events tell of, without walking all folders."""

import os
import stat
from collections.abc import Sequence

from agentpprof.agents import AGENTS
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.ingest.events import Hints
from agentpprof.models import COMPRESSED_SUFFIX, LogFile

_MAX_FOLDERS = 64


def changed_log_files(hints: Hints, roots: Sequence[Root]) -> list[LogFile] | None:
    """Return the log files behind some hints; None where only a whole scan can tell."""
    if hints.is_everything or len(hints.folders) > _MAX_FOLDERS:
        return None
    found: dict[str, LogFile] = {}
    for folder in sorted(hints.folders):
        root = _root_of(folder, roots)
        if root is not None:
            below = find_log_files([Root(root.agent, folder)], [])
            found |= {log_file.path: log_file for log_file in below}
    for path in sorted(hints.files):
        root = _root_of(path, roots)
        log_file = _look_at(path, root.agent) if root is not None else None
        if log_file is not None:
            found[path] = log_file
    if any(_has_other_names(path) for path in found):
        return None  # a scan decides which of a file's names counts
    return list(found.values())


def _root_of(path: str, roots: Sequence[Root]) -> Root | None:
    return next((root for root in roots if path.startswith(root.path.rstrip("/") + "/")), None)


def _look_at(path: str, agent: str) -> LogFile | None:
    """Return the log file at a path as a listing would, None where there is none (any more)."""
    if not AGENTS[agent].log_name.match(path.rpartition("/")[2]):
        return None
    plain = path.removesuffix(COMPRESSED_SUFFIX)
    if plain != path and os.path.lexists(plain):
        return None  # both forms exist for a moment: the plain one wins
    try:
        status = os.lstat(path)
    except OSError:
        return None  # gone again: the next scan notes it
    if not stat.S_ISREG(status.st_mode):
        return None
    return LogFile.of(path, agent, status)


def _has_other_names(path: str) -> bool:
    try:
        return os.lstat(path).st_nlink > 1
    except OSError:
        return False  # gone again
