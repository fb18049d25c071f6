"""What wakes a watcher: which logs events mean, real events, and where there are none."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from watching import Logs

from agentpprof import mounts
from agentpprof.ingest import events
from agentpprof.ingest.changed import changed_log_files
from agentpprof.ingest.discover import Root
from agentpprof.ingest.events import FileEvents, Hints, Polling, open_events


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path / "home")


# ------------------------------------------------------------------- which files events mean


def test_changes_name_log_files_only(logs: Logs) -> None:
    path = logs.append(1, "one")
    roots = logs.watched(Path("x")).roots
    (path.parent / "notes.txt").write_text("no log")
    os.mkfifo(path.parent / "fifo.jsonl")
    (path.parent / "link.jsonl").symlink_to(path)
    names = ("notes.txt", "fifo.jsonl", "link.jsonl", "vanished.jsonl", path.name)
    files = frozenset(str(path.parent / name) for name in names) | {"/etc/passwd.jsonl"}
    found = changed_log_files(Hints(files), roots)
    assert found is not None
    assert [log_file.path for log_file in found] == [str(path)]


def test_a_file_of_two_names_needs_a_scan(logs: Logs) -> None:
    path = logs.append(1, "one")
    os.link(path, path.with_name("second.jsonl"))
    roots = logs.watched(Path("x")).roots
    assert changed_log_files(Hints(frozenset({str(path)})), roots) is None
    assert changed_log_files(events.EVERYTHING, roots) is None


# ---------------------------------------------------------------------------- real events


def wait_for(source: events.EventSource, path: Path, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        source.wait(0.2)
        changes = source.take()
        if str(path) in changes.files or any(
            path.is_relative_to(folder) for folder in changes.folders
        ):
            return True
    return False


def test_events_of_files_folders_moves_and_roots_that_come_later(tmp_path: Path) -> None:
    root, late = tmp_path / "projects", tmp_path / "late"
    root.mkdir()
    source = FileEvents([Root("claude", str(root)), Root("claude", str(late))])
    try:
        (root / "a.jsonl").write_text("{}\n")
        assert wait_for(source, root / "a.jsonl")
        (root / "b" / "c").mkdir(parents=True)
        (root / "b" / "c" / "d.jsonl").write_text("{}\n")
        assert wait_for(source, root / "b" / "c" / "d.jsonl")
        (root / "a.jsonl").rename(root / "b" / "e.jsonl")
        assert wait_for(source, root / "b" / "e.jsonl")
        late.mkdir()
        source.refresh()
        (late / "f.jsonl").write_text("{}\n")
        assert wait_for(source, late / "f.jsonl")
        (root / "notes.txt").write_text("no log")
        assert not wait_for(source, root / "notes.txt", 0.5)
    finally:
        source.close()


def test_more_changes_than_memory_allows_mean_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_PATHS", 10)
    source = FileEvents([Root("claude", str(tmp_path))])
    try:
        for number in range(50):
            source.note(f"/x/{number}.jsonl", False)
        changes = source.take()
        assert len(changes.files) == 10
        assert changes.is_everything
        assert not source.take()
    finally:
        source.close()


@pytest.mark.parametrize(
    ("fault", "reason"), [(28, "no watches left"), (24, "no event queues left")]
)
def test_without_watches_it_polls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int, reason: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(fault, "limit reached")

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.schedule", fail)
    source = open_events([Root("claude", str(tmp_path))])
    assert source.reason == reason
    assert not source.wait(0.01)
    source.wake()
    assert source.wait(5)
    assert not source.take()
    source.close()


TABLE = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:30 / /mnt/a\\040b rw - nfs4 host:/x rw
31 22 0:31 / /mnt/far rw - fuse.sshfs host: rw
32 22 0:32 / /mnt/a rw - tmpfs tmpfs rw
nonsense
"""


def test_mounts_of_other_machines_are_told_apart(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(TABLE)
    kinds = [
        mounts.mount_type(path, table) for path in ("/home", "/mnt/a b/c", "/mnt/far", "/mnt/a")
    ]
    assert kinds == ["ext4", "nfs4", "fuse.sshfs", "tmpfs"]
    assert [mounts.is_remote(kind) for kind in kinds] == [False, True, True, False]
    assert mounts.mount_type("/home", tmp_path / "none") == ""


def test_remote_folders_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "mount_type", lambda path: "nfs4")
    source = open_events([Root("claude", str(tmp_path))])
    assert isinstance(source, Polling)
    assert source.reason == "a folder lies on nfs4"
