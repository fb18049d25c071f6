"""`watch`: the loop with a scripted clock, then the real one as a process."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command_line import PROGRAM, run
from watching import Logs, Script, batches, prompts

from agentpprof.errors import StoreError
from agentpprof.ingest.events import FileEvents
from agentpprof.ingest.watch import NeedsPersonError
from agentpprof.store.watch_lock import (
    WatchNote,
    digest_of_roots,
    is_watched,
    lock_path,
    read_note,
    watch_lock,
)


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path / "home")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


def test_an_event_is_read_within_a_moment(logs: Logs, database: Path) -> None:
    script = Script()
    script.at(5.0, lambda: script.told(logs.append(1, "one")))
    found = list(batches(logs.watched(database), script, 20))
    read = [(at, batch) for at, batch in found if batch.report.files_read]
    assert len(read) == 1
    assert not read[0][1].is_scan
    assert 5.0 < read[0][0] < 5.3
    assert prompts(database) == ["one"]
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("select count(*) from tag").fetchone() == (1,)


def test_a_lost_event_is_found_by_the_next_scan(logs: Logs, database: Path) -> None:
    script = Script(has_events=False)
    script.at(5.0, lambda: logs.append(1, "one") and None)
    found = [at for at, batch in batches(logs.watched(database), script, 100) if batch.is_scan]
    assert prompts(database) == ["one"]
    assert found[:2] == [0.0, pytest.approx(30.0, abs=0.1)]


def test_events_that_never_come_are_given_up(logs: Logs, database: Path) -> None:
    script = Script(has_events=False)
    for step in range(3):
        script.at(40.0 * step + 5, lambda: logs.append(1, "one") and None)
    list(batches(logs.watched(database), script, 200))
    assert script.passes.count((True, True)) == 3  # scans that found what no event told of
    source = FileEvents(logs.watched(database).roots)
    try:
        source.note_pass(True, True)
        source.note_pass(False, True)  # nothing was there to be told of
        source.note_pass(True, False)
        source.note_pass(True, True)
        assert source.reason == ""
        source.note_pass(True, True)
        assert source.reason == "no events come"
    finally:
        source.close()


def test_a_burst_is_one_batch_and_an_endless_one_is_read_all_the_same(
    logs: Logs, database: Path
) -> None:
    script = Script()
    for step in range(4):
        script.at(5.0 + step * 0.02, lambda: script.told(logs.append(1, "x")))
    for step in range(300):
        script.at(10.0 + step * 0.01, lambda: script.told(logs.append(2, "y")))
    found = [
        (at, batch)
        for at, batch in batches(logs.watched(database), script, 20)
        if batch.report.files_read
    ]
    assert len([at for at, _ in found if at < 9]) == 1
    endless = [at for at, _ in found if at > 9]
    assert endless[0] < 10.4
    assert max(later - at for at, later in pairwise(endless)) < 0.5
    assert len(prompts(database)) == 304


def test_idle_costs_a_scan_now_and_then(logs: Logs, database: Path) -> None:
    script = Script()
    found = list(batches(logs.watched(database), script, 3600))
    assert len(found) <= 3600 / 30 + 2
    assert script.waits <= 2 * len(found)


def test_polling_is_frequent_only_while_logs_grow(logs: Logs, database: Path) -> None:
    script = Script(reason="a folder lies on nfs4")
    script.at(100.0, lambda: logs.append(1, "one") and None)
    found = [at for at, _ in batches(logs.watched(database), script, 3600)]
    quiet = [at for at in found if at < 100 or at > 800]
    assert len(quiet) <= 2800 / 30 + 8
    assert len(found) - len(quiet) > 250  # every two seconds


def test_a_new_folder_is_looked_into(logs: Logs, database: Path) -> None:
    script = Script()

    def make() -> None:
        path = logs.append(1, "one")
        script.told(path.parent, is_folder=True)

    script.at(3.0, make)
    read = [b for _, b in batches(logs.watched(database), script, 10) if b.report.files_read]
    assert [batch.is_scan for batch in read] == [False]
    assert prompts(database) == ["one"]


def test_what_was_told_before_the_end_is_still_read(logs: Logs, database: Path) -> None:
    script = Script()

    def append_and_end() -> None:
        script.told(logs.append(1, "last words"))
        script.end()

    script.at(3.0, append_and_end)
    list(batches(logs.watched(database), script, 10))
    assert prompts(database) == ["last words"]


def test_the_end_comes_between_two_batches(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentpprof.ingest.indexer.BATCH_ROWS", 10)  # and so one file a batch
    for number in range(5):
        logs.append(number, f"prompt {number}")
    script = Script()
    script.end()
    assert len(list(batches(logs.watched(database), script, 1))) == 1
    assert len(prompts(database)) == 1


def test_a_failure_is_tried_again_after_growing_pauses(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[float] = []
    script = Script()

    def fail(*_: Any) -> None:
        calls.append(script.now)
        raise sqlite3.OperationalError("database or disk is full: secret text")

    monkeypatch.setattr("agentpprof.ingest.watch.sync", fail)
    found = [batch for _, batch in batches(logs.watched(database), script, 200)]
    pauses = [round(later - at) for at, later in pairwise(calls)]
    assert pauses[:7] == [1, 2, 4, 8, 16, 32, 60]
    assert {batch.error for batch in found} == {"OperationalError"}


def test_it_heals_and_reads_what_came_meanwhile(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentpprof.ingest.indexer import sync

    script = Script()
    script.at(1.0, lambda: script.told(logs.append(1, "one")))

    def fail_at_first(*arguments: Any) -> Any:
        if script.now < 10:
            raise OSError(28, "No space left on device")
        return sync(*arguments)

    monkeypatch.setattr("agentpprof.ingest.watch.sync", fail_at_first)
    found = [batch for _, batch in batches(logs.watched(database), script, 60)]
    assert found[0].error == "ENOSPC"
    assert not found[-1].error
    assert prompts(database) == ["one"]


def test_what_needs_a_person_ends_it(logs: Logs, database: Path) -> None:
    database.write_bytes(b"not a database, but a letter of some length" * 100)
    before = database.read_bytes()
    with pytest.raises(NeedsPersonError) as error:
        list(batches(logs.watched(database), Script(), 10))
    assert error.value.exit_code == 78
    assert database.read_bytes() == before


def test_a_newer_schema_ends_it_untouched(logs: Logs, database: Path) -> None:
    script = Script()
    logs.append(1, "one")

    def migrate() -> None:  # a newer version, while the watcher runs
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("pragma user_version = 99")
        script.told(logs.append(1, "two"))

    script.at(5.0, migrate)
    with pytest.raises(NeedsPersonError, match="newer"):
        list(batches(logs.watched(database), script, 60))
    assert prompts(database) == ["one"]


def test_a_database_that_is_taken_away_is_made_anew(logs: Logs, database: Path) -> None:
    script = Script()
    logs.append(1, "one")

    def remove() -> None:
        for path in database.parent.glob("agent.db*"):
            if not path.name.endswith("watch.lock"):
                path.unlink()

    script.at(5.0, remove)
    list(batches(logs.watched(database), script, 60))
    assert prompts(database) == ["one"]


def test_clocks_of_files_decide_nothing(logs: Logs, database: Path) -> None:
    script = Script()
    for number, seconds in enumerate((0, 4_102_444_800, 1_000_000_000)):
        path = logs.append(number, f"prompt {number}")
        os.utime(path, (seconds, seconds))
    list(batches(logs.watched(database), script, 5))
    assert len(prompts(database)) == 3


# ------------------------------------------------------------------------ lock and freshness


def test_a_second_watcher_hears_who_is_first(database: Path) -> None:
    with watch_lock(database) as lock:
        lock.write(WatchNote(pid=4711))
        with pytest.raises(StoreError, match="4711"), watch_lock(database):
            pass
    with watch_lock(database):  # a stale number holds nothing
        pass


def test_fresh_means_lock_events_and_a_scan_that_is_not_overdue(database: Path) -> None:
    roots = [("claude", "/a")]
    good = WatchNote(
        pid=1,
        version="0.1.0",
        mode="events",
        roots=digest_of_roots(roots),
        due_at=time.monotonic() + 30,
    )
    assert not is_watched(database)
    with watch_lock(database) as lock:
        assert not is_watched(database)
        lock.write(good)
        assert is_watched(database)
        assert is_watched(database, roots)
        assert not is_watched(database, [("claude", "/b")])
        for wrong in (
            good._replace(mode="polling"),
            good._replace(error="ENOSPC"),
            good._replace(version="0.0.9"),
            good._replace(due_at=time.monotonic() - 60),
        ):
            lock.write(wrong)
            assert not is_watched(database)
        lock.write(good)
    assert not is_watched(database)  # the note alone is not enough
    assert lock_path(database).stat().st_mode & 0o777 == 0o600
    lock_path(database).write_text("{")
    assert read_note(database) is None


# ------------------------------------------------------------------------------- the process


@pytest.fixture
def start(logs: Logs, database: Path) -> Iterator[Callable[..., "Watcher"]]:
    """Give `start(NAME=value)`: a watcher as a process, ended at the latest with the test."""
    begun: list[Watcher] = []

    def start(**environment: str) -> Watcher:
        begun.append(Watcher(logs, database, **environment))
        return begun[-1]

    yield start
    for watcher in begun:
        watcher.process.kill()
        watcher.process.communicate()


class Watcher:
    """`agentpprof watch --json` as a process."""

    def __init__(self, logs: Logs, database: Path, **environment: str) -> None:
        root = logs.home / "projects"
        command = [PROGRAM, "watch", "--json", "--db", database, "--claude-root", root]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        started = time.monotonic()
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=20)
        assert b"Error" not in err, err
        return self.process.returncode, time.monotonic() - started


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_line_is_visible_within_a_second_and_a_signal_ends_it(
    logs: Logs, database: Path, start: Callable[..., "Watcher"], number: int
) -> None:
    logs.append(1, "before")
    watcher = start()
    assert watcher.line()["operations"] == 1
    assert is_watched(database)
    second = run("watch", "--db", database, "--claude-root", logs.home / "projects")
    assert second.code == 1
    assert str(watcher.process.pid) in second.err
    started = time.monotonic()
    logs.append(1, "after", tail=b'{"type":"user","half')
    while prompts(database) != ["after", "before"]:
        time.sleep(0.005)
        assert time.monotonic() - started < 5
    latency = time.monotonic() - started
    code, seconds = watcher.end(number)
    assert code == 0
    assert seconds < 5
    assert latency < 1
    assert not is_watched(database)
    with closing(sqlite3.connect(database)) as connection:
        size, offset = connection.execute("select size, offset from log_file").fetchone()
    assert size - offset == len(b'{"type":"user","half')  # the half line stays for later


@pytest.mark.slow
def test_it_tells_the_service_manager(start: Callable[..., "Watcher"], tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(10)
        watcher = start(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="600000")
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        assert manager.recv(100) == b"WATCHDOG=1"  # though nothing happens
        os.kill(watcher.process.pid, signal.SIGSTOP)
        time.sleep(0.2)
        manager.settimeout(1.0)
        with pytest.raises(TimeoutError):  # a loop that does not get on says nothing
            while True:
                manager.recv(100)
        manager.settimeout(10)
        os.kill(watcher.process.pid, signal.SIGCONT)
        assert manager.recv(100) == b"WATCHDOG=1"
        assert watcher.end()[0] == 0
        told = b""
        while told != b"STOPPING=1":
            told = manager.recv(100)


def test_once_is_one_pass(logs: Logs, database: Path) -> None:
    logs.append(1, "one")
    arguments = ("--db", database, "--claude-root", logs.home / "projects")
    done = run("watch", "--once", "--json", *arguments)
    assert done.code == 0
    assert done.summary["operations"] == 1
    assert done.summary["tagged"] == 1
    assert run("watch", "--once", "-q", *arguments).out == b""
    with watch_lock(database):
        assert run("watch", "--once", *arguments).code == 1


def test_foreign_logs_need_a_database(logs: Logs) -> None:
    assert run("watch", "--once", "--claude-root", logs.home).code == 2


def test_a_damaged_database_has_its_own_exit_code(logs: Logs, database: Path) -> None:
    database.write_bytes(b"x" * 5000)
    ran = run("watch", "--once", "--db", database, "--claude-root", logs.home / "projects")
    assert ran.code == 78
