"""Run Python over a database again and again, stopped at one system call later each time."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tracing import traced

KILL = "signal=KILL:when={when}"
NO_SPACE = "error=ENOSPC:when={when}+"
# 1 stops at every single call, which takes some minutes.
_STRIDE = int(os.environ.get("AGENTPPROF_KILL_STRIDE", "3"))
# Calls that change files, each with how many of them are passed over, times the stride above.
_KILLED = {"pwrite64": 20, "fdatasync": 1, "fsync": 0, "ftruncate": 0, "unlink": 0, "rename": 0}
_REFUSED = {"pwrite64": 20, "ftruncate": 0, "rename": 0}  # those that a full disk refuses


class Store:
    """A folder with a database that is put back as it was before each run."""

    def __init__(self, place: Path, first: Path) -> None:
        """Remember where, and the database to begin with."""
        self.place, self.first = place, first
        self.database = place / "agent.db"
        self.extra: dict[str, Path] = {}  # other files by name, with their content

    def reset(self) -> None:
        """Put everything back."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(mode=0o700)
        shutil.copyfile(self.first, self.database)
        for name, path in self.extra.items():
            shutil.copyfile(path, self.place / name)

    def stopped_at(self, code: str, fault: str) -> Iterator[str]:
        """Yield after each run that was stopped one step later, and after those that end.

        The code finds the database and the folder in `sys.argv`.
        """
        hits = 0
        for call, passed_over in (_KILLED if fault == KILL else _REFUSED).items():
            when, was_hit = 1, True
            while was_hit:
                self.reset()
                inject = ("-e", f"inject={call}:{fault.format(when=when)}")
                was_hit = traced(self.database, self.place, inject, code).was_hit
                hits += was_hit
                yield f"{call} {when}"
                when += passed_over * _STRIDE or 1
        assert hits
