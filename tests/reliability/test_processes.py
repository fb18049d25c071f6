"""Faults that other processes and the machine make: locks, limits, full disks, lost rights, links.

T5 (full disk), T6 (no watches, lost events), T7 (another user), T8 (two processes, locks).
"""

import gc
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from canonical import differences, dump_of
from command_line import PROGRAM, installed, run
from namespaces import needs_namespaces, obey_permissions
from tracing import SYNC
from watching import Logs, prompts

from agentpprof.errors import StoreError
from agentpprof.ingest import reader
from agentpprof.ingest.indexer import sync
from agentpprof.store import database as database_module
from agentpprof.store.database import look_at, opened_for_reading
from agentpprof.store.health import read_health
from agentpprof.store.maintenance import backup
from agentpprof.store.watch_lock import is_watched


def index(logs: Logs, database: Path) -> None:
    sync(database, logs.watched(database).roots)


# ---------------------------------------------------------------------- two processes (F47, F49)


def test_four_writers_at_once_give_what_one_gives(
    logs: Logs, database: Path, tmp_path: Path
) -> None:
    index(logs, tmp_path / "expected.db")
    for _ in range(2):
        started = [
            subprocess.Popen(
                [sys.executable, "-c", SYNC, database, logs.home], stderr=subprocess.PIPE
            )
            for _ in range(4)
        ]
        ends = [process.communicate()[1] for process in started]
        assert [process.returncode for process in started] == [0] * 4, ends
        assert not differences(dump_of(tmp_path / "expected.db"), dump_of(database))
        for path in database.parent.iterdir():
            path.unlink()


def locked_bytes(database: Path) -> set[tuple[str, int]]:
    """Return (inode, byte) of what this process has locked in a database and its sidecars.

    Bytes, not locks: the system tells neighbours of one process as one lock.
    """
    inodes = {str(path.stat().st_ino) for path in database.parent.glob(f"{database.name}*")}
    found = set()
    for line in Path("/proc/locks").read_text().splitlines():
        _, kind, _, _, holder, file, start, end = line.replace("-> ", "").split()[:8]
        inode = file.rpartition(":")[2]
        if kind == "POSIX" and holder == str(os.getpid()) and inode in inodes and end != "EOF":
            found |= {(inode, byte) for byte in range(int(start), int(end) + 1)}
    return found


@contextmanager
def holding(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("pragma locking_mode = normal")
        connection.execute("begin immediate")
        connection.execute("update meta set value = value where key = 'generation'")
        yield connection
        connection.execute("rollback")


LOOKS: list[Callable[[Path], object]] = [
    look_at,
    read_health,
    is_watched,
    lambda database: backup(database, database.with_name("copy")),
    lambda database: run("status", "--db", database),
    lambda database: run("doctor", "--deep", "--db", database),
]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="no list of locks here")
@pytest.mark.parametrize("look", LOOKS)
def test_no_call_of_ours_drops_sqlites_locks(
    logs: Logs, database: Path, look: Callable[[Path], object]
) -> None:
    index(logs, database)
    gc.collect()  # a connection that indexing left open goes now, not between the two looks
    with holding(database):
        before = locked_bytes(database)
        assert before
        look(database)
        assert locked_bytes(database) >= before


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="no list of locks here")
def test_opening_the_file_by_hand_drops_them(logs: Logs, database: Path) -> None:
    """The control: the reason why nothing of ours opens these files."""
    index(logs, database)
    with holding(database):
        before = locked_bytes(database)
        (database.with_name(database.name + "-shm")).read_bytes()
        assert locked_bytes(database) < before


def test_a_foreign_lock_is_waited_for_then_told(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(logs, database)
    logs.append(0, "later")
    monkeypatch.setattr(database_module, "_BUSY_SECONDS", 0.1)
    with holding(database), pytest.raises(StoreError, match="SQLITE_BUSY"):
        index(logs, database)
    assert "later" not in prompts(database)
    index(logs, database)
    assert "later" in prompts(database)


def test_the_lock_is_not_inherited(database: Path) -> None:
    """A child that outlives its parent must not keep the lock."""
    code = (
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from agentpprof.store.watch_lock import watch_lock\n"
        "with watch_lock(Path(sys.argv[1])):\n"
        "    child = subprocess.Popen(['sleep', '20'], close_fds=False, stdout=-3, stderr=-3)\n"
        "    print(child.pid)\n"
    )
    arguments = [sys.executable, "-c", code, database]
    child = int(subprocess.run(arguments, capture_output=True, check=True, timeout=30).stdout)
    try:
        from agentpprof.store.watch_lock import watch_lock

        with watch_lock(database):
            pass
    finally:
        os.kill(child, signal.SIGTERM)


# ------------------------------------------------------------------------ limits and full disks


def test_a_limit_of_file_size_rolls_the_batch_back(
    logs: Logs, database: Path, tmp_path: Path
) -> None:
    index(logs, database)
    before = dump_of(database)
    for line in range(200):
        logs.append(line % 3, f"later {line} " + "x" * 2000)
    limits = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (300_000, 300_000))
    arguments = ("watch", "--once", "--db", database, "--claude-root", logs.home / "projects")
    ran = installed(*arguments, preexec_fn=limits)
    assert ran.code == 1, ran.err
    assert "SQLITE_" in ran.err
    assert not differences(before, dump_of(database))
    index(logs, database)
    index(logs, tmp_path / "expected.db")
    assert not differences(dump_of(tmp_path / "expected.db"), dump_of(database))


@needs_namespaces
def test_a_full_disk_heals_by_itself(logs: Logs, tmp_path: Path) -> None:
    """A watcher's passes on a full disk fail, reads go on, and space is all it takes."""
    for line in range(300):
        logs.append(line % 3, f"later {line} " + "x" * 4000)
    script = f"""
set -e
mount -t tmpfs -o size=1m none {tmp_path}/disk
cd {tmp_path}/disk
run="{PROGRAM} watch --once --db agent.db --claude-root {logs.home}/projects"
$run --quiet && echo unexpected || echo full $?
{PROGRAM} status --json --db agent.db --claude-root {logs.home}/projects > status || true
mount -o remount,size=64m {tmp_path}/disk
$run --quiet && echo healed
cp agent.db {tmp_path}/agent.db
"""
    (tmp_path / "disk").mkdir()
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script], capture_output=True, text=True, timeout=120
    )
    assert "full 1" in done.stdout, (done.stdout, done.stderr)
    assert "healed" in done.stdout, (done.stdout, done.stderr)
    assert len(prompts(tmp_path / "agent.db")) == 309


def test_too_little_memory_leaves_no_half_row(logs: Logs, database: Path, tmp_path: Path) -> None:
    index(logs, database)
    before = dump_of(database)
    with logs.sessions[0].path(logs.home).open("ab") as stream:
        stream.write(b'{"type":"user","x":"' + b"y" * 60_000_000 + b'"}\n')
    arguments = ("watch", "--once", "--db", database, "--claude-root", logs.home / "projects")
    codes = set()
    for mebibytes in range(90, 200, 20):
        limit = mebibytes * 1024 * 1024
        limits = partial(resource.setrlimit, resource.RLIMIT_AS, (limit, limit))
        ran = installed(*arguments, preexec_fn=limits)
        codes.add(ran.code)
        if "there is not enough memory" in ran.err:
            codes.add("told")
            assert not differences(before, dump_of(database))
    assert "told" in codes, codes
    index(logs, database)
    index(logs, tmp_path / "expected.db")
    found, wanted = dump_of(database), dump_of(tmp_path / "expected.db")
    for table in ("tag", "tagger"):  # the command tags, a bare pass does not
        del found[table], wanted[table]
    assert not differences(wanted, found)


# ------------------------------------------------------------------------------- watches, events


@needs_namespaces
@pytest.mark.slow
def test_without_watches_left_it_polls_and_says_so(logs: Logs, database: Path) -> None:
    for number in range(20):
        (logs.home / "projects" / f"-p{number}").mkdir()
    code = (
        "import sys; from agentpprof.ingest.events import open_events\n"
        "from agentpprof.ingest.discover import Root\n"
        "source = open_events([Root('claude', sys.argv[1])])\n"
        "print(source.reason); source.close()"
    )
    place = logs.home / "projects"
    inner = f'{sys.executable} -c "$0" {place}'
    for limit, said in (("10", "no watches left"), ("1000", "")):
        script = f"echo {limit} > /proc/sys/user/max_inotify_watches && {inner}"
        done = subprocess.run(
            ["unshare", "-Ur", "sh", "-c", script, code],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stdout.strip() == said, done.stderr
    script = f"echo 0 > /proc/sys/user/max_inotify_instances && {inner}"
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", script, code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "no event queues left", done.stderr


@pytest.mark.slow
def test_a_watcher_that_was_stopped_catches_up_once(logs: Logs, database: Path) -> None:
    """What came while it slept, more than its queue can hold, is all there afterwards."""
    arguments = ["watch", "--json", "--db", database, "--claude-root", logs.home / "projects"]
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        folder = logs.sessions[0].path(logs.home).parent
        for number in range(17_000):  # the queue holds 16,384
            (folder / f"{number}.tmp").touch()
        for burst in range(40):
            for number in range(3):
                logs.append(number, f"burst {burst} of {number}")
        process.send_signal(signal.SIGCONT)
        deadline = time.monotonic() + 45
        while len(prompts(database)) < 9 + 120:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate()


# --------------------------------------------------------------------------------- another user


def test_rights_lost_and_given_back(logs: Logs, database: Path) -> None:
    path = logs.sessions[1].path(logs.home)
    path.chmod(0)
    arguments = ("index", "--db", database, "--claude-root", logs.home / "projects")
    assert installed(*arguments, preexec_fn=obey_permissions).code == 0
    assert len(prompts(database)) == 6
    path.chmod(0o644)
    assert installed(*arguments, preexec_fn=obey_permissions).code == 0
    assert len(prompts(database)) == 9


def test_hardly_any_environment_is_needed(logs: Logs, database: Path) -> None:
    root = ("--db", database, "--claude-root", logs.home / "projects")
    for command in (("index",), ("watch", "--once"), ("status",)):
        done = subprocess.run(
            [PROGRAM, *command, *root], env={}, capture_output=True, text=True, timeout=60
        )
        assert done.returncode in (0, 3), done.stderr
    assert len(prompts(database)) == 9


def test_a_log_that_grows_faster_than_it_is_read_stops_nobody(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_pieces = reader.read_pieces

    def read_and_grow(*arguments: Any) -> Iterator[reader.Piece]:
        for number, piece in enumerate(read_pieces(*arguments)):
            assert number < 100
            logs.append(0, "more")
            yield piece

    monkeypatch.setattr(reader, "read_pieces", read_and_grow)
    index(logs, database)
    assert len(prompts(database)) < 20
    monkeypatch.undo()
    index(logs, database)
    assert len(prompts(database)) == sum(len(x.records) for x in logs.sessions.values())


# ------------------------------------------------------------------------- readers, forks, links


def test_a_long_reader_stops_no_writer(logs: Logs, database: Path) -> None:
    index(logs, database)
    with opened_for_reading(database) as reader:
        reader.execute("begin")
        before = reader.execute("select count(*) from operation").fetchone()
        logs.append(0, "later")
        index(logs, database)
        assert reader.execute("select count(*) from operation").fetchone() == before
        reader.execute("commit")
    assert "later" in prompts(database)


def test_a_database_taken_away_between_two_passes_is_never_written_unlinked(
    logs: Logs, database: Path
) -> None:
    index(logs, database)
    kept = database.with_name("kept.db")
    database.rename(kept)
    logs.append(0, "later")
    index(logs, database)
    assert "later" in prompts(database)
    assert "later" not in prompts(kept)
