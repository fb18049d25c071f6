"""When a log counts as left behind: then a last record without newline is taken as it is.

A whole JSON object can't grow any more, so taking it too early would cost nothing: a clock that
jumps only changes when a log is looked at (docs/reliability.md, F4 and F34).
"""

import os

from agentpprof.ingest.compressed import Plain
from agentpprof.models import Checkpoint, LogFile
from agentpprof.store.files import KnownFile

QUIET_SECONDS = 600
_QUIET_NS = QUIET_SECONDS * 1_000_000_000


def is_quiet(mtime_ns: int, now_ns: int) -> bool:
    """Say whether a time of change is long ago; one that lies far ahead says as little of now."""
    return abs(now_ns - mtime_ns) >= _QUIET_NS


def has_unseen_tail(log_file: LogFile, before: KnownFile, now_ns: int) -> bool:
    """Say whether an unchanged log is due for one look at what stands behind its last newline.

    The offsets of a compressed log are those of its plain bytes; its tail was seen when it was
    read, as nobody appends to an archive.
    """
    return (
        before.offset < log_file.size
        and not before.is_tail_seen
        and not log_file.is_compressed
        and is_quiet(log_file.mtime_ns, now_ns)
    )


def is_at_rest(log_file: LogFile, plain: Plain, checkpoint: Checkpoint, now_ns: int) -> bool:
    """Say whether bytes behind the last newline stay as they are: in an archive, or long left."""
    size = os.fstat(plain.descriptor).st_size
    if size <= checkpoint.offset:
        return False
    if log_file.is_compressed:
        return plain.damage is None
    return size == log_file.size and is_quiet(log_file.mtime_ns, now_ns)
