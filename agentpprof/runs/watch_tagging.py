"""A model's tags while logs are watched: in a thread of its own, so that reading never waits.

Low priority: one request at a time. A server that is of no use is left alone for a minute, then
for twice as long each time, up to an hour.
"""

import sqlite3
import threading
from pathlib import Path

from agentpprof.config import with_model_server
from agentpprof.errors import AgentPprofError, UsageError
from agentpprof.option_groups import TagOptions
from agentpprof.runs.llm_server import LlmChoice
from agentpprof.runs.tagger_choice import read_tagger

_PAUSE_SECONDS = 0.2
_FIRST_PAUSE_SECONDS = 60.0
_LONGEST_PAUSE_SECONDS = 3600.0


class WatchTagging:
    """Tags what is new whenever it is woken, until it is stopped."""

    def __init__(self, database: Path, choice: LlmChoice) -> None:
        """Take what to tag and who does it; nothing happens before `wake`."""
        self._database, self._choice = database, choice
        self._kept_in = choice.tag_database(database, is_temporary=False)
        self._woken, self._stopped = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="llm-tags", daemon=True)
        self._is_done = threading.Event()
        self._untold = ""

    def wake(self) -> None:
        """Say that there may be something new."""
        self._is_done.clear()
        if not self._thread.is_alive() and not self._stopped.is_set():
            self._thread.start()
        self._woken.set()

    def finish(self) -> None:
        """Wait until what is there has been asked about."""
        while self._thread.is_alive() and not self._is_done.wait(_PAUSE_SECONDS):
            pass

    def take_error(self) -> str:
        """Return what went wrong since somebody asked last."""
        error, self._untold = self._untold, ""
        return error

    def stop(self, wait_seconds: float = 2.0) -> None:
        """End; what was answered is saved, a request under way is given up."""
        self._stopped.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(wait_seconds)

    def _run(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._stopped.is_set():
                return
            error = self._tag()
            self._is_done.set()
            if not error:
                pause = _FIRST_PAUSE_SECONDS
                continue
            self._untold = error
            self._stopped.wait(pause)
            self._woken.set()
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _tag(self) -> str:
        """Tag what is new; returns what went wrong."""
        from agentpprof.runs.llm_run import run_in_background

        try:
            report = run_in_background(
                self._database, self._choice, self._kept_in, self._stopped.is_set
            )
        except AgentPprofError as error:  # the database is busy or gone: the watcher says so too
            return str(error)
        except sqlite3.Error as error:
            return f"no tags by a model just now ({type(error).__name__})"
        return report.error


def read_watch_tagging(database: Path, options: TagOptions) -> WatchTagging | None:
    """Return the tagging that was asked for, None for rules alone; raises UsageError."""
    tagger = read_tagger(with_model_server(options))
    if tagger.llm is None:
        if options["tag_rules"] or options["no_builtin_tags"]:
            raise UsageError("watch tags by the built-in rules, and by a model with --tagger llm")
        return None
    if not tagger.saves:
        raise UsageError("watch keeps tags, so --no-cache contradicts it")
    return WatchTagging(database, tagger.llm)
