"""A scripted world for the watcher: time that moves only when told, events that come on cue."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from builders import ClaudeSession, Record, encode_log

from agentpprof.ingest.discover import Root
from agentpprof.ingest.events import Hints
from agentpprof.ingest.watch import Batch, Watched, World, watch

Action = Callable[[], None]


class Script:
    """Clock, sleep and event source in one; an action at its time may write logs and tell of it."""

    def __init__(self, *, reason: str = "", has_events: bool = True) -> None:
        """Begin at zero; without events nothing that happens is told."""
        self.now = 0.0
        self.reason = reason
        self.has_events = has_events and not reason
        self.has_ended = False
        self.pending = Hints()
        self.actions: list[tuple[float, Action]] = []
        self.passes: list[tuple[bool, bool]] = []
        self.waits = self.refreshed = self.alive = 0

    def at(self, time: float, action: Action) -> None:
        """Do something at a time."""
        self.actions.append((time, action))
        self.actions.sort(key=lambda each: each[0])

    def end(self) -> None:
        """Let the watcher end."""
        self.has_ended = True

    def told(self, path: Path, *, is_folder: bool = False) -> None:
        """Let events tell of a path, where there are events."""
        if self.has_events:
            found = self.pending.folders if is_folder else self.pending.files
            more = frozenset({str(path)}) | found
            name = "folders" if is_folder else "files"
            self.pending = self.pending._replace(**{name: more})

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass, with what happens meanwhile."""
        until = self.now + seconds
        while self.actions and self.actions[0][0] <= until:
            self._do_next()
        self.now = max(self.now, until)

    def _do_next(self) -> None:
        time, action = self.actions.pop(0)
        self.now = max(self.now, time)
        action()

    def wait(self, seconds: float) -> bool:
        """Let time pass until something is told."""
        self.waits += 1
        until = self.now + seconds
        while not self.pending and not self.has_ended:
            if not self.actions or self.actions[0][0] > until:
                self.now = until
                return False
            self._do_next()
        return True

    def take(self) -> Hints:
        """Return what was told."""
        taken, self.pending = self.pending, Hints()
        return taken

    def wake(self) -> None:
        """Nothing waits here."""

    def refresh(self) -> None:
        """Count."""
        self.refreshed += 1

    def note_pass(self, has_read: bool, is_silent: bool) -> None:
        """Remember what the real one would learn from."""
        self.passes.append((has_read, is_silent))

    def close(self) -> None:
        """Nothing to stop."""

    def is_alive(self) -> None:
        """Count."""
        self.alive += 1

    def world(self) -> World:
        """Return what the watcher gets."""
        return World(self, self.clock, self.sleep, lambda: self.has_ended, self.is_alive)


class Logs:
    """A home of Claude Code that grows line by line."""

    def __init__(self, home: Path) -> None:
        """Begin without a log."""
        self.home = home
        self.sessions: dict[int, ClaudeSession] = {}
        (home / "projects").mkdir(parents=True)

    def append(self, number: int, words: str, *, tail: bytes = b"") -> Path:
        """Append one prompt to a session's log."""
        known = self.sessions.get(number)
        log = known or ClaudeSession(f"session-{number}", cwd=f"/home/dev/p{number}")
        self.sessions[number] = log
        record = log.user(words)
        return self.write(log.path(self.home), [record], tail)

    @staticmethod
    def write(path: Path, records: list[Record], tail: bytes = b"") -> Path:
        """Append records to a log."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(encode_log(records) + tail)
        return path

    def watched(self, database: Path) -> Watched:
        """Return the job of a watcher over this home."""
        return Watched(database, tuple(self.watched_roots(self.home)))

    @staticmethod
    def watched_roots(home: Path) -> list[Root]:
        """Return where the logs of a home lie."""
        return [Root("claude", str(home / "projects"))]


def prompts(database: Path) -> list[str]:
    """Return the prompts in a database, sorted."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute("select text from operation where op = 0").fetchall()
    return sorted(text for (text,) in rows)


def batches(job: Watched, script: Script, seconds: float) -> Iterator[tuple[float, Batch]]:
    """Watch for a while; yields each pass with its time."""
    script.at(seconds, script.end)
    for batch in watch(job, script.world()):
        yield script.now, batch
