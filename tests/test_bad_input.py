"""What goes wrong ends in one clear sentence, the documented exit code, and nothing half-done.

Exit codes: 0 done, 1 nothing could be done, 2 the command line is wrong, 130 interrupted.
"""

import ctypes
import os
import pty
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from builders import ClaudeSession, encode_log, user
from command_line import PROGRAM, check_refused, database, digest, folded, installed, run

from agentpprof.errors import StoreError
from agentpprof.store.database import default_path

# ------------------------------------------------------------------ logs


def one_session(home: Path, name: str = "s1") -> Path:
    log = ClaudeSession(name, cwd="/home/dev/shop")
    log.user("Fix the test")
    log.call("Bash", {"command": "pytest"}, "ok")
    log.assistant("Done.")
    return log.write(home / ".claude")


GOOD = encode_log([user("Hello there, explain this", sessionId="s1")])
# Content of a log beside a sound one, and what is told.
LOGS = [
    (b"", ""),
    (b"\n\n\n", ""),
    (b"this is no JSON\n", "1 damaged line"),
    (b"[]\n17\nnull\n", "damaged"),
    (bytes(range(256)) * 8 + b"\n", "damaged"),
    (b"\0" * 5000 + b"\n", "damaged"),
    (b"\0" * 5000, ""),
    (b"{" * 50_000 + b"\n", "damaged"),
    (b"[" * 50_000 + b"\n", "damaged"),
    (GOOD[:-20], ""),
    (GOOD.rstrip(b"\n") + GOOD, ""),
    (GOOD.replace(b"Hello", b"\xff\xfe\xfd"), ""),
    (GOOD.replace(b"2026-", b"9999-"), ""),
    (GOOD.replace(b"2026-05", b"0001-01"), ""),
    (GOOD.replace(b"2026-05-04", b"not-a-time"), ""),
    (b'{"type":"user"}\n', ""),
    (b'{"type":"user","message":17,"timestamp":[]}\n', ""),
    (b'{"type":"never-seen","sessionId":"s1"}\n', "1 record of an unknown type"),
    (GOOD.replace(b"\n", b"\r\n"), ""),
    (b"\xef\xbb\xbf" + GOOD, ""),
]


@pytest.mark.parametrize(("content", "told"), LOGS)
def test_a_bad_log_beside_a_good_one(isolated_machine: Path, content: bytes, told: str) -> None:
    good = one_session(isolated_machine)
    good.with_name("bad.jsonl").write_bytes(content)
    ran = run("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
    assert sum(folded(ran.out).values()) >= 4
    assert told in ran.err
    again = run("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    assert again.out == ran.out


def test_no_logs_at_all(isolated_machine: Path, tmp_path: Path) -> None:
    check_refused(run("-o", tmp_path / "a.svg"), 1, "no session of Claude Code or Codex was found")
    check_refused(run("sessions"), 1, "look at an example history with agentpprof demo")
    assert list(tmp_path.iterdir()) == []


def test_places_that_are_no_logs(isolated_machine: Path) -> None:
    good = one_session(isolated_machine)
    good.with_name("folder.jsonl").mkdir()
    os.mkfifo(good.with_name("fifo.jsonl"))
    good.with_name("loop.jsonl").symlink_to("loop.jsonl")
    (good.parent / "up").symlink_to("..", target_is_directory=True)
    good.with_name("gone.jsonl").symlink_to("nowhere")
    ran = run("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    assert ran.code == 0, ran.err
    assert sum(folded(ran.out).values()) == 4


def test_names_of_any_bytes_and_long_paths(isolated_machine: Path, tmp_path: Path) -> None:
    good = one_session(isolated_machine)
    odd = os.fsencode(good.parent) + b"/\xff\xfe;\n.jsonl"
    shutil.copy(good, odd)
    deep = os.open(good.parent, os.O_RDONLY)
    for _ in range(25):  # more than 4 KiB in all
        os.mkdir("d" * 200, dir_fd=deep)
        deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    with os.fdopen(os.open("x.jsonl", os.O_CREAT | os.O_WRONLY, dir_fd=deep), "wb") as stream:
        stream.write(GOOD)
    os.close(deep)
    output = os.fsencode(tmp_path) + b"/\xff.folded"
    ran = installed("-o", output, "--view", "operations", "--all-projects")
    assert ran.code == 0, ran.err
    assert Path(os.fsdecode(output)).exists()
    assert "Traceback" not in ran.err


def obey_permissions() -> None:
    """Take from root, where a test runs as root, what lets it read and write everything."""
    if os.geteuid() == 0:
        prctl = ctypes.CDLL(None).prctl
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def test_logs_that_may_not_be_read(isolated_machine: Path, tmp_path: Path) -> None:
    hidden = one_session(isolated_machine)
    hidden.chmod(0)
    one_session(isolated_machine, "s2")
    secret = isolated_machine / ".claude" / "projects" / "secret"
    secret.mkdir(mode=0)
    arguments = ("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    ran = installed(*arguments, preexec_fn=obey_permissions)
    assert ran.code == 0, ran.err
    assert "skipped: 2 unreadable files or folders" in ran.err
    assert sum(folded(ran.out).values()) == 4
    ran = installed("-o", tmp_path / "a.svg", "--session-file", hidden, preexec_fn=obey_permissions)
    check_refused(ran, 2, "s1.jsonl can't be read (Permission denied)")


def test_folders_that_may_not_be_written(indexed_history: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    ran = installed("index", "--db", locked / "x.db", preexec_fn=obey_permissions)
    check_refused(ran, 1, "x.db can't be made (Permission denied): name another file with --db")
    ran = installed("-o", locked / "a.svg", "--all-projects", preexec_fn=obey_permissions)
    check_refused(ran, 1, "a.svg can't be written (Permission denied)")
    default_path().chmod(0o400)
    one_session(indexed_history, "new")
    ran = installed("-o", tmp_path / "a.svg", "--all-projects", preexec_fn=obey_permissions)
    check_refused(ran, 1, "can't be written")
    assert list(tmp_path.iterdir()) == [locked]


def test_a_log_replaced_by_a_shorter_one(isolated_machine: Path) -> None:
    path = one_session(isolated_machine)
    arguments = ("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    before = folded(run(*arguments).out)
    path.write_bytes(GOOD)
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    # What was stored is kept, what is new is added.
    assert sum(folded(ran.out).values()) == sum(before.values()) + 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"hello\n", "is no log of Claude Code or Codex"),
        (b"\0" * 100, "is no log of Claude Code or Codex"),
        (b'{"a": 1}\n', "is no log of Claude Code or Codex"),
        (b"\x28\xb5\x2f\xfd\0\0\0", "no log"),
        (b"\x1f\x8b" + b"\0" * 50, "is no log of Claude Code or Codex"),
    ],
)
def test_a_session_file_that_is_none(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    ran = run("-o", tmp_path / "a.svg", "--session-file", path)
    check_refused(ran, 2, str(path))
    assert reason in ran.err or "damaged" in ran.err
    assert not (tmp_path / "a.svg").exists()


def test_a_session_file_that_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for name, reason in (("fifo", "pipe it in with --session-file -"), ("loop", "can't be read")):
        check_refused(run("-o", tmp_path / "a.svg", "--session-file", tmp_path / name), 2, reason)


def test_an_output_that_would_replace_what_is_read(indexed_history: Path, tmp_path: Path) -> None:
    log = one_session(tmp_path)
    before = digest(tmp_path)
    check_refused(run("-o", log, "--format", "svg", "--session-file", log), 2, "one of the logs")
    check_refused(run("-o", default_path(), "--format", "svg"), 2, "is the database")
    assert digest(tmp_path) == before


def test_a_damaged_compressed_log(isolated_machine: Path) -> None:
    import zstandard

    one_session(isolated_machine)
    folder = isolated_machine / ".codex" / "sessions"
    folder.mkdir(parents=True)
    packed = zstandard.compress(GOOD * 2000)
    (folder / "rollout-a.jsonl.zst").write_bytes(packed[: len(packed) // 2])
    (folder / "rollout-b.jsonl.zst").write_bytes(packed[:20] + b"\xff" * 40)
    (folder / "rollout-c.jsonl.zst").write_bytes(b"no zstandard at all")
    ran = run("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    assert ran.code == 0, ran.err
    assert sum(folded(ran.out).values()) == 4


# ------------------------------------------------------------------ terminals, signals, sizes


def test_pprof_to_a_terminal_is_refused(indexed_history: Path) -> None:
    leader, follower = pty.openpty()
    done = subprocess.run([PROGRAM, "-o", "-"], stdout=follower, stderr=subprocess.PIPE, timeout=60)
    os.close(follower)
    os.close(leader)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "Error: pprof is binary: write it to a file with -o, or pipe it on\n"
    )


def test_a_log_from_a_terminal_is_refused(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    done = subprocess.run(
        [PROGRAM, "-o", tmp_path / "a.svg", "--session-file", "-"],
        stdin=follower,
        capture_output=True,
        timeout=60,
    )
    os.close(follower)
    os.close(leader)
    assert done.returncode == 2
    assert b"stdin is a terminal; pipe a log in" in done.stderr


def test_an_interrupt_ends_with_130(indexed_history: Path, tmp_path: Path) -> None:
    before = digest(indexed_history / ".local")
    process = subprocess.Popen(
        [PROGRAM, "-o", tmp_path / "a.svg", "--session-file", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b" " * 1_000_000)  # more than a pipe holds: it is reading by then
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")
    assert list(tmp_path.iterdir()) == []
    assert digest(indexed_history / ".local") == before


def test_a_writer_that_does_not_end_is_named(
    indexed_history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    from agentpprof.ingest import indexer

    monkeypatch.setattr(indexer, "_LOCK_SECONDS", 0.1)
    one_session(indexed_history, "new")
    lock = default_path().with_name(default_path().name + ".write.lock")
    with lock.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = run("-o", tmp_path / "a.svg", "--all-projects")
    check_refused(ran, 1, "another agentpprof has been writing")
    assert StoreError.exit_code == 1


@pytest.mark.slow
def test_a_huge_line_takes_no_memory(isolated_machine: Path) -> None:
    path = one_session(isolated_machine)
    with path.open("ab") as stream:
        stream.write(b'{"type":"user","message":{"role":"user","content":"')
        for _ in range(300):
            stream.write(b"x" * 1_000_000)
        stream.write(b'"}}\n')
        stream.write(GOOD)
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], capture_output=True)\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.stderr.buffer.write(done.stderr)"
    )
    done = subprocess.run(
        [Path(PROGRAM).parent / "python", "-c", code, PROGRAM, "index", "-v"],
        capture_output=True,
        timeout=300,
    )
    returncode, peak_kib = map(int, done.stdout.split())
    assert returncode == 0, done.stderr
    assert b"1 damaged line" in done.stderr
    assert peak_kib <= 150 * 1024
    with database(default_path()) as connection:
        assert connection.execute("select reason from bad_line").fetchall() == [("too_long",)]
        assert connection.execute("select count(*) from operation where op = 0").fetchone() == (2,)


@pytest.mark.slow
def test_ten_thousand_empty_files(isolated_machine: Path) -> None:
    folder = one_session(isolated_machine).parent
    for number in range(10_000):
        (folder / f"{number}.jsonl").touch()
    arguments = ("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    assert sum(folded(ran.out).values()) == 4
    assert "10,001 of 10,001 log files read" in ran.err
    assert "log files read" not in run(*arguments).err
