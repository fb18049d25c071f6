"""What wakes a watcher: file events where they work, else nothing but time.

Events are hints, a scan is the truth: what is lost here is found by the next scan. Memory is
bounded; more changes than that are told as "anything may have changed".
"""

import contextlib
import errno
import logging
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from agentpprof.agents import AGENTS
from agentpprof.ingest.discover import Root
from agentpprof.mounts import is_remote, mount_type

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

MAX_PATHS = 4096
_LIMITS = {errno.ENOSPC: "no watches left", errno.EMFILE: "no event queues left"}


class Hints(NamedTuple):
    """What happened since the last look."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()  # new ones: what is in them may have come before events
    is_everything: bool = False
    is_silent: bool = False  # a scan that is due, though no event came

    def __bool__(self) -> bool:
        """Say whether anything happened."""
        return bool(self.files or self.folders or self.is_everything)


EVERYTHING = Hints(is_everything=True)
DUE = Hints(is_everything=True, is_silent=True)
_MISSES = 2  # scans in a row that found what no event had told of


class EventSource(Protocol):
    """What a watcher waits for."""

    @property
    def reason(self) -> str:
        """Why there are no events; empty where there are."""

    def wait(self, seconds: float) -> bool:
        """Wait until something happens, at most so long; says whether it did."""

    def take(self) -> Hints:
        """Return what happened since the last look."""

    def wake(self) -> None:
        """End a wait from a signal handler or another thread."""

    def refresh(self) -> None:
        """Look again at which folders there are; called before every scan."""

    def note_pass(self, has_read: bool, is_silent: bool) -> None:
        """Learn whether events can be trusted: a scan may have found what none had told of."""

    def close(self) -> None:
        """Stop."""


class _Wakeable:
    """Waits on a queue: its `put` may be called by a signal handler, unlike an Event's `set`."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[str, bool] | None] = SimpleQueue()
        self._taken: list[tuple[str, bool] | None] = []

    def wait(self, seconds: float) -> bool:
        """Wait until something happens, at most so long; says whether it did."""
        if self._taken or not self._queue.empty():
            return True
        try:
            self._taken.append(self._queue.get(timeout=max(seconds, 0.0)))
        except Empty:
            return False
        return True

    def wake(self) -> None:
        """End a wait from a signal handler or another thread."""
        self._queue.put(None)

    def _drain(self) -> list[tuple[str, bool]]:
        while not self._queue.empty():
            self._taken.append(self._queue.get_nowait())
        drained = [item for item in self._taken if item is not None]
        self._taken = []
        return drained


class Polling(_Wakeable):
    """No events: only time wakes."""

    def __init__(self, reason: str) -> None:
        """Keep why there are none."""
        super().__init__()
        self.reason = reason

    def take(self) -> Hints:
        """Return nothing: a wake is no change."""
        self._drain()
        return Hints()

    def refresh(self) -> None:
        """Nothing to look at."""

    def note_pass(self, has_read: bool, is_silent: bool) -> None:
        """Nothing to learn."""

    def close(self) -> None:
        """Nothing to stop."""


class FileEvents(_Wakeable):
    """Events of all folders below the roots, by watchdog."""

    def __init__(self, roots: Sequence[Root]) -> None:
        """Start; raises OSError when the system gives no watches."""
        super().__init__()
        from watchdog.observers import Observer

        self.reason = ""
        self._is_overflown = False
        self._misses = 0
        self._roots = roots
        self._watches: dict[str, tuple[Any, tuple[int, int]]] = {}
        self._losses = _Losses(self)
        logging.getLogger("watchdog").addHandler(self._losses)
        warnings.filterwarnings("ignore", module=r"watchdog\.")  # they print paths
        self._observer = Observer()
        self._observer.start()
        try:
            self._schedule_all()
        except OSError:
            self.close()
            raise

    def take(self) -> Hints:
        """Return what happened since the last look."""
        is_everything, self._is_overflown = self._is_overflown, False
        drained = self._drain()
        return Hints(
            frozenset(path for path, is_folder in drained if not is_folder),
            frozenset(path for path, is_folder in drained if is_folder),
            is_everything,
        )

    def refresh(self) -> None:
        """Watch roots that came or were replaced; without watches left, say so and go on."""
        try:
            self._schedule_all()
        except OSError as error:
            self.reason = reason_of(error)

    def close(self) -> None:
        """Stop the threads."""
        with contextlib.suppress(KeyError):  # watchdog stumbles over folders that were moved
            self._observer.stop()
        self._observer.join(2.0)
        logging.getLogger("watchdog").removeHandler(self._losses)

    def _schedule_all(self) -> None:
        for root in self._roots:
            self._schedule(root)
        if sys.platform == "linux":
            self._probe()

    def _schedule(self, root: Root) -> None:
        """Watch one root, unless that very folder is watched already."""
        try:
            status = os.stat(root.path)  # noqa: PTH116 # a Path can't hold every name
        except OSError:
            return  # not there yet: looked for again before the next scan
        identity = (status.st_dev, status.st_ino)
        before = self._watches.get(root.path)
        if before is not None and before[1] == identity:
            return
        if before is not None:
            self._observer.unschedule(before[0])
        watch = self._observer.schedule(
            _handler(root, self), root.path, recursive=True, event_filter=_event_types()
        )
        self._watches[root.path] = (watch, identity)

    def _probe(self) -> None:
        """Raise OSError when no watch is left: watchdog itself is silent about folders below."""
        from watchdog.events import DirMovedEvent, FileSystemEventHandler

        watch = self._observer.schedule(
            FileSystemEventHandler(), os.sep, event_filter=[DirMovedEvent]
        )
        self._observer.unschedule(watch)

    def note_pass(self, has_read: bool, is_silent: bool) -> None:
        """Give events up when scans keep finding what none had told of."""
        if has_read:
            self._misses = self._misses + 1 if is_silent else 0
            if self._misses >= _MISSES:
                self.reason = "no events come"

    def note_loss(self) -> None:
        """Remember that events were lost, and end a wait."""
        self._is_overflown = True
        self.wake()

    def note(self, path: str, is_folder: bool) -> None:
        """Remember one change, called by watchdog's thread."""
        if self._queue.qsize() >= MAX_PATHS:
            self._is_overflown = True
        else:
            self._queue.put((path, is_folder))


class _Losses(logging.Handler):
    """What watchdog warns of is lost events; told nowhere else, since it names paths."""

    def __init__(self, source: FileEvents) -> None:
        super().__init__(logging.WARNING)
        self._source = source

    def emit(self, record: logging.LogRecord) -> None:
        """Let the next pass look at everything."""
        self._source.note_loss()


def _event_types() -> "list[type[FileSystemEvent]]":
    """Only what can bring new lines: with all types the walk of watchdog itself wakes it."""
    from watchdog import events

    return [
        events.FileModifiedEvent,
        events.FileCreatedEvent,
        events.FileMovedEvent,
        events.DirCreatedEvent,
        events.DirMovedEvent,
    ]


def _handler(root: Root, source: FileEvents) -> Any:
    from watchdog.events import FileSystemEventHandler

    is_log_name = AGENTS[root.agent].log_name.match

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: "FileSystemEvent") -> None:
            path = os.fsdecode(event.dest_path or event.src_path)
            if event.is_directory or is_log_name(path.rpartition(os.sep)[2]):
                source.note(path, event.is_directory)

    return Handler()


def reason_of(error: OSError) -> str:
    """Return why the system gives no events, in words of our own."""
    code = error.errno or 0
    return _LIMITS.get(code, f"no events ({errno.errorcode.get(code, 'unknown')})")


def open_events(roots: Iterable[Root]) -> EventSource:
    """Return file events where they work for all roots, else polling with its reason."""
    roots = list(roots)
    for root in roots:
        kind = mount_type(root.path)
        if is_remote(kind):
            return Polling(f"a folder lies on {kind}")
    try:
        return FileEvents(roots)
    except OSError as error:
        return Polling(reason_of(error))
    except ImportError:
        return Polling("no library for events")
