"""The lock that one watcher holds for its life, and the note it keeps in the lock's file.

The lock decides, the note only informs: a number of a process may be stale or given anew. The note
is plain JSON, so it can be read when the watcher is dead or hangs.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from agentpprof import __version__
from agentpprof.errors import StoreError
from agentpprof.store.file_lock import is_taken, open_lock_file

_PATIENCE_SECONDS = 0.5  # a look at the lock holds it for a moment
_GRACE_SECONDS = 5.0  # a pass may be a little late on a busy machine
_NOTE_BYTES = 4096


class WatchNote(NamedTuple):
    """What a watcher last told of itself."""

    pid: int = 0
    version: str = ""
    mode: str = ""  # events or polling
    reason: str = ""  # why it polls; empty with events
    roots: str = ""  # digest of the folders it watches
    scanned_at_ms: int | None = None
    due_at: float = 0.0  # clock of the machine's start: by then the next scan begins, or it hangs
    error: str = ""  # code of the last pass's failure; empty when it went well
    last_error: str = ""  # code of the last failure ever
    last_error_at_ms: int | None = None


class WatchLock:
    """The lock while it is held."""

    def __init__(self, descriptor: int) -> None:
        """Take an open, locked file."""
        self._descriptor = descriptor

    def write(self, note: WatchNote) -> None:
        """Replace the note; a reader in between sees no valid JSON and takes it for none."""
        data = json.dumps(note._asdict()).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, data, 0)


@contextmanager
def watch_lock(database: Path) -> Iterator[WatchLock]:
    """Hold the watcher's lock; raises StoreError that says who holds it."""
    path = lock_path(database)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = open_lock_file(path)
    except OSError as error:
        raise StoreError(
            f"{path} can't be opened ({error.strerror}): name another database with --db"
        ) from None
    try:
        if not is_taken(descriptor, _PATIENCE_SECONDS):
            raise StoreError(_held_message(read_note(database)))
        yield WatchLock(descriptor)
    finally:
        os.close(descriptor)


def lock_path(database: Path) -> Path:
    """Return where the watcher's lock lies."""
    return database.with_name(database.name + ".watch.lock")


def is_lock_held(path: Path) -> bool:
    """Say whether a process holds a lock file, without taking it for longer than a moment."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not is_taken(descriptor, 0, is_shared=True)
    finally:
        os.close(descriptor)


def read_note(database: Path) -> WatchNote | None:
    """Return what the last watcher told, None where there was none."""
    try:
        descriptor = os.open(lock_path(database), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = json.loads(os.read(descriptor, _NOTE_BYTES))
        return WatchNote(**found)
    except (ValueError, TypeError):
        return None  # being written, or of another version
    finally:
        os.close(descriptor)


def is_watched(database: Path, roots: Iterable[tuple[str, str]] | None = None) -> bool:
    """Say whether a watcher keeps the database up to date, so that nothing need be read now.

    It holds the lock, is of this version, gets events, its last pass went well, and its next scan
    is not overdue. With `roots`, (agent, folder) pairs, it must watch just these.
    """
    note = read_note(database)
    return (
        note is not None
        and note.mode == "events"
        and not note.error
        and note.version == __version__
        and time.monotonic() <= note.due_at + _GRACE_SECONDS
        and (roots is None or note.roots == digest_of_roots(roots))
        and is_lock_held(lock_path(database))
    )


def digest_of_roots(roots: Iterable[tuple[str, str]]) -> str:
    """Return what tells one choice of folders from another."""
    places = sorted({(agent, os.path.realpath(path)) for agent, path in roots})
    text = "\0".join(f"{agent}\0{path}" for agent, path in places)
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _held_message(note: WatchNote | None) -> str:
    who = f"process {note.pid}" if note is not None and note.pid else "another process"
    return (
        f"{who} watches for this database already: stop it first, "
        "or name another database with --db"
    )
