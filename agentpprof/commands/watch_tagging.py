"""A model's tags while logs are watched: in a thread of its own, so that reading never waits.

Low priority: one request at a time. A server that is of no use is left alone for a minute, then
for twice as long each time, up to an hour.
"""

import threading
from pathlib import Path

from agentpprof.commands.llm_server import LlmChoice
from agentpprof.errors import AgentPprofError

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
        self.error = ""  # what went wrong last
        self.tagged = 0

    def wake(self) -> None:
        """Say that there may be something new."""
        if not self._thread.is_alive() and not self._stopped.is_set():
            self._thread.start()
        self._woken.set()

    def stop(self, wait_seconds: float = 2.0) -> None:
        """End; what was answered is saved, a request under way is given up."""
        self._stopped.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(wait_seconds)

    def _run(self) -> None:
        from agentpprof.commands.llm_run import run_in_background

        pause = _FIRST_PAUSE_SECONDS
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._stopped.is_set():
                return
            try:
                report = run_in_background(
                    self._database, self._choice, self._kept_in, self._stopped.is_set
                )
                self.error, self.tagged = report.error, self.tagged + report.tagged
            except AgentPprofError as error:  # the database is busy or gone: the watcher says so
                self.error = str(error)
            if self.error:
                self._stopped.wait(pause)
                self._woken.set()
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            else:
                pause = _FIRST_PAUSE_SECONDS
