"""Locks on files: they end with the process that holds them, however it ends."""

import fcntl
import os
import time
from pathlib import Path

_PAUSE_SECONDS = 0.02


def open_lock_file(path: Path) -> int:
    """Return a descriptor of a lock's file, which is made where it is missing; raises OSError."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def is_taken(descriptor: int, wait_seconds: float, *, is_shared: bool = False) -> bool:
    """Take the lock on an open file, waiting so long for others; False when they still hold it."""
    kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE_SECONDS)
        else:
            return True
