"""Signals in the middle of a long batch, readers that go away, clocks that jump, forks."""

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import PROGRAM, run
from watching import Logs, Script, prompts

from agentpprof.ingest import indexer
from agentpprof.ingest.watch import MAX_POLL_SECONDS, MIN_POLL_SECONDS, watch

PACKAGE = Path(__file__).parents[2] / "agentpprof"
# The command line with a batch that lasts half a minute, and says when it has begun.
SLOW_BATCH = """
import sys, time
from pathlib import Path
from agentpprof.store.writer import Writer
save = Writer._save_file
def save_slowly(self, read):
    save(self, read)
    Path(sys.argv[1]).touch()
    for _ in range(600):
        time.sleep(0.05)
Writer._save_file = save_slowly
from agentpprof.cli import main
main(sys.argv[2:])
"""


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(2):
        logs.append(number, f"prompt of {number}")
    return logs


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "store" / "agent.db"


# -------------------------------------------------------------------------- signals (F38)


@pytest.fixture
def slow(logs: Logs, database: Path, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Give a list for processes, which are ended with the test."""
    begun: list[subprocess.Popen[bytes]] = []
    yield begun
    for process in begun:
        process.kill()
        process.communicate()


def in_a_batch(command: tuple[str, ...], logs: Logs, database: Path) -> subprocess.Popen[bytes]:
    """Start a command and wait until it is in the middle of its first batch."""
    mark = logs.home / "begun"
    root = logs.home / "projects"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_BATCH, mark, *command, "--db", database, "--claude-root", root],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 20
    while not mark.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(
    ("command", "numbers", "code", "said"),
    [
        (("watch",), (signal.SIGTERM, signal.SIGTERM), 0, b""),
        (("watch",), (signal.SIGINT, signal.SIGINT), 0, b""),
        (("watch",), (signal.SIGHUP, signal.SIGTERM), 0, b""),
        (("watch",), (signal.SIGTERM,), 0, b""),  # the watcher itself breaks off
        (("index",), (signal.SIGINT,), 130, b"interrupted"),
        (("index",), (signal.SIGTERM,), -signal.SIGTERM, b""),
    ],
)
def test_a_signal_in_a_long_batch_rolls_it_back(
    logs: Logs,
    database: Path,
    slow: list[subprocess.Popen[bytes]],
    command: tuple[str, ...],
    numbers: tuple[int, ...],
    code: int,
    said: bytes,
) -> None:
    slow.append(in_a_batch(command, logs, database))
    started = time.monotonic()
    for number in numbers:
        slow[0].send_signal(number)
        time.sleep(0.2)
    _, err = slow[0].communicate(timeout=20)
    told = [line for line in err.splitlines() if line and b"a new database was made" not in line]
    seconds = time.monotonic() - started
    assert (slow[0].returncode, b"\n".join(told)) == (code, said)
    assert seconds < (2 if len(numbers) > 1 or command == ("index",) else 5)
    assert prompts(database) == []
    index = run("index", "--db", database, "--claude-root", logs.home / "projects")
    assert index.code == 0
    assert prompts(database) == ["prompt of 0", "prompt of 1"]


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_watcher_whose_reader_goes_away_ends_quietly(
    logs: Logs, database: Path, closed: str
) -> None:
    root = logs.home / "projects"
    run("index", "--db", database, "--claude-root", root)  # a new database would be told, too
    command = [PROGRAM, "watch", *(["--json"] if closed == "stdout" else [])]
    process = subprocess.Popen(
        [*command, "--db", database, "--claude-root", root],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        gone, other = process.stdout, process.stderr
        if closed == "stderr":
            gone, other = other, gone
        assert gone is not None
        assert other is not None
        gone.readline()
        gone.close()
        logs.append(0, "later")
        assert process.wait(timeout=20) == 0
        assert other.read() == b""
        other.close()
    finally:
        process.kill()
        process.wait()
    assert "later" in prompts(database)


@pytest.mark.parametrize("name", ["status", "sql", "search", "sessions"])
def test_a_pipe_that_is_closed_is_a_quiet_end(logs: Logs, database: Path, name: str) -> None:
    """A command that finds nobody to write to at all."""
    root = ("--claude-root", logs.home / "projects")
    assert run("index", "--db", database, *root).code == 0
    more = {"sql": ["select * from prompts"], "search": ["prompt"], "sessions": ["--all-projects"]}
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [PROGRAM, name, *more.get(name, []), "--db", database, *root],
        stdout=write_end,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(write_end)
    assert done.returncode == 0
    assert done.stderr == b""


# ---------------------------------------------------------------------------- clocks (F34)


@pytest.mark.parametrize("reason", ["", "a network mount"])
@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0, 1e9])
def test_the_watchers_clock_may_jump_either_way(
    logs: Logs, database: Path, seconds: float, reason: str
) -> None:
    """New lines are read as soon as ever, with events and without."""
    script, ahead, found = Script(reason=reason), [0.0], []

    def jump() -> None:
        ahead[0] = seconds
        script.told(logs.append(0, "later"))

    script.at(100.0, jump)
    script.at(100.0 + 2 * MAX_POLL_SECONDS, script.end)
    world = script.world()._replace(clock=lambda: script.now + ahead[0])
    for batch in watch(logs.watched(database), world):
        found += [script.now] * bool(batch.report.files_read)
    assert "later" in prompts(database)
    assert 100.0 <= found[-1] <= 100.0 + (MIN_POLL_SECONDS if reason else 1.0)


@pytest.mark.parametrize("year", [1970, 2100])
def test_the_clock_of_the_machine_decides_nothing(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    """Records, files and the machine disagree by decades; each line is stored once all the same."""
    now_ns = (year - 1970) * 31_557_600 * 10**9
    monkeypatch.setattr(indexer.time, "time_ns", lambda: now_ns)
    for number, seconds in enumerate((0, 4_102_444_800)):
        path = logs.append(number, "later")
        os.utime(path, (seconds, seconds))
    for _ in range(2):
        root = ("--claude-root", logs.home / "projects")
        assert run("index", "--db", database, *root).code == 0
        assert run("status", "--db", database, *root).code in (0, 3)
    assert prompts(database) == ["later", "later", "prompt of 0", "prompt of 1"]
    monkeypatch.undo()
    logs.append(0, "last")
    assert run("index", "--db", database, "--claude-root", logs.home / "projects").code == 0
    assert "last" in prompts(database)


# ------------------------------------------------------------------------------ forks (F58)

# Whoever starts threads or processes, and why that touches no connection of another one.
_MAY_START = {
    "service.py": {"subprocess"},  # systemctl and launchctl, by exec
    "commands/sql.py": {"threading"},  # a timer that ends the process
    "runs/watch_tagging.py": {"threading"},  # opens connections of its own
}
_FORKING = {"subprocess", "threading", "multiprocessing", "concurrent.futures", "_thread"}
_FORKS = {"fork", "forkpty", "posix_spawn", "spawnv", "system", "popen"}


def starters_of(source: str) -> set[str]:
    """Return the modules and calls by which a text starts processes or threads."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & _FORKING
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} & _FORKING
        elif isinstance(node, ast.Attribute) and node.attr in _FORKS:
            found.add(node.attr)
    return found


def test_no_connection_crosses_a_fork() -> None:
    """Nothing of ours forks; a child would share the parent's locks and transactions."""
    found = {
        str(path.relative_to(PACKAGE)): starters
        for path in sorted(PACKAGE.rglob("*.py"))
        if (starters := starters_of(path.read_text()))
    }
    assert found == _MAY_START


def test_a_fork_would_be_found() -> None:
    assert starters_of("import os\nos.fork()") == {"fork"}
    assert starters_of("from multiprocessing import Pool") == {"multiprocessing"}
    assert starters_of("import os\nos.getpid()") == set()
