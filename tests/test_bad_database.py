"""Databases that are not ours to use, and disks that are full: told in a sentence, nothing lost."""

import contextlib
import hashlib
import resource
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import PROGRAM, check_refused, database, installed, run, write_history

from agentpprof.store.database import default_path


def stranger(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("create table mine (a)")
        connection.execute("insert into mine values (1)")
        connection.commit()


def newer(path: Path) -> None:
    assert run("index", "--db", path).code == 0
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 9999")


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever it is called\n" * 100)


def damaged(path: Path) -> None:
    write_history(Path.home())
    assert run("index", "--db", path).code == 0
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (stranger, "is not a database of agentpprof: name another file with --db"),
        (newer, "made by a newer agentpprof"),
        (garbage, "is not a database, or is damaged"),
        (damaged, "name another"),
    ],
)
@pytest.mark.parametrize(
    "arguments", [("-o", "{}/a.svg"), ("-o", "{}/a.svg", "--no-sync", "--all-projects"), ("index",)]
)
def test_a_database_that_is_not_ours_to_use(tmp_path: Path, make, reason, arguments) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = hashlib.sha256(path.read_bytes()).digest()
    ran = run(*[each.replace("{}", str(tmp_path)) for each in arguments], "--db", path)
    check_refused(ran, 1, reason)
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert not (tmp_path / "a.svg").exists()


def limit_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


@pytest.mark.parametrize("arguments", [("index",), ("-o", "{}/a.svg", "--all-projects")])
def test_a_full_disk_loses_nothing(indexed_history: Path, tmp_path: Path, arguments) -> None:
    log = ClaudeSession("big", cwd="/home/dev/shop")
    for number in range(400):
        log.user(f"Explain number {number} " + "again " * 50)
    log.write(indexed_history / ".claude")
    with database(default_path()) as connection:
        before = connection.execute("select count(*) from operation").fetchone()
    ran = installed(
        *[each.replace("{}", str(tmp_path)) for each in arguments], preexec_fn=limit_files
    )
    check_refused(ran, 1)
    assert list(tmp_path.iterdir()) == []
    with database(default_path()) as connection:
        assert connection.execute("select count(*) from operation").fetchone() == before
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    assert run("index").code == 0


def test_a_full_disk_leaves_the_old_output(indexed_history: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.svg"
    output.write_text("old")
    ran = installed("-o", output, "--all-projects", preexec_fn=limit_files)
    check_refused(ran, 1, "can't be written (File too large): choose another place with -o")
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_a_full_stdout(indexed_history: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [PROGRAM, "-o", "-", "--format", "svg", "--all-projects"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 1
    assert b"Error: " in done.stderr
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
