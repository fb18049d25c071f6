"""T16: damaged, cut, foreign, stale databases: told in a line, never overwritten or hidden."""

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from canonical import differences, dump_of
from command_line import run
from watching import Logs

from agentpprof.ingest.indexer import sync

PAGE = 4096


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(3):
        for line in range(5):
            logs.append(number, f"prompt {line} of {number}")
    return logs


@pytest.fixture
def database(logs: Logs, tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    sync(path, logs.watched(path).roots)
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return a copy of a file with one fault of the kinds that disks and people make."""
    kind = chance.randrange(4)
    if kind == 0:
        return data[: chance.randrange(100, len(data))]
    page = chance.randrange(len(data) // PAGE) * PAGE
    if kind == 1:
        return data[:page] + b"\0" * PAGE + data[page + PAGE :]
    if kind == 2:
        other = chance.randrange(len(data) // PAGE) * PAGE
        return data[:page] + data[other : other + PAGE] + data[page + PAGE :]
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


@pytest.mark.slow
def test_damage_is_told_and_never_a_crash(logs: Logs, database: Path, tmp_path: Path) -> None:
    data, told = database.read_bytes(), 0
    root = ("--claude-root", logs.home / "projects")
    for seed in range(60):
        copy = tmp_path / f"copy-{seed}.db"
        copy.write_bytes(damaged(data, random.Random(seed)))
        before = digest(copy)
        found = run("doctor", "--deep", "--db", copy, *root)
        assert digest(copy) == before  # a look mends nothing and breaks nothing
        assert found.code in (0, 1, 3), found.err
        told += found.code != 0
        logs.append(0, f"later {seed}")
        for command in (("index",), ("watch", "--once"), ("-o", "-", "--format", "folded")):
            ran = run(*command, "--db", copy, *root)
            assert ran.code in (0, 1, 3, 78), (seed, command, ran.err)
            assert "inside" not in ran.err or command[0] == "-o", (seed, command, ran.err)
            assert ran.err.count("\n") <= 12
        copy.unlink()
    assert told > 25


@pytest.mark.parametrize(
    "content",
    [b"Dear Sir", b"SQLite format 3\0" + b"\0" * 5000, bytes(range(256)) * 64],
    ids=["text", "header", "bytes"],
)
def test_what_is_no_database_of_ours_is_left_alone(
    logs: Logs, tmp_path: Path, content: bytes
) -> None:
    place = tmp_path / "letter.db"
    place.write_bytes(content)
    for command in (("index",), ("watch", "--once"), ("forget", "--project", "x", "--yes")):
        root = () if command[0] == "forget" else ("--claude-root", logs.home / "projects")
        ran = run(*command, "--db", place, *root)
        assert ran.code in (1, 78)
        assert ran.err.startswith("Error: ")
    assert place.read_bytes() == content


def test_an_index_that_disagrees_is_found_and_healed(logs: Logs, database: Path) -> None:
    """Damage in an index alone: `doctor --deep` sees it, SQLite's own means mend it."""
    wanted = dump_of(database)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "update sqlite_schema set sql = replace(sql, 'where op = 0', 'where op = 1') "
            "where name = 'operation_prompt'"
        )
    root = ("--claude-root", logs.home / "projects")
    assert run("doctor", "--deep", "--db", database, *root).code in (1, 3)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "update sqlite_schema set sql = replace(sql, 'where op = 1', 'where op = 0') "
            "where name = 'operation_prompt'"
        )
        connection.execute("pragma writable_schema = reset")
        connection.execute("reindex")
    assert run("doctor", "--deep", "--db", database, *root).code == 0
    assert not differences(wanted, dump_of(database))


def test_rows_that_nothing_explains_are_told_as_damage(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("delete from field_bag")
        connection.commit()
    ran = run("top", "--view", "operations", "--all-projects", "--no-sync", "--db", database)
    assert (ran.code, ran.out) == (1, b"")
    assert "the database is damaged" in ran.err


def test_moved_away_and_indexed_again_is_as_before(
    logs: Logs, database: Path, tmp_path: Path
) -> None:
    """What the advice of the errors leads to, as long as the logs are there."""
    wanted = dump_of(database)
    database.write_bytes(b"x" * 8192)
    database.rename(tmp_path / "kept")
    sync(database, logs.watched(database).roots)
    assert not differences(wanted, dump_of(database))


def test_logs_that_vanished_cost_no_row(logs: Logs, database: Path, tmp_path: Path) -> None:
    """An empty or a missing root, then the logs again: nothing is ever taken away."""
    wanted = dump_of(database)
    (logs.home / "projects").rename(tmp_path / "away")
    sync(database, logs.watched(database).roots)
    assert len(wanted["operation"]) == len(dump_of(database)["operation"])
    (logs.home / "projects").mkdir()
    sync(database, logs.watched(database).roots)
    assert len(wanted["operation"]) == len(dump_of(database)["operation"])
    shutil.rmtree(logs.home / "projects")
    (tmp_path / "away").rename(logs.home / "projects")
    sync(database, logs.watched(database).roots)
    assert not differences(wanted, dump_of(database))
