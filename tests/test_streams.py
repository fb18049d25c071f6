"""Standard streams: closed ones are readers that are gone, poor encodings get readable ASCII."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import PROGRAM, installed, write_history

from agentpprof.commands.search import fitting_snippet
from agentpprof.encoders.fitting import cells
from agentpprof.models import Answer
from agentpprof.streams import readable
from agentpprof.text.tables import write_table
from agentpprof.text.top_text import Paper, cut

SESSION = "aaaa1111"
FOR_PEOPLE = [
    "--help",
    "diff --help",
    "tags --help",
    "--all-projects",
    "top --all-projects --tree --rows 2",
    "diff project=shop project=docs",
    "sessions --all-projects",
    f"show {SESSION} --include-previews",
    "config show",
    "ask",
    "sql 'select text from prompts'",
    "search gate",
    "tags list --all-projects --include-previews",
    "--where nothing=1…",
]
IN_JSON = [
    "top --all-projects --by project --json",
    "sessions --all-projects --json",
    "show 結帳 --json",
    "audit --all-projects --json",
    "tags --all-projects --json",
    "-o 結帳é.svg --all-projects",
]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a history in two projects, and one whose name and prompt few encodings have."""
    home = tmp_path_factory.mktemp("home")
    write_history(home)
    log = ClaudeSession("結帳-0000", cwd="/home/dev/結帳é", start="2026-05-07T10:00:00.000Z")
    log.user("“結帳” é — the gate…")
    log.assistant("Done.")
    log.write(home / ".claude")
    return home


@pytest.fixture
def at_home(history: Path, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That home, for programs that a test starts."""
    monkeypatch.setenv("HOME", str(history))
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(isolated_machine)
    return history


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_people_read_is_in_the_encoding_of_the_stream(at_home: Path, encoding: str) -> None:
    for line in FOR_PEOPLE:
        ran = installed(*shlex.split(line), environment={"PYTHONIOENCODING": f"{encoding}:strict"})
        assert ran.code == (2 if "nothing" in line else 0), (line, ran.err)
        assert "inside agentpprof" not in ran.err
        assert not {"â", "Ã"} & set(ran.out.decode(encoding)), line  # no UTF-8 taken for it


def test_signs_that_an_encoding_lacks_are_told_in_ascii() -> None:
    assert readable("a → b · −3 µs — “x”…", "ascii") == 'a -> b - -3 us - "x"...'
    assert readable("é “x”", "latin-1") == 'é "x"'
    assert readable("結 é 👍", "ascii") == r"\u7d50 \xe9 \U0001f44d"
    assert readable("結 é 👍 …", "utf-8") == "結 é 👍 …"


def test_json_is_json_in_every_encoding(at_home: Path) -> None:
    for line in IN_JSON:
        for encoding in ("latin-1", "ascii", "utf-8"):
            words = shlex.split(line)
            ran = installed(*words, environment={"PYTHONIOENCODING": encoding})
            assert ran.code == 0, (line, ran.err)
            json.loads(ran.out.decode("utf-8"))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_columns_stay_in_line_in_every_encoding(encoding: str) -> None:
    names = ["結帳", "é…", "plain", "👍👍"]
    answer = Answer(("name", "n"), [(name, number) for number, name in enumerate(names)])

    lines = write_table(answer, encoding=encoding).splitlines()

    assert len({cells(line) for line in lines}) == 1
    assert all(readable(line, encoding) == line for line in lines)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_what_is_cut_fits_with_its_mark_in_every_encoding(encoding: str) -> None:
    answer = Answer(("text", "n"), [("word " * 30, 7), ("結帳" * 30, 8)])
    mark = readable("…", encoding)

    table = write_table(answer, 40, encoding=encoding).splitlines()
    line = cut("word " * 30, Paper(40, encoding))

    assert all(cells(row) <= 40 for row in (*table, line))
    assert all(mark in row for row in (*table[1:], line))


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_a_reader_that_is_gone(at_home: Path, closed: str) -> None:
    for line in ("--all-projects", "-o a.svg --all-projects", "ask", "top --all-projects --json"):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{PROGRAM} {line} {closed}"], capture_output=True, timeout=60
        )
        assert (done.returncode, b"Error" in done.stderr) == (0, False), (line, done.stderr)
    assert Path("a.svg").read_bytes().startswith(b"<")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_messages_that_cannot_be_written_hinder_nothing(at_home: Path) -> None:
    for line, code in (
        ("index -v", 0),
        ("backup a.db", 0),
        ("-o - --format folded --all-projects", 0),
        ("--where nothing=1", 2),
        ("nonsense", 2),
    ):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [PROGRAM, *line.split()], stdout=subprocess.PIPE, stderr=full, timeout=60
            )
        assert done.returncode == code, line


IN_ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_names_and_words_are_utf_8_whatever_the_locale(at_home: Path, tmp_path: Path) -> None:
    odd = tmp_path / "ログ"
    shutil.copytree(at_home / ".claude" / "projects", odd / "projects")
    read = "index", "-v", "--db", tmp_path / "a.db", "--claude-root", os.fsencode(odd)

    installed(*read)
    again = installed(*read, environment=IN_ASCII)
    found = installed("search", "結帳".encode(), environment=IN_ASCII)

    assert again.err.startswith("0 of "), again.err
    assert b"\\u7d50" in found.out


def test_a_word_that_is_no_text_is_told_of(at_home: Path) -> None:
    for words in (
        ["search", b"\xff"],
        ["sql", b"select '\xff'"],
        ["-o", "-", "--where", b"op=\xff"],
    ):
        ran = installed(*words)
        assert ran.code in (1, 2), words
        assert "inside agentpprof" not in ran.err, (words, ran.err)


def on_terminal(line: str, columns: int, **environment: str) -> str:
    """Run a command with a terminal as its stdout and return what that shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [PROGRAM, *shlex.split(line)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns), **environment},
    ) as program:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
            while data := os.read(ours, 65536):
                shown += data
    os.close(ours)
    assert program.returncode == 0, line
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [48, 80, 120])
def test_tables_and_lines_fit_the_terminal_also_with_wide_letters(
    at_home: Path, columns: int
) -> None:
    for line in ("sessions --all-projects", f"show {SESSION}", "tags list --all-projects"):
        shown = on_terminal(line, columns, NO_COLOR="1")
        plain = re.sub(r"\x1b\[\d+m", "", shown)
        assert max(map(cells, plain.split("\n"))) <= columns, (line, plain)


def test_a_terminal_that_knows_no_escapes_gets_none(at_home: Path) -> None:
    for line in ("--all-projects", "search gate", "sessions --all-projects", f"show {SESSION}"):
        assert "\x1b" not in on_terminal(line, 80, TERM="dumb"), line


def test_a_snippet_fits_by_cells_and_keeps_the_word() -> None:
    text = "結帳" * 100 + " needle " + "支払い" * 100
    for encoding in ("utf-8", "ascii"):
        shown = fitting_snippet(text, ("needle",), 50, encoding)
        assert "needle" in shown
        assert 20 < cells(shown) <= 58
