"""T2: a kill at every system call that changes a file; T4: a call that fails instead.

After either, one more pass must give what an unbroken one gives, and the file must be sound.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from canonical import differences, dump_of
from tracing import SYNC, needs_strace, traced
from watching import Logs

from agentpprof.ingest.indexer import sync
from agentpprof.store.forgetting import Wish, forget

# Calls by which SQLite and we change files; each is stopped at its first, second, third ... time.
CALLS = ("pwrite64", "fdatasync", "ftruncate", "unlink")
# 1 kills at every single one, which takes some minutes.
STRIDE = int(os.environ.get("AGENTPPROF_KILL_STRIDE", "3"))
# Two transactions instead of one: the checkpoint first, the rows later.
TWO_TRANSACTIONS = """
import sys
from agentpprof.store.rows import FileRows
from agentpprof.store.writer import Writer
whole = Writer.save
def save(self, reads):
    whole(self, [read._replace(rows=FileRows()) for read in reads])
    connection = self._connection
    connection.execute("begin immediate")
    for read in reads:
        (file_id,) = connection.execute("select id from log_file").fetchone()
        self._save_sessions(read.rows, file_id, "claude")
        self._operations.save(read.rows, self._numbers, (file_id, 1), self._rereading)
    connection.execute("commit")
Writer.save = save
"""


class Case:
    """A home before and after it grew, with the database of each."""

    def __init__(self, folder: Path, *, is_first: bool) -> None:
        self.folder = folder
        self.logs = Logs(folder / "home")
        self.before = folder / "before.db"
        if not is_first:
            self.grow(1)
            sync(self.before, self.logs.watched(self.before).roots)
        self.grow(4)
        self.expected = folder / "expected.db"
        sync(self.expected, self.logs.watched(self.expected).roots)
        self.dump = dump_of(self.expected)
        self.database = folder / "work" / "agent.db"

    def grow(self, lines: int) -> None:
        for number in range(2):
            for line in range(lines):
                self.logs.append(number, f"prompt {line} of {number}")

    def reset(self) -> None:
        shutil.rmtree(self.database.parent, ignore_errors=True)
        self.database.parent.mkdir()
        if self.before.exists():
            shutil.copyfile(self.before, self.database)

    def faults(self) -> list[str]:
        """Say what is wrong after one more pass."""
        sync(self.database, self.logs.watched(self.database).roots)
        with closing(sqlite3.connect(self.database)) as connection:
            sound = connection.execute("pragma integrity_check").fetchone()[0]
        found = [] if sound == "ok" else [sound]
        return found + differences(self.dump, dump_of(self.database))


def sweep(case: Case, call: str, stride: int, code: str = SYNC) -> tuple[int, list[str]]:
    """Kill at every `stride`-th such call until a run ends unharmed."""
    kills, when, faults = 0, 1, []
    while True:
        case.reset()
        inject = ("-e", f"inject={call}:signal=KILL:when={when}")
        ran = traced(case.database, case.logs.home, inject, code)
        faults += [f"{call} {when}: {fault}" for fault in case.faults()]
        if not ran.was_hit:
            return kills, faults
        assert ran.code == -signal.SIGKILL, ran.err  # else this would go on for ever
        kills, when = kills + 1, when + stride


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_kill_while_lines_are_added(tmp_path: Path, call: str) -> None:
    kills, faults = sweep(Case(tmp_path, is_first=False), call, STRIDE if call[0] == "p" else 1)
    assert not faults
    assert kills


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync"])
def test_a_kill_in_the_first_start(tmp_path: Path, call: str) -> None:
    kills, faults = sweep(
        Case(tmp_path, is_first=True), call, 4 * STRIDE if call[0] == "p" else STRIDE
    )
    assert not faults
    assert kills


@needs_strace
@pytest.mark.slow
def test_two_transactions_are_not_enough(tmp_path: Path) -> None:
    """The control: offsets and rows apart lose lines at some kill."""
    _, faults = sweep(Case(tmp_path, is_first=False), "fdatasync", 1, TWO_TRANSACTIONS + SYNC)
    assert faults


@pytest.mark.slow
def test_kills_at_random_moments_of_a_first_load(tmp_path: Path) -> None:
    case, chance = Case(tmp_path, is_first=True), random.Random(3)
    killed = 0
    for _ in range(12):
        case.reset()
        arguments = [sys.executable, "-c", SYNC, case.database, case.logs.home]
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0.1, 0.6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        assert not case.faults()
    assert killed


FORGET = """
import sys
from pathlib import Path
from agentpprof.store.forgetting import Wish, forget
forget(Path(sys.argv[1]), Wish(session_id="session-1"))
"""


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync"])
def test_a_kill_while_something_is_forgotten(tmp_path: Path, call: str) -> None:
    """All of it or nothing, and once more does it."""
    case = Case(tmp_path, is_first=False)
    shutil.copyfile(case.expected, case.before)
    kills, when = 0, 1
    while True:
        case.reset()
        inject = ("-e", f"inject={call}:signal=KILL:when={when}")
        ran = traced(case.database, case.logs.home, inject, FORGET)
        with closing(sqlite3.connect(case.database)) as connection:
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
            left = connection.execute("select count(*) from operation").fetchone()[0]
        assert left in (5, 10)
        forget(case.database, Wish(session_id="session-1"))
        files = case.database.parent.glob("agent.db*")
        assert not any(b" of 1" in path.read_bytes() for path in files)
        if not ran.was_hit:
            break
        kills, when = kills + 1, when + (12 * STRIDE if call == "pwrite64" else STRIDE)
    assert kills


# ------------------------------------------------------------------------- calls that fail (T4)


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "error"),
    [("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("ftruncate", "ENOSPC")],
)
def test_a_failing_call_costs_nothing(tmp_path: Path, call: str, error: str) -> None:
    case = Case(tmp_path, is_first=False)
    hits = 0
    for when in (1, 2, 3, 5, 8):
        case.reset()
        inject = ("-e", f"inject={call}:error={error}:when={when}+", "-P", str(case.database))
        wal = ("-P", f"{case.database}-wal", "-P", f"{case.database}-shm")
        ran = traced(case.database, case.logs.home, (*inject, *wal))
        hits += ran.was_hit
        assert not case.faults()
    assert hits or call == "ftruncate"  # the log and its index need not be cut


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("error", ["EIO", "ESTALE"])
def test_a_log_that_can_not_be_read_costs_only_itself(tmp_path: Path, error: str) -> None:
    case = Case(tmp_path, is_first=False)
    case.reset()
    path = case.logs.sessions[0].path(case.logs.home)
    inject = ("-e", f"inject=pread64:error={error}", "-P", str(path))
    assert traced(case.database, case.logs.home, inject).code == 0
    with closing(sqlite3.connect(case.database)) as connection:
        rows = connection.execute("select count(*) from operation").fetchone()[0]
    assert rows == 2 + 4  # what was there, and the other log's lines
    assert not case.faults()


@needs_strace
@pytest.mark.slow
def test_no_file_descriptors_left_for_logs(tmp_path: Path) -> None:
    case = Case(tmp_path, is_first=False)
    case.reset()
    paths = [str(log.path(case.logs.home)) for log in case.logs.sessions.values()]
    inject = ["-e", "inject=openat:error=EMFILE", *(x for path in paths for x in ("-P", path))]
    assert traced(case.database, case.logs.home, inject).code == 0
    assert not case.faults()


@needs_strace
@pytest.mark.slow
def test_logs_are_only_ever_opened_for_reading(tmp_path: Path) -> None:
    case = Case(tmp_path, is_first=True)
    case.reset()
    log = tmp_path / "calls"
    options = ["-e", "trace=openat,openat2,open,flock,fcntl,utimensat,unlink,rename,ftruncate"]
    command = ["strace", "-f", "-qq", "-y", "-o", log, *options, sys.executable, "-c", SYNC]
    subprocess.run([*command, case.database, case.logs.home], check=True, timeout=120)
    told = [line for line in log.read_text().splitlines() if ".jsonl" in line]
    assert told
    assert all("O_RDONLY" in line and "openat" in line for line in told)
