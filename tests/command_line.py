"""Run agentpprof in a test: in this process, or as it is installed; and a small history for it."""

import contextlib
import hashlib
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
from builders import ClaudeSession
from builders_codex import CodexThread

from agentpprof.cli import group, main

PROGRAM = Path(sys.executable).parent / "agentpprof"


class Ran(NamedTuple):
    """What one run left behind."""

    code: int
    out: bytes
    err: str

    @property
    def summary(self) -> dict[str, Any]:
        """The JSON summary on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def run(*arguments: str | Path, stdin: bytes = b"") -> Ran:
    """Run the command line in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = (
        io.TextIOWrapper(out, encoding="utf-8", write_through=True),
        io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True),
    )
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    code = 0
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main([os.fspath(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin = before
    return Ran(code, out.getvalue(), err.getvalue().decode())


def installed(
    *arguments: str | Path | bytes,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    **settings: Any,
) -> Ran:
    """Run the installed program in a process of its own."""
    done = subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        timeout=300,
        env={**os.environ, **(environment or {})},
        **settings,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


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


def every_command(
    command: click.Command = group, *names: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with its words."""
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from every_command(below, *names, name)


def write_history(home: Path) -> None:
    """Write some sessions of both agents, in two projects, below `home`."""
    _shop(home / ".claude")
    _docs(home / ".claude")
    _gate(home / ".codex")


def _shop(claude: Path) -> None:
    log = ClaudeSession("aaaa1111-0000-4000-8000-000000000001", cwd="/home/dev/shop")
    log.user("Fix the failing test of the cart")
    log.call("Read", {"file_path": "/home/dev/shop/src/cart/total.py"}, "total = 1")
    log.call("Bash", {"command": "cd src && FOO=1 pytest -q tests/cart | tail -3"}, "1 failed")
    log.call("Edit", {"file_path": "/home/dev/shop/src/cart/total.py", "old_string": "1"}, "ok")
    log.call("Bash", {"command": "make ci"}, "Exit code 2", is_error=True)
    log.call("WebFetch", {"url": "https://docs.example.org/cart", "prompt": "read"}, "read")
    log.assistant("The total was wrong; it is right now.")
    log.user("Now review the diff of the whole branch for regressions")
    log.call("Bash", {"command": "git diff main"}, "diff")
    log.assistant("Nothing else stands out.")
    log.write(claude)


def _docs(claude: Path) -> None:
    log = ClaudeSession(
        "bbbb2222-0000-4000-8000-000000000002",
        cwd="/home/dev/docs",
        start="2026-05-06T10:00:00.000Z",
        model="claude-opus-4-6",
    )
    log.user("Write the README of this project")
    log.call("Write", {"file_path": "/home/dev/docs/README.md", "content": "# Docs"}, "ok")
    log.assistant("It is written.")
    log.write(claude)


def _gate(codex: Path) -> None:
    log = CodexThread("019ec5aa-0000-7000-8000-000000000003", cwd="/home/dev/shop")
    log.turn("Why does the build of the gate fail?")
    log.shell("go build ./...", "undefined: parse", exit_code=1)
    log.shell("curl -s https://api.example.com/status", "up")
    log.answer("A function was renamed.")
    log.write(codex)


def folded(data: bytes) -> dict[str, int]:
    """Return the stacks of a folded output."""
    lines = (line.rsplit(" ", 1) for line in data.decode().splitlines())
    return {stack: int(value) for stack, value in lines}


def stacks(*arguments: str | Path, view: str = "operations") -> dict[str, int]:
    """Run one view over all projects and return its stacks; it must succeed."""
    ran = run("-o", "-", "--format", "folded", "--view", view, "--all-projects", *arguments)
    assert ran.code == 0, ran.err
    return folded(ran.out)


@contextlib.contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for a look."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        yield connection
