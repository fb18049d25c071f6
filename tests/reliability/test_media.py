"""Read-only media, network mounts, files of any size, a service that comes and goes."""

import os
import resource
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from builders import encode_log
from canonical import differences, dump_of
from command_line import installed, run
from namespaces import obey_permissions
from watching import Logs, prompts

from agentpprof.ingest.indexer import sync
from agentpprof.store import database as store
from agentpprof.store.database import opened_for_writing
from agentpprof.store.watch_lock import is_lock_held, is_watched, lock_path


def index(logs: Logs, database: Path) -> None:
    sync(database, logs.watched(database).roots)


# ------------------------------------------------------------------------ read-only media (F55)


def test_a_read_only_medium_is_told(logs: Logs, database: Path) -> None:
    index(logs, database)
    logs.append(0, "later")
    database.parent.chmod(0o500)
    database.chmod(0o400)
    try:
        root = ("--db", database, "--claude-root", logs.home / "projects")
        for command in (("index",), ("watch", "--once"), ("-o", "-", "--format", "folded")):
            ran = installed(*command, *root, preexec_fn=obey_permissions)
            assert ran.code in (1, 78), (command, ran)
            assert "Traceback" not in ran.err
        ran = installed("status", *root, preexec_fn=obey_permissions)
        assert ran.code in (0, 1), ran.err
    finally:
        database.parent.chmod(0o700)
        database.chmod(0o600)
    index(logs, database)
    assert "later" in prompts(database)


@contextmanager
def read_only(database: Path) -> Iterator[tuple[str | Path, ...]]:
    """Take the right to write from a database and its folder; yields options that name it."""
    files = [path for path in database.parent.iterdir() if "-shm" not in path.name]
    database.with_name(database.name + "-shm").unlink(missing_ok=True)
    for path in files:
        path.chmod(0o400)
    database.parent.chmod(0o500)
    try:
        yield "--db", database
    finally:
        database.parent.chmod(0o700)
        for path in files:
            path.chmod(0o600)


READING = [
    ("status",),
    ("doctor", "--deep"),
    ("sql", "--no-sync", "select count(*) from prompts"),
    ("sessions", "--no-sync", "--all-projects"),
    ("search", "--no-sync", "prompt"),
    ("tags", "--no-sync", "--all-projects"),
    ("top", "--no-sync", "--all-projects", "--view", "operations"),
    ("-o", "-", "--format", "folded", "--view", "operations", "--all-projects", "--no-sync"),
    ("backup", "{}/copy.db"),
]


@pytest.mark.parametrize("command", READING, ids=lambda words: words[0])
def test_what_lies_on_a_read_only_medium_can_be_read(
    logs: Logs, database: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    index(logs, database)
    words = [word.replace("{}", str(tmp_path)) for word in command]
    with read_only(database) as named:
        ran = installed(*words, *named, preexec_fn=obey_permissions)
        assert ran.code in (0, 3), ran.err
        assert sorted(path.name for path in database.parent.iterdir()) == [
            "agent.db",
            "agent.db.write.lock",
        ]
    if command[0] == "sql":
        assert b"9" in ran.out
    if command[0] == "backup":
        assert not differences(dump_of(database), dump_of(tmp_path / "copy.db"))


def test_rows_in_a_log_on_a_read_only_medium_are_not_passed_over(
    logs: Logs, database: Path, tmp_path: Path
) -> None:
    """They can't be read there: that is told with what to do, and doing it works."""
    index(logs, database)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("insert into meta values ('in-the-log', 'yes')")
        (tmp_path / "medium").mkdir()
        for name in ("agent.db", "agent.db-wal"):
            shutil.copyfile(database.parent / name, tmp_path / "medium" / name)
    with read_only(tmp_path / "medium" / "agent.db") as named:
        for command in READING:
            words = [word.replace("{}", str(tmp_path)) for word in command]
            ran = installed(*words, *named, preexec_fn=obey_permissions)
            assert ran.code == 1
            assert b"copy both files" in ran.out + ran.err.encode(), (command, ran)
    shutil.copytree(tmp_path / "medium", tmp_path / "own")
    value = "select value from meta where key = 'in-the-log'"
    ran = run("sql", "--no-sync", "--db", tmp_path / "own" / "agent.db", value)
    assert b"yes" in ran.out, ran.err


# ------------------------------------------------------------------------ network mounts (F56)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_new_database_on_another_machines_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    table = {"/": "ext4", str(tmp_path / "share"): kind}
    monkeypatch.setattr(store, "mount_type", lambda path: table[path])
    (tmp_path / "share").mkdir()
    path = tmp_path / "share" / "below" / "agent.db"
    for command in (("index",), ("restore", str(made(tmp_path / "copy.db")), "--yes")):
        ran = run(*command, "--db", path)
        assert ran.code == 1
        assert f"would lie on {kind}" in ran.err
        assert "name a place on a local disk with --db" in ran.err
        assert list((tmp_path / "share").iterdir()) == []
    assert made(tmp_path / "share" / "old.db")
    assert run("index", "--db", tmp_path / "share" / "old.db").code == 0  # one that is there


def test_where_everything_lies_on_such_a_file_system_there_is_no_other_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "mount_type", lambda _: "9p")
    assert run("index", "--db", tmp_path / "agent.db").code == 0


def made(path: Path) -> Path:
    """Make an empty database of ours; the folder of a test is local."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "mount_type", lambda _: "ext4")
        with opened_for_writing(path):
            pass
    return path


# ---------------------------------------------------------------------------- huge files (F26)


@pytest.mark.slow
def test_a_huge_file_takes_no_memory(logs: Logs, database: Path) -> None:
    """A gigabyte of nothing and 100 MB of records, within what an empty run takes twice."""
    path = logs.sessions[0].path(logs.home)
    with path.open("r+b") as stream:
        stream.seek(1 << 30, 2)  # a hole takes no space; it reads as NULs
        stream.write(b"\n")
        for number in range(100):
            stream.write(encode_log([logs.sessions[0].user(f"{number} " + "x" * 1_000_000)]))
    limit = 400 << 20
    limits = partial(resource.setrlimit, resource.RLIMIT_AS, (limit, limit))
    root = ("--claude-root", logs.home / "projects")
    ran = installed("index", "-v", "--db", database, *root, preexec_fn=limits)
    assert ran.code == 0, ran.err
    assert "1 damaged line" in ran.err
    assert len(prompts(database)) == 9 + 100


# --------------------------------------------------------------------- a service's life (F68)

# Does with a unit what systemd would: starts its command, ends it by SIGTERM.
SYSTEMCTL = """#!{python}
import os, re, signal, subprocess, sys, time
unit, noted, verb = {unit!r}, {noted!r}, sys.argv[2]
def runs():
    try:
        return open("/proc/" + open(noted).read() + "/stat").read().split()[2] != "Z"
    except OSError:
        return False
if verb == "enable":
    line = re.search("^ExecStart=(.*)$", open(unit).read(), re.M)[1]
    words = [word.replace("%%", "%").replace("$$", "$") for word in re.findall('"([^"]*)"', line)]
    done = subprocess.Popen(words, start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
    open(noted, "w").write(str(done.pid))
elif verb == "disable":
    os.kill(int(open(noted).read()), signal.SIGTERM)
    deadline = time.monotonic() + 10  # TimeoutStopSec
    while runs() and time.monotonic() < deadline:
        time.sleep(0.05)
elif verb == "is-active":
    sys.exit(0 if runs() else 3)
"""


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a stand-in for systemctl on the path; yields where it notes the process."""
    programs, noted = tmp_path / "programs", tmp_path / "noted"
    programs.mkdir()
    unit = Path(os.environ["XDG_CONFIG_HOME"]) / "systemd" / "user" / "agentpprof.service"
    text = SYSTEMCTL.replace("{python}", sys.executable).replace("{unit!r}", repr(str(unit)))
    (programs / "systemctl").write_text(text.replace("{noted!r}", repr(str(noted))))
    (programs / "systemctl").chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    yield noted
    if noted.exists():
        with suppress(ProcessLookupError):
            os.kill(int(noted.read_text()), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the stand-in is one for systemd")
def test_a_service_runs_what_its_unit_says_and_leaves_nothing_behind(
    logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, systemctl: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(logs.home))
    database = tmp_path / "a b%$.db"  # signs that a unit would take for its own
    unit = Path(os.environ["XDG_CONFIG_HOME"]) / "systemd" / "user" / "agentpprof.service"
    assert run("service", "install", "--db", database).code == 0
    deadline = time.monotonic() + 20
    while not is_watched(database):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(prompts(database)) == 9
    assert run("service", "status", "--db", database).code == 0
    assert run("service", "uninstall", "--db", database).code == 0
    assert not unit.exists()
    assert run("service", "status", "--db", database).code == 3
    stat = Path(f"/proc/{systemctl.read_text()}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"
    assert not is_lock_held(lock_path(database))
    logs.append(0, "later")
    time.sleep(0.5)
    assert "later" not in prompts(database)
