"""A database that is taken away in the middle of a pass: it ends, nothing is written astray."""

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from command_line import run
from watching import Logs, Script, batches, prompts

from agentpprof.errors import ReplacedError
from agentpprof.ingest import indexer
from agentpprof.ingest.indexer import sync
from agentpprof.ingest.report import Progress
from agentpprof.store.maintenance import backup, restore

Take = Callable[[Path], None]


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(4):
        logs.append(number, f"prompt of {number}")
    return logs


@pytest.fixture
def database(logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with a backup, and logs that have grown since; a batch holds one log."""
    monkeypatch.setattr(indexer, "BATCH_BYTES", 1)
    path = tmp_path / "store" / "agent.db"
    sync(path, logs.watched(path).roots)
    backup(path, path.with_name("copy"))
    for number in range(4):
        logs.append(number, f"later of {number}")
    return path


def move(database: Path) -> None:
    for path in database.parent.glob("agent.db*"):
        path.rename(path.with_name("moved" + path.name.removeprefix("agent.db")))


def move_alone(database: Path) -> None:
    database.rename(database.with_name("moved"))


def delete(database: Path) -> None:
    for path in database.parent.glob("agent.db*"):
        path.unlink()


def replace(database: Path) -> None:
    other = database.with_name("other")
    other.write_bytes(database.with_name("copy").read_bytes())
    other.replace(database)


def unlink_the_log(database: Path) -> None:
    database.with_name("agent.db-wal").unlink()


WAYS = [move, move_alone, delete, replace, unlink_the_log]


@pytest.mark.parametrize("take", WAYS)
def test_a_pass_ends_behind_the_batch_in_which_the_database_was_taken_away(
    logs: Logs, database: Path, take: Take
) -> None:
    taken: list[Progress] = []

    def after_a_batch(progress: Progress) -> None:
        assert not taken, "a batch was written after that"
        taken.append(progress)
        take(database)

    with pytest.raises(ReplacedError, match="agentpprof index"):
        sync(database, logs.watched(database).roots, after_a_batch)
    sync(database, logs.watched(database).roots)
    every = [f"{word} of {number}" for word in ("later", "prompt") for number in range(4)]
    assert prompts(database) == sorted(every)


def test_it_is_told_in_a_line(logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = indexer._Counts.add

    def add_and_delete(counts: object, batch: object) -> None:
        add(counts, batch)  # type: ignore[arg-type]
        delete(database)

    monkeypatch.setattr(indexer._Counts, "add", add_and_delete)
    ran = run("index", "--db", database, "--claude-root", logs.home / "projects")
    assert ran.code == 1
    assert ran.err.startswith("Error: the database was moved, replaced or deleted")


@pytest.mark.parametrize("take", WAYS)
def test_a_watcher_opens_it_anew(logs: Logs, database: Path, take: Take) -> None:
    script, before = Script(), script_hook(database, take)
    script.is_alive = before  # type: ignore[method-assign]
    found = [batch for _, batch in batches(logs.watched(database), script, 10)]
    assert [batch.error for batch in found][:2] == ["REPLACED", ""]
    assert len(prompts(database)) == 8


def script_hook(database: Path, take: Take) -> Callable[[], None]:
    """Take the database away at the first sign of life: that is behind the first batch."""
    taken: list[bool] = []

    def is_alive() -> None:
        if not taken:
            taken.append(True)
            take(database)

    return is_alive


def test_a_restore_between_two_batches_is_not_written_over(logs: Logs, database: Path) -> None:
    """It may come there, as the write lock is held for a batch only."""
    after_restore: list[str] = []

    def restore_once(_: Progress) -> None:
        restore(database, database.with_name("copy"))
        after_restore.append(hashlib.sha256(database.read_bytes()).hexdigest())

    with pytest.raises(ReplacedError):
        sync(database, logs.watched(database).roots, restore_once)
    assert [hashlib.sha256(database.read_bytes()).hexdigest()] == after_restore
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_what_stays_in_place_is_no_reason_to_end(logs: Logs, database: Path) -> None:
    """Other programs open, read, write and close it meanwhile."""

    def look(_: Progress) -> None:
        assert prompts(database)
        backup(database, database.with_name("again"))

    sync(database, logs.watched(database).roots, look)
    assert len(prompts(database)) == 8
