"""What a newer parser reads of a log takes the place of what an older one said of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession, encode_log
from canonical import differences, dump_of

from agentpprof.ingest import indexer
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.resources import read_text
from agentpprof.store.rereading import Rereading

Dump = dict[str, list[tuple[object, ...]]]
# What only an older parser would have said; each of them would win over what the logs say now.
_OLDER = (
    "update operation set result = 9, started_at_ms = 5, ended_at_ms = 9999999999999, "
    "active_ms = 77777777, text = printf('%.*c', 4000, 'z')",
    "update operation set outcome = 3, outcome_at_ms = 9999999999999, origin = 0 where op = 0",
    "update operation set quality = 0, input_tokens = input_tokens + 7 where op = 1",
    "update operation set result_bytes = 9999999 where op = 2",
    "insert or ignore into operation_path select operation.key, path.id, 4 from operation, path",
)


@pytest.fixture(params=["a-fork", "z-fork"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A session and a fork of it, read before or after it, which alone has a call's result."""
    log = ClaudeSession("m-session")
    log.user("Fix the tests")
    log.call("Read", {"file_path": "/home/dev/shop/a.py"}, "x = 1")
    call = log.tool_use("Bash", {"command": "pytest -q"})
    path = log.write(tmp_path / "home")
    result = log.tool_result(call, "2 passed")
    path.with_name(f"{request.param}.jsonl").write_bytes(encode_log(log.records))
    path.write_bytes(encode_log(record for record in log.records if record is not result))
    return tmp_path / "home"


def read(home: Path, database: Path) -> Dump:
    """Run a pass; returns the dump less the versions of parsers."""
    sync(database, [Root("claude", str(home / "projects"))])
    return {
        table: [
            tuple(one for name, one in zip(names, row, strict=True) if name != "parser_version")
            for row in (names, *rows)
        ]
        for table, (names, *rows) in dump_of(database).items()
    }


def change(database: Path, *statements: str) -> None:
    """Write as an older parser would have."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def make_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this release's parser be newer than the one that read the logs."""
    claude = indexer.AGENTS["claude"]
    newer = claude._replace(parser_version=claude.parser_version + 1)
    monkeypatch.setitem(indexer.AGENTS, "claude", newer)


def test_every_column_is_the_newer_parsers_whatever_the_order_of_the_logs(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = read(home, tmp_path / "fresh.db")
    database = tmp_path / "older.db"
    read(home, database)
    change(database, *_OLDER)
    make_newer(monkeypatch)
    assert differences(read(home, database), fresh) == []
    assert sync(database, [Root("claude", str(home / "projects"))]).files_read == 0


def test_a_pass_broken_off_after_any_batch_is_made_good_by_the_next(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = read(home, tmp_path / "fresh.db")
    database = tmp_path / "older.db"
    read(home, database)
    change(database, *_OLDER)
    make_newer(monkeypatch)
    monkeypatch.setattr(indexer, "BATCH_ROWS", 1)

    def stop(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(database, [Root("claude", str(home / "projects"))], stop)
    assert differences(read(home, database), fresh) == []


def test_rows_of_a_log_that_is_gone_keep_what_it_told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "older.db"
    read(home, database)
    change(database, "update operation set text = printf('%.*c', 4000, 'z')")
    next(home.rglob("m-session.jsonl")).unlink()
    make_newer(monkeypatch)
    read(home, database)
    query = "select count(*) from operation where text like 'zzzz%'"
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute(query).fetchone() == (5,)


def test_counts_that_a_log_told_which_is_gone_hold(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "older.db"
    read(home, database)
    change(
        database,
        "update usage_line set output_tokens = 5000 where log_file_id = "
        "(select id from log_file where path like '%fork.jsonl')",
        "update operation set output_tokens = 9999 where op = 1",
    )
    next(home.rglob("*-fork.jsonl")).unlink()
    make_newer(monkeypatch)
    read(home, database)
    with closing(sqlite3.connect(database)) as connection:
        query = "select distinct output_tokens from operation where op = 1"
        assert connection.execute(query).fetchall() == [(5000,)]


@pytest.mark.parametrize("name", ["outdated", "untold", "join_kept"])
def test_what_is_asked_for_each_log_looks_at_its_own_rows_alone(home: Path, name: str) -> None:
    database = home.parent / "agent.db"
    read(home, database)
    with closing(sqlite3.connect(database)) as connection:
        Rereading(connection, [1])
        statement = read_text("sql", f"reread/{name}.sql")
        values = dict.fromkeys(("keys", "key", "parser_version", "log_file_id", "offset"), "[]")
        plan = [row[3] for row in connection.execute(f"explain query plan {statement}", values)]
    assert not [step for step in plan if step.startswith("SCAN") and "json_each" not in step]


def test_a_log_that_an_older_release_stored_under_a_spelled_root_is_the_same_log(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = read(home, tmp_path / "fresh.db")
    database = tmp_path / "older.db"
    read(home, database)
    change(database, f"update log_file set path = replace(path, '{tmp_path}/', '')")
    monkeypatch.chdir(tmp_path)  # from where the older release was run
    make_newer(monkeypatch)
    assert differences(read(home, database), fresh) == []
