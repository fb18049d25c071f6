"""Whether the file that a connection has open is still the one at its path.

Somebody may move, replace or delete a database while it is written to. The rest would go into a
file that nobody can find any more, so a writer looks before every batch. Files are only looked at,
never opened: closing them would drop SQLite's locks.
"""

import os
from pathlib import Path

from agentpprof.errors import ReplacedError
from agentpprof.store.database import wal_path

_Identity = tuple[int, int] | None  # device and inode; None where there is no file


def identities(database: Path) -> tuple[_Identity, _Identity]:
    """Return what the database and its write-ahead log are known by."""
    return _identity(database), _identity(wal_path(database))


def check_in_place(database: Path, before: tuple[_Identity, _Identity]) -> None:
    """Raise ReplacedError unless both files are those of before; a log may have come since."""
    now = identities(database)
    if any(old is not None and old != new for old, new in zip(before, now, strict=True)):
        raise ReplacedError


def _identity(path: Path) -> _Identity:
    try:
        status = os.stat(path)  # noqa: PTH116 # before every batch
    except OSError:
        return None
    return status.st_dev, status.st_ino
