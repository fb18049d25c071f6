"""T3: a power cut at any moment, by what really reached the disk.

The writes and syncs of real passes are recorded call by call. A disk after a cut holds everything
up to the last sync of each file, and of what came later any part, torn sectors among it.
"""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from canonical import differences, dump_of
from tracing import Call, needs_strace, recorded
from watching import Logs

from agentpprof.ingest.indexer import sync

IMAGES = int(os.environ.get("AGENTPPROF_POWER_IMAGES", "100"))
SECTOR = 512
# Some passes in one process; after each, what is stored is acknowledged by a marked call.
PASSES = """
import os, sys
from pathlib import Path
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
database, home = Path(sys.argv[1]), Path(sys.argv[2])
for number in range(6):
    for step in sorted(home.glob(f"step-{number}-*")):
        target = home / "projects" / "-p" / step.name.rpartition("-")[2]
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as stream:
            stream.write(step.read_bytes())
    sync(database, [Root("claude", str(home / "projects"))])
    os.unlink(home / f"acknowledged-{number}")
"""
WITHOUT_SYNC = """
import agentpprof.store.database as database_module
whole = database_module._set_up_writer
def set_up(connection):
    whole(connection)
    connection.execute("pragma synchronous = off")
database_module._set_up_writer = set_up
"""


class Write(NamedTuple):
    """One change of a file, or a mark in time."""

    kind: str  # write, cut, sync, remove or mark
    name: str
    offset: int = 0
    data: bytes = b""


class Disk:
    """What a run did to the files of a database, and what a cut leaves of it."""

    def __init__(self, calls: list[Call], database: Path) -> None:
        self.database = database.name
        self.writes = [write for call in calls if (write := self._write(call))]

    def _write(self, call: Call) -> Write | None:
        path = _bytes_of(call.arguments).decode("utf-8", "replace")
        if call.name in ("fsync", "fdatasync", "pwrite64", "ftruncate"):
            path = call.arguments[call.arguments.index("<") + 1 : call.arguments.index(">")]
            path = _plain(path)
        name = path.rpartition("/")[2]
        if call.name == "unlink" and name.startswith("acknowledged"):
            return Write("mark", "")
        if not name.startswith(self.database) or name.endswith(("-shm", ".lock")):
            return None
        numbers = [part for part in call.arguments.split(", ") if part.isdigit()]
        if call.name == "pwrite64":
            data = _bytes_of(call.arguments[call.arguments.index(">") :])[: call.result]
            return Write("write", name, int(numbers[-1]), data)
        if call.name == "ftruncate":
            return Write("cut", name, int(numbers[-1]))
        return Write("remove" if call.name == "unlink" else "sync", name)

    def image(self, chance: random.Random, folder: Path) -> int:
        """Write what a cut at a random moment leaves; returns how many passes were done then."""
        moment = chance.randrange(len(self.writes) + 1)
        done = self.writes[:moment]
        files: dict[str, bytearray] = {}
        for index, write in enumerate(done):
            later = done[index + 1 :]
            is_safe = any(each.kind == "sync" and each.name == write.name for each in later)
            if is_safe or write.kind == "remove" or chance.random() < 0.5:
                _apply(files, write, None if is_safe else chance)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return sum(write.kind == "mark" for write in done)


def _apply(files: dict[str, bytearray], write: Write, chance: random.Random | None) -> None:
    """Apply one change; one that was not synced may be torn between two sectors."""
    if write.kind == "remove":
        files.pop(write.name, None)
    elif write.kind == "cut":
        data = files.setdefault(write.name, bytearray())
        del data[write.offset :]
    elif write.kind == "write":
        data = files.setdefault(write.name, bytearray())
        written = write.data
        if chance is not None and chance.random() < 0.3:
            written = written[: chance.randrange(len(written) + 1) // SECTOR * SECTOR]
        data.extend(b"\0" * (write.offset + len(written) - len(data)))
        data[write.offset : write.offset + len(written)] = written


def _bytes_of(text: str) -> bytes:
    """Return the bytes of the first quoted string of a recorded call."""
    quoted = text.partition('"')[2].partition('"')[0]
    return bytes.fromhex(quoted.replace("\\x", ""))


def _plain(path: str) -> str:
    return _bytes_of(f'"{path}"').decode() if path.startswith("\\x") else path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home whose logs grow in six steps."""
    logs = Logs(tmp_path / "made")
    home = tmp_path / "home"
    home.mkdir()
    for number in range(6):
        path = logs.append(number % 2, f"prompt {number} " + "x" * 3000)
        shutil.move(path, home / f"step-{number}-{path.name}")
        (home / f"acknowledged-{number}").touch()
    return home


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Callable[[str], Disk]:
    """Give `disk(code)`: the record of a run of that code."""

    def run(code: str) -> Disk:
        database = tmp_path / "store" / "agent.db"
        database.parent.mkdir()
        calls = "pwrite64,fsync,fdatasync,ftruncate,unlink"
        return Disk(list(recorded(database, home, calls, code, tmp_path / "calls")), database)

    return run


def faults_of(disk: Disk, home: Path, tmp_path: Path) -> list[str]:
    """Cut the power at many moments; say what is then wrong."""
    roots = Logs.watched_roots(home)
    expected = tmp_path / "expected.db"
    sync(expected, roots)
    wanted = dump_of(expected)
    found: list[str] = []
    for seed in range(IMAGES):
        folder = tmp_path / f"image-{seed}"
        acknowledged = disk.image(random.Random(seed), folder)
        found += [f"{seed}: {fault}" for fault in _faults(folder / "agent.db", acknowledged)]
        if not found:
            sync(folder / "agent.db", roots)
            found += [
                f"{seed}: {each}" for each in differences(wanted, dump_of(folder / "agent.db"))
            ]
        shutil.rmtree(folder)
    return found


def _faults(database: Path, acknowledged: int) -> list[str]:
    if not database.exists() or database.stat().st_size == 0:
        return ["nothing is left"] if acknowledged else []
    try:
        with closing(sqlite3.connect(database)) as connection:
            sound = connection.execute("pragma integrity_check").fetchone()[0]
            tables = connection.execute(
                "select count(*) from sqlite_schema where name = 'operation'"
            ).fetchone()[0]
            rows = 0
            if tables:
                rows = connection.execute("select count(*) from operation").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return [f"damaged: {error.sqlite_errorname}"]
    found = [] if sound == "ok" else ["damaged"]
    return found + [f"{acknowledged} acknowledged, {rows} stored"] * (rows < acknowledged)


@needs_strace
@pytest.mark.slow
def test_nothing_acknowledged_is_lost(
    home: Path, disk: Callable[[str], Disk], tmp_path: Path
) -> None:
    made = disk(PASSES)
    assert len(made.writes) > 50
    assert sum(write.kind == "mark" for write in made.writes) == 6
    assert not faults_of(made, home, tmp_path)


@needs_strace
@pytest.mark.slow
def test_without_syncs_it_would_be(home: Path, disk: Callable[[str], Disk], tmp_path: Path) -> None:
    """The control: SQLite that does not wait for the disk."""
    assert faults_of(disk(WITHOUT_SYNC + PASSES), home, tmp_path)
