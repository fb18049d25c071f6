"""Keep the database up to date for weeks: a loop of passes, woken by events and by time.

A scan of all folders is the truth; events only say which files to look at sooner. Clock, sleep and
events come from outside, so a test scripts them. A failed pass is tried again after a growing
pause; what needs a person ends the loop.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import AgentPprofError, DamagedError, ReplacedError, StoreError
from agentpprof.ingest.changed import changed_log_files
from agentpprof.ingest.discover import Root
from agentpprof.ingest.events import DUE, EVERYTHING, EventSource, Hints
from agentpprof.ingest.indexer import sync, sync_files
from agentpprof.ingest.report import Progress, SyncReport
from agentpprof.store.database import look_at
from agentpprof.store.new_tags import RunningTags
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger

BURST_SECONDS = 0.06  # a burst is over when nothing came for so long
MAX_WAIT_SECONDS = 0.25  # a burst that does not end is read all the same
MIN_POLL_SECONDS = 30.0
POLL_PER_SCAN = 1000.0  # so an idle watcher takes a thousandth of a core at most
MAX_POLL_SECONDS = 600.0
_BUSY_POLL_SECONDS = 2.0  # without events, while logs are being written
_BUSY_POLL_PER_SCAN = 100.0
_BUSY_FOR_SECONDS = 600.0
_MAX_PAUSE_SECONDS = 60.0
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class NeedsPersonError(AgentPprofError):
    """The database can't be used until a person acts; a service must not try again and again."""

    exit_code = 78  # EX_CONFIG


class EndedError(AgentPprofError):
    """The watcher was told to end, between two batches of a pass."""


class Watched(NamedTuple):
    """What is kept up to date, with what, and who tags the prompts that come."""

    database: Path
    roots: tuple[Root, ...]
    tagger: Tagger = DEFAULT_TAGGER


class Batch(NamedTuple):
    """One pass of a watcher."""

    number: int
    is_scan: bool  # all folders were looked at, not just the files that events named
    report: SyncReport
    tagged: int = 0
    error: str = ""  # code of what failed; empty when all went well


class World(NamedTuple):
    """What a watcher has of the world; a test gives its own.

    `has_ended` says that somebody asked for the end: a pass then stops behind its batch.
    """

    source: EventSource
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    has_ended: Callable[[], bool]
    alive: Callable[[], None] = lambda: None  # called whenever the loop gets on
    longest_wait: float = MAX_POLL_SECONDS  # `alive` is called at least so often while idle


class Pace:
    """When the next scan is due: from what scans cost, and whether events work."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin as if a scan cost nothing."""
        self._clock = clock
        self._scan_seconds = 0.0
        self._busy_until = 0.0
        self._failures = 0
        self.last_pass_seconds = 0.0
        self.due_at = clock()

    def note(self, batch: Batch, started: float, has_events: bool) -> None:
        """Remember how a pass went and say when the next scan is due."""
        now = self._clock()
        self.last_pass_seconds = now - started
        self._failures = self._failures + 1 if batch.error else 0
        if batch.report.has_news:
            self._busy_until = now + _BUSY_FOR_SECONDS
        elif batch.is_scan:  # one that read nothing tells what a scan costs
            self._scan_seconds = now - started
        if batch.error:
            self.due_at = now + min(2.0 ** (self._failures - 1), _MAX_PAUSE_SECONDS)
        elif batch.is_scan:
            self.due_at = now + self._interval(has_events, now)

    def _interval(self, has_events: bool, now: float) -> float:
        if not has_events and now < self._busy_until:
            return max(_BUSY_POLL_SECONDS, _BUSY_POLL_PER_SCAN * self._scan_seconds)
        slow = max(MIN_POLL_SECONDS, POLL_PER_SCAN * self._scan_seconds)
        return min(slow, MAX_POLL_SECONDS)

    @property
    def is_failing(self) -> bool:
        """Whether the last pass failed: then nothing but time starts the next one."""
        return self._failures > 0


def watch(
    job: Watched, world: World, pace: Pace | None = None, *, is_once: bool = False
) -> Iterator[Batch]:
    """Yield a batch per pass, the first at once, until the world says that it has ended."""
    pace = pace or Pace(world.clock)
    hints: Hints = EVERYTHING
    tags, number = RunningTags(job.database, job.tagger), 0
    while hints or not world.has_ended():
        started = world.clock()
        number += 1
        if hints.is_everything:
            world.source.refresh()
        batch = _pass(job, hints, world, tags)._replace(number=number)
        world.source.note_pass(batch.report.has_news, hints.is_silent)
        pace.note(batch, started, not world.source.reason)
        world.alive()
        yield batch
        if is_once or (world.has_ended() and (batch.error or batch.is_scan)):
            return
        hints = _next_hints(world, pace)


def _next_hints(world: World, pace: Pace) -> Hints:
    """Wait for events, a burst to its end, or the next scan; after the end what is left."""
    while not world.has_ended():
        left = pace.due_at - world.clock()
        if left <= 0 or left > MAX_POLL_SECONDS:  # the second: the clock was set back
            return EVERYTHING if world.source.take() else DUE
        if pace.is_failing:
            world.source.take()
            world.sleep(min(left, 1.0))
        elif world.source.wait(min(left, world.longest_wait)):
            hints = _burst(world, pace)
            if hints:
                return hints
        world.alive()
    return Hints() if pace.is_failing else world.source.take()


def _burst(world: World, pace: Pace) -> Hints:
    """Take hints until none came for a moment; slow passes wait longer, so a core stays free."""
    quiet = min(max(BURST_SECONDS, pace.last_pass_seconds), MAX_WAIT_SECONDS)
    until = world.clock() + MAX_WAIT_SECONDS
    hints = world.source.take()
    while hints and not world.has_ended() and world.clock() < until:
        world.sleep(quiet)
        more = world.source.take()
        if not more:
            break
        hints = Hints(
            hints.files | more.files,
            hints.folders | more.folders,
            hints.is_everything or more.is_everything,
        )
    return hints


def _pass(job: Watched, hints: Hints, world: World, tags: RunningTags) -> Batch:
    """Read what has changed; a failure that may pass is told in the batch."""

    def on_progress(_: Progress) -> None:
        world.alive()
        if world.has_ended():
            raise EndedError("told to end")

    log_files = changed_log_files(hints, job.roots)
    is_scan = log_files is None
    try:
        if log_files is None:
            report = sync(job.database, job.roots, on_progress)
        else:
            report = sync_files(job.database, log_files, on_progress)
        tagged = tags.after_pass(report.operations, is_scan=is_scan)
    except EndedError:
        return Batch(0, is_scan, SyncReport())
    except (StoreError, sqlite3.Error, OSError) as error:
        _end_where_a_person_is_needed(job.database, error)
        return Batch(0, is_scan, SyncReport(), error=error_code(error))
    return Batch(0, is_scan, report, tagged)


def _end_where_a_person_is_needed(database: Path, error: Exception) -> None:
    """Raise NeedsPersonError for a database that is newer, not ours or damaged."""
    try:
        look_at(database)
    except StoreError as reason:
        if isinstance(reason.__context__, OSError | sqlite3.OperationalError):
            return  # it could not be opened just now
        raise NeedsPersonError(str(reason)) from None
    cause = error if isinstance(error, sqlite3.Error) else error.__cause__
    name = getattr(cause, "sqlite_errorname", None) or ""
    if isinstance(error, DamagedError) or name.startswith(_DAMAGE):
        raise NeedsPersonError(str(DamagedError())) from None


def error_code(error: BaseException) -> str:
    """Return a short code of an error: never its text, which may quote what was read."""
    cause = error.__cause__ if isinstance(error, StoreError) and error.__cause__ else error
    name = getattr(cause, "sqlite_errorname", None)
    if isinstance(name, str):
        return name
    if isinstance(cause, OSError) and cause.errno:
        import errno

        return errno.errorcode.get(cause.errno, "OSError")
    if isinstance(cause, ReplacedError):
        return "REPLACED"
    return "LOCKED" if isinstance(cause, StoreError) else type(cause).__name__
