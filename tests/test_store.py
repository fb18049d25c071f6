"""The database file: private, never a stranger's, whole after any failure, one writer at a time."""

import multiprocessing
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession
from canonical import canonical_dump, differences

from agentpprof.errors import StoreError
from agentpprof.ingest import indexer
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.store import database as store
from agentpprof.store.database import (
    APPLICATION_ID,
    look_at,
    opened_for_reading,
    opened_for_writing,
    write_lock,
)
from agentpprof.store.schema import schema_version

SPAWN = multiprocessing.get_context("spawn")


def write_home(home: Path, sessions: int = 3, calls: int = 4) -> list[Root]:
    """Write a small history; return its root."""
    for number in range(sessions):
        log = ClaudeSession(f"session-{number}")
        log.user(f"Do {number}")
        for n in range(calls):
            log.call("Bash", {"command": f"echo {n}"})
        log.write(home)
    return [Root("claude", str(home / "projects"))]


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """What a database says."""
    with closing(sqlite3.connect(path)) as connection:
        return canonical_dump(connection)


def mode_of(path: Path) -> int:
    """Permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder: its bytes and when it was changed."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ---------------------------------------------------------------------------- private


def test_only_the_owner_can_read_the_database_its_sidecar_files_and_its_folder(
    tmp_path: Path,
) -> None:
    roots = write_home(tmp_path / "home")
    path = tmp_path / "data" / "deep" / "agent.db"
    before = os.umask(0)
    try:
        sync(path, roots)
        with opened_for_writing(path) as connection:
            connection.execute("update meta set value = value where key = 'zone'")
            files = {file.name: mode_of(file) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert files == {
        "agent.db": 0o600,
        "agent.db-wal": 0o600,
        "agent.db-shm": 0o600,
        "agent.db.write.lock": 0o600,
    }
    assert mode_of(path.parent) == 0o700


# ---------------------------------------------------------------------------- never a stranger's


def foreign(path: Path, mode: str = "delete") -> None:
    """Make a database of another program."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
        connection.execute("create table theirs (x)")
        connection.commit()


def newer(path: Path) -> None:
    """Make a database of a later version."""
    with opened_for_writing(path) as connection:
        connection.execute(f"pragma user_version = {schema_version() + 1}")
        connection.execute("pragma journal_mode = delete")
    path.with_name(path.name + ".write.lock").unlink(missing_ok=True)


def a_text(path: Path) -> None:
    """Make a file that is no database."""
    path.write_text("# Notes\n" * 500)


def a_cut_database(path: Path) -> None:
    """Make a database of ours without its second half."""
    newer(path)
    path.write_bytes(path.read_bytes()[:30_000])


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "foreign": (foreign, "is not a database of agentpprof"),
    "foreign, wal": (lambda path: foreign(path, "wal"), "is not a database of agentpprof"),
    "newer": (newer, f"schema {schema_version() + 1}, made by a newer agentpprof"),
    "text": (a_text, "is not a database, or is damaged"),
    "folder": (Path.mkdir, "is a folder"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_ours_is_refused_in_a_sentence_and_not_touched(
    kind: str, tmp_path: Path
) -> None:
    make, words = REFUSED[kind]
    place = tmp_path / "data"
    place.mkdir()
    make(place / "agent.db")
    before = contents(place)
    roots = write_home(tmp_path / "home")
    for refuse in (lambda: look_at(place / "agent.db"), lambda: sync(place / "agent.db", roots)):
        with pytest.raises(StoreError, match=words):
            refuse()
    assert contents(place) == before


def test_a_folder_that_can_not_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match=r"can't be (made|written)"),
        opened_for_writing(tmp_path / "file" / "agent.db"),
    ):
        pass


def test_a_link_that_leads_nowhere_is_not_followed_when_a_database_is_made(tmp_path: Path) -> None:
    (tmp_path / "agent.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError), opened_for_writing(tmp_path / "agent.db"):
        pass
    assert not (tmp_path / "elsewhere.db").exists()


def test_an_empty_file_and_no_file_are_no_database_yet(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    assert look_at(tmp_path / "empty.db") == look_at(tmp_path / "none.db") == 0
    assert not (tmp_path / "none.db").exists()


def test_a_reader_can_not_write_but_may_use_temporary_tables(tmp_path: Path) -> None:
    with opened_for_writing(tmp_path / "agent.db"):
        pass
    with opened_for_reading(tmp_path / "agent.db") as connection:
        connection.execute("create temp table t (x)")
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("delete from meta")


def test_the_database_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.default_path().name == "agentpprof.db"
    monkeypatch.setenv("AGENTPPROF_DB", "/elsewhere/agent.db")
    assert store.default_path() == Path("/elsewhere/agent.db")


# ---------------------------------------------------------------------------- several at once


def index_in_process(path: str, root: str) -> None:
    """Index once; runs in a process of its own."""
    sync(Path(path), [Root("claude", root)])


def started(path: Path, roots: list[Root]) -> multiprocessing.process.BaseProcess:
    """Start a process that indexes."""
    process = SPAWN.Process(target=index_in_process, args=(str(path), roots[0].path))
    process.start()
    return process


@pytest.mark.slow
def test_four_first_starts_at_once_all_end_well(tmp_path: Path) -> None:
    roots = write_home(tmp_path / "home")
    processes = [started(tmp_path / "agent.db", roots) for _ in range(4)]
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    sync(tmp_path / "alone.db", roots)
    assert differences(dump(tmp_path / "agent.db"), dump(tmp_path / "alone.db")) == []


def test_a_second_writer_waits_for_the_lock_or_is_told(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with write_lock(path, 0) as is_mine:
        assert is_mine
        with write_lock(path, 0.05) as is_theirs:
            assert not is_theirs
    with write_lock(path, 0) as is_mine:
        assert is_mine


def test_indexing_under_a_foreign_lock_says_that_another_one_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_LOCK_SECONDS", 0.05)
    roots = write_home(tmp_path / "home")
    path = tmp_path / "agent.db"
    with (
        write_lock(path, 0) as is_mine,
        pytest.raises(StoreError, match="another agentpprof has been writing"),
    ):
        assert is_mine
        sync(path, roots)
    assert dump(path)["operation"][1:] == []
    assert sync(path, roots).files_read == 3


@pytest.mark.slow
def test_a_process_that_finds_the_lock_taken_goes_on_when_it_is_free(tmp_path: Path) -> None:
    roots = write_home(tmp_path / "home")
    path = tmp_path / "agent.db"
    with write_lock(path, 0):
        process = started(path, roots)
        time.sleep(1)
        assert process.is_alive()
    process.join(60)
    assert process.exitcode == 0
    assert len(dump(path)["log_file"]) == 4


def test_two_passes_that_read_the_same_bytes_count_them_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = write_home(tmp_path / "home")
    path = tmp_path / "agent.db"
    sync(path, roots)
    log = ClaudeSession("session-0")
    log.user("Do 0")
    for n in range(6):
        log.call("Bash", {"command": f"echo {n}"})
    log.side("new-kind", version="9")
    log.write(tmp_path / "home")
    read = indexer._read_files

    def after_another_pass(*arguments: object) -> Iterator[object]:
        monkeypatch.setattr(indexer, "_read_files", read)
        reads = list(read(*arguments))  # type: ignore[arg-type]
        sync(path, roots)
        yield from reads

    monkeypatch.setattr(indexer, "_read_files", after_another_pass)
    sync(path, roots)
    sync(tmp_path / "alone.db", roots)
    assert differences(dump(path), dump(tmp_path / "alone.db")) == []


# ---------------------------------------------------------------------------- whole after a failure


@pytest.mark.parametrize(
    "statement", ["insert into operation", "usage_line", "operation_path", "session", "meta"]
)
def test_a_batch_that_fails_leaves_nothing_behind_and_a_second_try_works(
    statement: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    roots = write_home(home)
    path = tmp_path / "agent.db"
    sync(path, roots)
    before = dump(path)
    log = ClaudeSession("session-9", cwd="/home/dev/new")
    log.user("More")
    log.call("Edit", {"file_path": "/home/dev/new/a.py"})
    log.write(home)
    with closing(sqlite3.connect(path)) as connection:
        table = statement.split()[-1]
        verb = "update" if table == "meta" else "insert"
        connection.execute(
            f"create trigger breaks before {verb} on {table} "
            "begin select raise(abort, 'broken'); end"
        )
    with pytest.raises((StoreError, sqlite3.Error)):
        sync(path, roots)
    assert differences(before, dump(path)) == []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("drop trigger breaks")
    sync(path, roots)
    sync(tmp_path / "alone.db", roots)
    assert differences(dump(path), dump(tmp_path / "alone.db")) == []


def test_a_migration_that_fails_leaves_an_empty_database_that_a_second_try_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentpprof.store import schema

    path = tmp_path / "agent.db"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_refresh_views", _breaks)
        with pytest.raises(RuntimeError), opened_for_writing(path):
            pass
    assert look_at(path) == 0
    with opened_for_writing(path) as connection:
        assert connection.execute("select count(*) from operations").fetchone() == (0,)


def _breaks(*arguments: object) -> None:
    raise RuntimeError("broken")


INDEX = (
    "import sys; from pathlib import Path; from agentpprof.ingest import indexer; "
    "from agentpprof.ingest.discover import Root; indexer.BATCH_ROWS = 50; "
    "indexer.reader.read_pieces.__defaults__ = (20_000,); "
    "indexer.sync(Path(sys.argv[1]), [Root('claude', sys.argv[2])])"
)


@pytest.mark.slow
def test_killed_at_any_moment_a_run_goes_on_to_what_an_unbroken_one_gives(tmp_path: Path) -> None:
    home = tmp_path / "home"
    roots = write_home(home, sessions=20, calls=40)
    sync(tmp_path / "alone.db", roots)
    right = dump(tmp_path / "alone.db")
    command = [sys.executable, "-c", INDEX]
    whole = time.monotonic()
    subprocess.run([*command, tmp_path / "timed.db", roots[0].path], check=True)
    whole = time.monotonic() - whole
    chance = random.Random(7)
    killed = 0
    for number in range(10):
        path = tmp_path / f"killed-{number}.db"
        process = subprocess.Popen([*command, path, roots[0].path])
        time.sleep(whole * chance.uniform(0.2, 1))
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            killed += 1
        else:
            whole /= 2  # the machine was slower when the whole was timed
        subprocess.run([*command, path, roots[0].path], check=True)
        assert differences(dump(path), right) == []
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    assert killed >= 5


def test_application_and_schema_are_marked_in_the_file(tmp_path: Path) -> None:
    with opened_for_writing(tmp_path / "agent.db") as connection:
        pragmas = [
            connection.execute(f"pragma {name}").fetchone()[0]
            for name in ("application_id", "user_version", "journal_mode", "synchronous")
        ]
    assert pragmas == [APPLICATION_ID, schema_version(), "wal", 2]
