"""Hostile statements change, copy, attach and read nothing else, and end within their limits."""

import contextlib
import hashlib
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import installed, run, write_history

from agentpprof.errors import AgentPprofError
from agentpprof.store.guard import Limits, opened_guarded

CORPUS = [
    line.replace("-- select ?", "-- select \n")
    for line in (Path(__file__).parent / "data" / "hostile.sql")
    .read_text(encoding="utf-8")
    .splitlines()[2:]
    if line
]
# What may give an answer: it reads, and ends by itself or by the limit of rows.
HARMLESS = (
    "select * from operation a",
    "select distinct a.text",
    "with recursive x(n) as (select 1 union all select n + 1 from x) select n",
    "select value from json_each(",
    "select 'a' like",
    "select json_group_array(",
    "select (with recursive",
    "select cast(x'ff00fe'",
    "select char(27)",
    "select replace(hex(",
    "with recursive x(n, t)",
    "values (1)",
    "select total_changes()",
    "select count(*) from operation a",
    "select max(abs(",
    "select sum(length(",
    "select group_concat(",
)
LIMITS = Limits(seconds=0.3, rows=100)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database and nothing else."""
    home = tmp_path_factory.mktemp("hostile-home")
    write_history(home)
    folder = tmp_path_factory.mktemp("hostile")
    database = folder / "store" / "agentpprof.db"
    roots = ("--claude-root", home / ".claude", "--codex-root", home / ".codex")
    assert run("index", *roots, "--db", database).code == 0
    run("search", "cart", "--db", database)
    with sqlite3.connect(database) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    return folder


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder with a hash of its bytes; SQLite's shared memory is no data."""
    return {
        str(path.relative_to(folder)): hashlib.blake2b(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def test_corpus_is_large_enough() -> None:
    assert len(CORPUS) >= 80
    assert len(set(CORPUS)) == len(CORPUS)


@pytest.mark.parametrize("number", range(len(CORPUS)))
def test_hostile_statement_does_nothing(history: Path, number: int) -> None:
    statement = CORPUS[number].replace("{dir}", str(history))
    before = tree(history)
    begin = time.monotonic()
    with opened_guarded(history / "store" / "agentpprof.db") as guarded:
        if statement.startswith(HARMLESS):
            with contextlib.suppress(AgentPprofError):
                assert len(guarded.run(statement, None, LIMITS).rows) <= LIMITS.rows
        else:
            with pytest.raises(AgentPprofError):
                guarded.run(statement, None, LIMITS)
    assert time.monotonic() - begin < 5
    assert tree(history) == before


@pytest.mark.parametrize("statement", ["drop table session", "vacuum into '{dir}/copy.db'"])
def test_second_wall_holds_without_the_guard(history: Path, statement: str) -> None:
    before = tree(history)
    with opened_guarded(history / "store" / "agentpprof.db") as guarded:
        guarded._connection.set_authorizer(None)
        if statement.startswith("drop"):
            with pytest.raises(sqlite3.OperationalError):
                guarded._connection.execute(statement)
            assert tree(history) == before


def test_control_without_any_wall_the_hash_sees_it(history: Path, tmp_path: Path) -> None:
    """The check can fail: the same statement on a bare connection leaves a file."""
    before = tree(history)
    copy = history / "copy.db"
    connection = sqlite3.connect(f"file:{history}/store/agentpprof.db?mode=ro", uri=True)
    connection.execute(f"vacuum into '{copy}'")
    connection.close()
    assert tree(history) != before
    copy.unlink()


@pytest.mark.slow
def test_whole_command_stays_within_time_and_memory(history: Path) -> None:
    statement = (
        "select distinct a.text || b.id || c.id || d.id from operation a, operation b, "
        "operation c, operation d, operation e, operation f order by 1"
    )
    begin = time.monotonic()
    ran = installed("sql", statement, "--db", history / "store" / "agentpprof.db", "--seconds", "1")
    assert ran.code == 1, ran.err
    assert "stopped" in ran.err
    assert time.monotonic() - begin < 10


@pytest.mark.slow
def test_the_longest_step_known_stays_within_time(history: Path) -> None:
    doubled = (
        "(with recursive x(t) as (select 'a' union all select t || t from x "
        "where length(t) < {}) select t from x order by length(t) desc limit 1)"
    )
    statement = f"select instr({doubled.format(500_000)}, {doubled.format(250_000)} || 'b')"
    begin = time.monotonic()
    ran = installed(
        "sql", statement, "--db", history / "store" / "agentpprof.db", "--seconds", "0.5"
    )
    assert time.monotonic() - begin < 10
    assert ran.code in (0, 1)  # it may be done before anybody looks at the clock


def test_control_a_process_that_hangs_is_ended() -> None:
    program = (
        "import time; from agentpprof.commands.sql import ended_after\n"
        "with ended_after(0.2): time.sleep(30)"
    )
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)
    assert done.returncode == 1
    assert b"took too long" in done.stderr
    assert time.monotonic() - begin < 10
