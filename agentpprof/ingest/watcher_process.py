"""A watcher as a process: its lock, its signals, what it tells a service manager and `status`."""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from agentpprof import __version__
from agentpprof.ingest.events import EventSource, open_events
from agentpprof.ingest.watch import Batch, Pace, Watched, World, watch
from agentpprof.store.watch_lock import WatchLock, WatchNote, digest_of_roots, watch_lock

_END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_SECONDS_TO_END = 3  # a batch that lasts longer is rolled back


class Notifier:
    """Datagrams to a service manager (sd_notify); silent where none asked for them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read where to, and how often it wants to hear."""
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        micros = environment.get("WATCHDOG_USEC", "")
        self.interval = int(micros) / 3e6 if micros.isdigit() and int(micros) else None
        self._told_at = float("-inf")

    def tell(self, state: str) -> None:
        """Send one state; a manager that went away is no reason to end."""
        if not self._address:
            return
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender,
        ):
            sender.sendto(state.encode(), self._address)

    def ping(self) -> None:
        """Tell that the loop gets on, as often as asked for and no more."""
        if self.interval is not None and time.monotonic() >= self._told_at + self.interval / 2:
            self._told_at = time.monotonic()
            self.tell("WATCHDOG=1")


class Ending:
    """Whether a signal asked for the end; a second one, or a batch that lasts, breaks it off."""

    def __init__(self) -> None:
        """Begin without a signal."""
        self.has_begun = False
        self._source: EventSource | None = None

    def wakes(self, source: EventSource) -> None:
        """Name what to wake."""
        self._source = source

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """Begin to end; break off when that was asked before."""
        if self.has_begun:
            raise KeyboardInterrupt
        self.has_begun = True
        signal.alarm(_SECONDS_TO_END)
        if self._source is not None:
            self._source.wake()


@contextmanager
def ending_on_signals() -> Iterator[Ending]:
    """Let SIGTERM, SIGINT and SIGHUP end the loop; the handlers before are put back."""
    ending = Ending()
    numbers = (*_END_SIGNALS, signal.SIGALRM)
    before: dict[int, Any] = {number: signal.signal(number, ending.on_signal) for number in numbers}
    try:
        yield ending
    except KeyboardInterrupt:
        pass  # the batch was rolled back; what was committed stays
    finally:
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)


def run_watcher(job: Watched, *, is_once: bool = False) -> Iterator[Batch]:
    """Watch until a signal, under the watcher's lock; yields every pass."""
    notifier = Notifier(os.environ)
    with watch_lock(job.database) as lock, ending_on_signals() as ending:
        source = open_events(() if is_once else job.roots)
        ending.wakes(source)
        try:
            world = World(
                source,
                time.monotonic,
                time.sleep,
                lambda: ending.has_begun,
                notifier.ping,
                *([notifier.interval] if notifier.interval else []),
            )
            notifier.tell("READY=1")
            yield from _noted(job, world, lock, is_once)
            notifier.tell("STOPPING=1")
        finally:
            source.close()


def _noted(job: Watched, world: World, lock: WatchLock, is_once: bool) -> Iterator[Batch]:
    """Yield the passes of the loop, and keep the note beside the database."""
    pace = Pace(world.clock)
    note = WatchNote(
        os.getpid(), __version__, *_mode(world.source), roots=digest_of_roots(job.roots)
    )
    lock.write(note)
    for batch in watch(job, world, pace, is_once=is_once):
        note = note_after(note, batch, pace.due_at, world.source)
        lock.write(note)
        yield batch
    lock.write(note._replace(due_at=0.0))


def note_after(note: WatchNote, batch: Batch, due_at: float, source: EventSource) -> WatchNote:
    """Return the note as it stands after a pass."""
    now_ms = time.time_ns() // 1_000_000
    mode, reason = _mode(source)
    note = note._replace(mode=mode, reason=reason, due_at=due_at, error=batch.error)
    if batch.error:
        return note._replace(last_error=batch.error, last_error_at_ms=now_ms)
    return note._replace(scanned_at_ms=now_ms) if batch.is_scan else note


def _mode(source: EventSource) -> tuple[str, str]:
    return ("polling", source.reason) if source.reason else ("events", "")
