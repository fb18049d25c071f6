"""T17: a database of each earlier schema comes up to date, whatever stops it, and loses nothing."""

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical_dump, differences
from command_line import run
from older_schemas import EARLIER, write_older
from stopping import KILL, NO_SPACE, Store
from tracing import needs_strace
from watching import Logs, prompts

from agentpprof.ingest.indexer import sync
from agentpprof.store.database import look_at
from agentpprof.store.schema import schema_version

MIGRATE = """
import sys
from pathlib import Path
from agentpprof.store.database import opened_for_writing
with opened_for_writing(Path(sys.argv[1])):
    pass
"""


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    for number in range(2):
        for line in range(3):
            logs.append(number, f"prompt {line} of {number}")
    return logs


@pytest.fixture
def current(tmp_path: Path, logs: Logs) -> Path:
    path = tmp_path / "current.db"
    sync(path, logs.watched(path).roots)
    assert run("tags", "set", "--db", path, "session-1", "debug").code == 0
    return path


def dump_of(database: Path) -> Mapping[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        return canonical_dump(connection)


def wanted_of(current: Path, version: int) -> Mapping[str, list[tuple[Any, ...]]]:
    """Return what a database of an earlier schema can give: tags by hand came with schema 4."""
    dump = dict(dump_of(current))
    if version < 4:
        dump["manual_tag"] = dump["manual_tag"][:1]
    return dump


@pytest.mark.parametrize("version", EARLIER)
def test_an_earlier_schema_comes_up_to_date_with_all_its_rows(
    tmp_path: Path, logs: Logs, current: Path, version: int
) -> None:
    database = tmp_path / "old.db"
    write_older(current, database, version)
    assert look_at(database) == version
    root = ("--claude-root", logs.home / "projects")
    told = run("status", "--json", "--db", database, *root)
    assert (told.code, told.summary["schema"]) == (0, version)
    assert look_at(database) == version  # a look changes nothing
    report = sync(database, logs.watched(database).roots)
    assert (report.files_read, look_at(database)) == (0, schema_version())
    assert not differences(wanted_of(current, version), dump_of(database))
    with closing(sqlite3.connect(database)) as connection:
        views = {name for (name,) in connection.execute("select name from sqlite_schema")}
        assert "gone" not in views
        assert connection.execute("select count(*) from prompts").fetchone() == (6,)
    logs.append(0, "later")
    assert run("search", "later", "--db", database, *root).code == 0
    assert len(prompts(database)) == 7


@pytest.mark.parametrize("version", EARLIER)
@pytest.mark.parametrize(
    "command",
    [
        ("index",),
        ("-o", "-", "--format", "folded", "--all-projects", "--view", "operations"),
        ("-o", "-", "--format", "folded", "--all-projects", "--view", "operations", "--no-sync"),
        ("top", "--all-projects", "--view", "operations"),
        ("sessions", "--all-projects", "--no-sync"),
        ("sql", "select count(*) from prompts", "--no-sync"),
        ("search", "prompt", "--no-sync"),
        ("tags", "--all-projects"),
        ("tags", "set", "session-0", "debug"),
        ("doctor", "--repair"),
        ("forget", "--session-id", "session-0", "--yes"),
    ],
    ids=" ".join,
)
def test_every_command_takes_an_earlier_schema(
    tmp_path: Path, logs: Logs, current: Path, version: int, command: tuple[str, ...]
) -> None:
    database = tmp_path / "old.db"
    write_older(current, database, version)
    root = (
        ()
        if command[:2] == ("tags", "set") or command[0] == "forget"
        else ("--claude-root", logs.home / "projects")
    )
    ran = run(*command, "--db", database, *root)
    assert ran.code == 0, ran.err
    assert look_at(database) == schema_version()


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("fault", [KILL, NO_SPACE], ids=["kill", "full"])
@pytest.mark.parametrize("version", [1, schema_version() - 1])
def test_a_migration_that_is_stopped_is_all_or_nothing(
    tmp_path: Path, logs: Logs, current: Path, version: int, fault: str
) -> None:
    wanted, older = wanted_of(current, version), tmp_path / "older.db"
    write_older(current, older, version)
    store, found = Store(tmp_path / "store", older), set()
    for when in store.stopped_at(MIGRATE, fault):
        found.add(look_at(store.database))
        with closing(sqlite3.connect(store.database)) as connection:
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",), when
            rows = connection.execute("select count(*) from operation").fetchone()
        assert rows == (6,), when
        assert sync(store.database, logs.watched(store.database).roots).files_read == 0
        assert not differences(wanted, dump_of(store.database)), when
    assert found == {version, schema_version()}
    shutil.rmtree(store.place)
