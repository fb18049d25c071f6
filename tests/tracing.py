"""Run a piece of Python under strace: kill it at a system call, make a call fail, or record all.

Used where a fault must come at exactly one place. Without strace, or where tracing is forbidden,
tests skip with a reason.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

REASON = "strace is not there, or may not trace here"
_LINE = re.compile(
    r"^(?:\[pid +\d+\] )?(?:\d+ +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\w+)"
)
_PRELUDE = """
import sys
from pathlib import Path
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
database, home = Path(sys.argv[1]), sys.argv[2]
roots = [Root("claude", home + "/projects")]
"""
SYNC = _PRELUDE + "sync(database, roots)\n"


class Ran(NamedTuple):
    """How a traced run ended."""

    code: int
    err: str

    @property
    def was_hit(self) -> bool:
        """Whether the fault came: a kill, or an error that was told."""
        return self.code != 0


@cache
def can_trace() -> bool:
    """Say whether strace is there and may trace."""
    place = shutil.which("strace")
    if place is None:
        return False
    done = subprocess.run([place, "-o", os.devnull, "true"], capture_output=True, timeout=30)
    return done.returncode == 0


needs_strace = pytest.mark.skipif(not can_trace(), reason=REASON)


def traced(
    database: Path, home: Path, options: Sequence[str], code: str = SYNC, *, follow: bool = True
) -> Ran:
    """Run a piece of Python over a database and a home under strace."""
    command = ["strace", *(["-f"] if follow else []), "-qq", "-o", os.devnull, *options]
    done = subprocess.run(
        [*command, sys.executable, "-c", code, str(database), str(home)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Ran(done.returncode, done.stderr)


class Call(NamedTuple):
    """One system call as it was recorded."""

    name: str
    arguments: str
    result: int


def recorded(database: Path, home: Path, calls: str, code: str, log: Path) -> Iterator[Call]:
    """Yield the system calls of a run, with all bytes that were written."""
    command = ["strace", "-f", "-qq", "-y", "-xx", "-s", "80000", "-e", f"trace={calls}"]
    subprocess.run(
        [*command, "-o", log, sys.executable, "-c", code, str(database), str(home)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    for line in log.read_text(errors="replace").splitlines():
        found = _LINE.match(line)
        if found and found["result"].lstrip("-").isdigit():
            yield Call(found["name"], found["arguments"], int(found["result"]))
