"""What goes wrong ends in one clear sentence, the documented exit code, and nothing half-done.

Exit codes: 0 done, 1 nothing could be done, 2 the command line is wrong, 130 interrupted.
"""

import contextlib
import ctypes
import hashlib
import os
import pty
import resource
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from builders import ClaudeSession, encode_log, user
from command_line import PROGRAM, Ran, database, folded, installed, run, write_history

from agentpprof.errors import StoreError
from agentpprof.store.database import default_path


def check_refused(ran: Ran, code: int, *reasons: str) -> None:
    """The run ended with `code` and one sentence, not with a traceback."""
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    assert ran.out == b""
    assert ran.err.count("Error: ") == 1, ran.err
    for reason in reasons:
        assert reason in ran.err


def digest(folder: Path) -> dict[str, str]:
    """Return what lies in a folder, by name."""
    found = {
        str(path): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith((".lock", "-shm"))
    }
    # A reader makes an empty -wal.
    return {path: hashlib.sha256(data).hexdigest() for path, data in found.items() if data}


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    """Give a home with some indexed sessions."""
    write_history(isolated_machine)
    assert run("index").code == 0
    return isolated_machine


# Arguments beside `-o out.folded`, exit code, what the sentence says. `{}` is an empty folder.
OPTIONS = [
    (("--format", "xml"), 2, "unknown format 'xml'; known formats: pprof, folded, svg, json"),
    (("--format", "svg"), 2, "is a name for folded, but --format says svg"),
    (("--view", "cpu"), 2, "unknown view 'cpu'; known views: operations, tokens"),
    (("--svg-width", "0"), 2, "--svg-width 0: write a number from 200 to 100,000"),
    (("--svg-width=-5",), 2, "--svg-width -5"),
    (("--svg-width", "wide"), 2, "'wide' is not a valid integer"),
    (("--svg-width", "99999999999"), 2, "--svg-width 99999999999"),
    (("--path-depth", "0"), 2, "--path-depth 0: write a number from 1 to 20"),
    (("--path-depth", "x"), 2, "'x' is not a valid integer"),
    (("--label", "tsk"), 2, "--label: unknown field 'tsk'"),
    (("--label", "command"), 2, "--label: command is text"),
    (("--stack", ""), 2, "no frame is named"),
    (("--stack", "tsk"), 2, "unknown field 'tsk' (did you mean task?); known fields:"),
    (("--stack", "Task"), 2, "'Task' is no field: a name may hold only a-z"),
    (("--stack", "command"), 2, "use cmd instead"),
    (("--stack", "prompt_text"), 2, "use prompt instead"),
    (("--stack", "call_id"), 2, "a profile has no field call_id"),
    (("--where", "result"), 2, "write FIELD=REGEX or FIELD!=REGEX"),
    (("--where", "nope=x"), 2, "--where: unknown field 'nope'"),
    (("--where", "cmd=(?<=a)b"), 2, "look-behind is not supported"),
    (("--where", "cmd=(?=a)b"), 2, "look-ahead is not supported"),
    (("--where", "cmd=["), 2, "is not closed"),
    (("--where", "timestamp_ms=1"), 2, "--since and --until"),
    (("--op-map", "phase"), 2, "write FIELD:LABEL=REGEX"),
    (("--op-map", "phase:A=x"), 2, "the label 'A' may hold only"),
    (("--op-map", "phase:a=(?<!x)"), 2, "look-behind is not supported"),
    (("--op-map-file", "{}/none"), 2, "none can't be read (No such file"),
    (("--op-map-file", "{}"), 2, "can't be read (Is a directory)"),
    (("--stack-rule", "phase:a"), 2, "write FIELD:LABEL=REGEX"),
    (("--tag-rule", "prompt:debug"), 2, "there is no `=`"),
    (("--tag-rule", "tool:debug=x"), 2, "the kinds are session, prompt, llm, all"),
    (("--tag-rule", "prompt:ab=x"), 2, "too short"),
    (("--tag-rule", "prompt:debug=(?<=x)y"), 2, "look-behind is not supported"),
    (("--tagger", "gpt"), 2, "there are regex and llm"),
    (("--tagger", "llm", "--tag-rule", "prompt:abc=x"), 2, "--tag-rule is for --tagger regex only"),
    (("--tagger", "llm", "--no-builtin-tags"), 2, "--no-builtin-tags is for --tagger regex only"),
    (("--task-choice", "debug=a", "--task-choice", "docs=b"), 2, "needs --tagger llm"),
    (("--tagger", "llm", "--task-choice", "debug=a"), 2, "name at least two"),
    (("--tagger", "llm", "--task-choice", "debug"), 2, "write TAG=DESCRIPTION"),
    (("--tagger", "llm", "--task-choice", "debug= "), 2, "the description is empty"),
    (("--tagger", "llm", "--task-choice", "d=x"), 2, "too short"),
    (
        ("--tagger", "llm", "--task-choice", "debug=a", "--task-choice", "debug=b"),
        2,
        "given twice",
    ),
    (("--tagger", "llm", "--llama-url", "127.0.0.1:8080"), 2, "is no address"),
    (("--tagger", "llm", "--llama-url", "ftp://x"), 2, "is no address"),
    (("--tagger", "llm", "--llama-url", "http://x:port"), 2, "is no address"),
    (("--tagger", "llm", "--timeout", "0"), 2, "--timeout 0"),
    (("--tagger", "llm", "--timeout", "nan"), 2, "--timeout nan"),
    (("--timeout", "soon"), 2, "'soon' is not a valid float"),
    (("--tagger", "llm", "--model", " "), 2, "--model '' is empty"),
    (("--tagger", "llm", "--max-uncached-tags", "x"), 2, "'x' is not a valid integer"),
    (("--tagger", "llm", "--cache", "{}"), 2, "is no file"),
    (("--tagger", "llm", "--cache", "tags.json"), 2, "not in JSON"),
    (("--preset", "--no-builtin-tags"), 2, "contradict each other"),
    (("--project-root", ".", "--all-projects"), 2, "contradict each other"),
    (("--project-root", ""), 2, "--project-root '' is empty"),
    (("--project-name", " "), 2, "--project-name '' is empty"),
    (("-q", "-v"), 2, "contradict each other"),
    (("--agent", "gemini"), 2, "there are claude and codex"),
    (("--agent", ""), 2, "there are claude and codex"),
    (("--session-id", ""), 2, "--session-id '' is empty"),
    (("--session-id", "zzzz"), 1, "no session matches"),
    (("--session-tag", "Debug"), 2, "other characters than a-z"),
    (("--session-tag", "zebra"), 1, "no session of the chosen sessions has the tag 'zebra'"),
    (("--prompt-tag", "x"), 2, "too short"),
    (("--prompt-tag", "zebra"), 1, "the tags are"),
    (("--since", "soon"), 2, "--since: 'soon' is no time"),
    (("--until", "7y"), 2, "--until: '7y' is no time"),
    (("--since", "999999w"), 2, "is no time"),
    (("--since", "2026-05-02", "--until", "2026-05-01"), 2, "is not before --until"),
    (("--since", "1d", "--until", "2d"), 2, "is not before --until"),
    (("--since", "2099-01-01"), 1, "no session matches"),
    (("--scan-files=-1",), 2, "--scan-files -1: write 0 for all"),
    (("--scan-files", "x"), 2, "'x' is not a valid integer"),
    (("--max-sessions=-1",), 2, "--max-sessions -1: write 0 for all"),
    (("--max-sessions", "1.5"), 2, "'1.5' is not a valid integer"),
    (("--session-file", "{}/none.jsonl"), 2, "none.jsonl can't be read (No such file"),
    (("--session-file", "{}"), 2, "is a folder"),
    (("--session-file", ""), 2, "--session-file '' is empty"),
    (("--session-file", "-", "--session-file", "-"), 2, "stdin is read once"),
    (("--session-file", "-"), 2, "stdin holds no log"),
    (("--session-file", "-", "--claude-root", "{}"), 2, "contradict it"),
    (("--session-file", "-", "--no-sync"), 2, "--no-sync contradicts it"),
    (("--claude-root", "{}/none"), 2, "there is no such folder"),
    (("--codex-root", "{}", "--no-sync"), 2, "--no-sync needs --db"),
    (("--claude-root", "{}"), 1, "no session of Claude Code or Codex was found"),
    (("--db", ""), 2, "--db '' is empty"),
    (("--db", "{}"), 2, "is a folder"),
    (("--db", "{}/none.db", "--no-sync"), 1, "there is no database yet"),
    (("--db", "/proc/none/x.db"), 1, "can't be made"),
    (("--where", "op=nothing"), 1, "the tokens view has no samples"),
    (("--view", "network", "--agent", "claude", "--prompt-tag", "docs"), 1, "no samples"),
    (("--nope",), 2, "No such option"),
    (("--stak", "task"), 2, "--stack"),
    (("--view", "time", "--view", "files"), 2, "--view can be given only once"),
    (("--all-projects", "index"), 2, "a command's name comes first"),
    (("surplus",), 2, "surplus"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), OPTIONS)
def test_a_wrong_option(history: Path, tmp_path: Path, arguments, code, reason) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    before = digest(history / ".local")
    output = tmp_path / "out.folded"
    chosen = [each.replace("{}", str(empty)) for each in arguments]
    if "--project-root" not in chosen:
        chosen = ["--all-projects", *chosen] if "--all-projects" not in chosen else chosen
    check_refused(run("-o", output, *chosen), code, reason)
    assert not output.exists()
    assert sorted(tmp_path.iterdir()) == [empty]
    assert digest(history / ".local") == before


# The command line around `-o`, and other commands.
COMMANDS = [
    (("--format", "svg"), 2, "--format svg needs an output"),
    (("-o",), 2, "-o"),
    (("-o", ""), 2, "is no file"),
    (("-o", "{}"), 2, "is no file"),
    (("-o", "{}/new/"), 2, "is no file"),
    (("-o", "{}/a.svg", "-o", "{}/b.svg"), 2, "-o/--output can be given only once"),
    (("-o", "/proc/none/a.svg", "--all-projects"), 1, "can't be written (No such file"),
    (("-o", "{}/" + "n" * 300 + ".svg", "--all-projects"), 1, "File name too long"),
    (("-o", "{}/" + "d/" * 3000 + "a.svg", "--all-projects"), 1, "File name too long"),
    (("-o", "/dev/null/a.svg", "--all-projects"), 1, "can't be written"),
    (("profil", "-o", "{}/a.svg"), 2, "did you mean profile?"),
    (("nonsense",), 2, "no such command 'nonsense': there are profile, "),
    (("index", "--nope"), 2, "No such option"),
    (("index", "-q", "-v"), 2, "contradict each other"),
    (("index", "--claude-root", "{}"), 2, "index with a root needs --db"),
    (("index", "--claude-root", "{}/none", "--db", "{}/x.db"), 2, "there is no such folder"),
    (("index", "--db", "{}"), 2, "is a folder"),
    (("index", "extra"), 2, "extra"),
    (("demo", "-o", "/dev/null/x"), 1, "can't be written"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), COMMANDS)
def test_a_wrong_command(history: Path, tmp_path: Path, arguments, code, reason) -> None:
    before = digest(history / ".local")
    ran = run(*[each.replace("{}", str(tmp_path)) for each in arguments])
    check_refused(ran._replace(out=b"" if arguments[:1] == ("demo",) else ran.out), code, reason)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert digest(history / ".local") == before


def test_the_installed_program_says_the_same(history: Path, tmp_path: Path) -> None:
    output = ("-o", str(tmp_path / "out.folded"))
    for arguments, code, reason in (OPTIONS[0], OPTIONS[20], OPTIONS[51], OPTIONS[60]):
        check_refused(installed(*output, *arguments), code, reason)
    for arguments, code, reason in (COMMANDS[0], COMMANDS[1], COMMANDS[11]):
        check_refused(installed(*arguments), code, reason)
    assert list(tmp_path.iterdir()) == []


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


def test_folders_that_may_not_be_written(history: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    ran = installed("index", "--db", locked / "x.db", preexec_fn=obey_permissions)
    check_refused(ran, 1, "x.db can't be made (Permission denied): name another file with --db")
    ran = installed("-o", locked / "a.svg", "--all-projects", preexec_fn=obey_permissions)
    check_refused(ran, 1, "a.svg can't be written (Permission denied)")
    default_path().chmod(0o400)
    one_session(history, "new")
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


def test_an_output_that_would_replace_what_is_read(history: Path, tmp_path: Path) -> None:
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


# ------------------------------------------------------------------ databases


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
def test_a_full_disk_loses_nothing(history: Path, tmp_path: Path, arguments) -> None:
    log = ClaudeSession("big", cwd="/home/dev/shop")
    for number in range(400):
        log.user(f"Explain number {number} " + "again " * 50)
    log.write(history / ".claude")
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


def test_a_full_disk_leaves_the_old_output(history: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.svg"
    output.write_text("old")
    ran = installed("-o", output, "--all-projects", preexec_fn=limit_files)
    check_refused(ran, 1, "can't be written (File too large): choose another place with -o")
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_a_full_stdout(history: Path) -> None:
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


# ------------------------------------------------------------------ terminals, signals, sizes


def test_pprof_to_a_terminal_is_refused(history: Path) -> None:
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


def test_an_interrupt_ends_with_130(history: Path, tmp_path: Path) -> None:
    before = digest(history / ".local")
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
    assert digest(history / ".local") == before


def test_a_writer_that_does_not_end_is_named(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    from agentpprof.ingest import indexer

    monkeypatch.setattr(indexer, "_LOCK_SECONDS", 0.1)
    one_session(history, "new")
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


def test_there_are_enough_of_them() -> None:
    assert len(OPTIONS) + len(COMMANDS) + len(LOGS) >= 60
