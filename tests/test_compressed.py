"""Compressed and moved logs are the logs they were: nothing is lost, nothing counts twice."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard
from builders import assistant, encode_log, user
from builders_codex import codex_usage, meta, token_count, turn_context, user_message

from agentpprof import agents
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync

NAME = "rollout-2026-05-01T10-00-00-thread-1.jsonl"
FIRST = [
    meta("thread-1", at="2026-05-01T10:00:00.000Z"),
    turn_context("turn-1", at="2026-05-01T10:00:01.000Z"),
    user_message("fix it", at="2026-05-01T10:00:02.000Z"),
    token_count(codex_usage(100, 10), at="2026-05-01T10:00:09.000Z"),
]
MORE = [
    user_message("and test it", at="2026-05-01T10:01:02.000Z"),
    token_count(codex_usage(250, 30), codex_usage(150, 20), at="2026-05-01T10:01:09.000Z"),
]


def rows(database: Path, statement: str) -> list[tuple[Any, ...]]:
    """Rows of a statement."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(statement).fetchall()


def totals(database: Path) -> tuple[Any, ...]:
    """Prompts, counted responses, input tokens and lines that carried usage."""
    return rows(
        database,
        "select sum(op = 0), sum(input_tokens is not null), sum(input_tokens), "
        "(select count(*) from usage_line) from operation",
    )[0]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Codex home with one thread."""
    folder = tmp_path / "home" / "sessions"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(encode_log(FIRST))
    return tmp_path / "home"


def sync_home(home: Path, database: Path) -> None:
    """Index both folders of a Codex home."""
    sync(database, [Root("codex", str(home / name)) for name in ("sessions", "archived_sessions")])


def test_a_log_that_is_compressed_and_plain_again_is_one_log(home: Path, tmp_path: Path) -> None:
    database, log = tmp_path / "a.db", home / "sessions" / NAME
    sync_home(home, database)
    packed = log.with_name(NAME + ".zst")
    packed.write_bytes(zstandard.compress(log.read_bytes()))
    log.unlink()
    sync_home(home, database)
    assert totals(database) == (1, 1, 100, 1)
    log.write_bytes(encode_log([*FIRST, *MORE]))
    packed.unlink()
    sync_home(home, database)
    assert totals(database) == (2, 2, 250, 2)
    assert rows(database, "select count(*), sum(gone) from log_file") == [(1, 0)]


def test_a_log_found_compressed_is_read(home: Path, tmp_path: Path) -> None:
    log = home / "sessions" / NAME
    log.with_name(NAME + ".zst").write_bytes(zstandard.compress(encode_log([*FIRST, *MORE])))
    log.unlink()
    sync_home(home, tmp_path / "a.db")
    assert totals(tmp_path / "a.db") == (2, 2, 250, 2)


def test_a_cut_archive_gives_what_it_holds_and_says_so(home: Path, tmp_path: Path) -> None:
    database, log = tmp_path / "a.db", home / "sessions" / NAME
    log.unlink()
    filler = [user_message(f"message {n}", at="2026-05-01T11:00:00.000Z") for n in range(3000)]
    whole = zstandard.compress(encode_log([*FIRST, *filler, *MORE]))
    packed = log.with_name(NAME + ".zst")
    packed.write_bytes(whole[:-20])
    sync_home(home, database)
    assert rows(database, "select damage from log_file") == [("cut archive",)]
    packed.write_bytes(whole)
    sync_home(home, database)
    assert rows(database, "select damage from log_file") == [(None,)]
    assert totals(database)[1:3] == (2, 250)


def test_a_bomb_is_not_unpacked_whole(home: Path, tmp_path: Path) -> None:
    database, log = tmp_path / "a.db", home / "sessions" / NAME
    log.unlink()
    bomb = zstandard.ZstdCompressor().compressobj()
    packed = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(600)) + bomb.flush()
    log.with_name(NAME + ".zst").write_bytes(packed)
    sync_home(home, database)
    assert rows(database, "select damage from log_file") == [("unpacks to too much",)]


def test_an_archived_log_goes_on_under_its_new_name(home: Path, tmp_path: Path) -> None:
    database, log = tmp_path / "a.db", home / "sessions" / NAME
    sync_home(home, database)
    archived = home / "archived_sessions" / NAME
    archived.parent.mkdir()
    log.rename(archived)
    with archived.open("ab") as stream:
        stream.write(encode_log(MORE))
    sync_home(home, database)
    assert totals(database) == (2, 2, 250, 2)
    assert rows(database, "select path, gone from log_file") == [(str(archived), 0)]


def test_a_newer_parser_reads_a_log_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, database = tmp_path / "projects", tmp_path / "a.db"
    folder.mkdir()
    log = [user("fix it"), assistant("done", message_id="m1")]
    (folder / "session-1.jsonl").write_bytes(encode_log(log))
    root = [Root("claude", str(folder))]
    sync(database, root)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("update operation set output_tokens = 999999 where op = 1")
        connection.execute(
            "insert into operation select null, 42, op, owner_rank, session_key, prompt_key, "
            "log_file_id, offset, started_at_ms, ended_at_ms, active_ms, idle_ms, bag_id, "
            "object_id, result, parser_version, input_tokens, cache_read_tokens, "
            "cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, "
            "estimate_tokens, web_searches, quality, result_bytes, origin, outcome, "
            "outcome_at_ms, text_hash, natural_id, text from operation where op = 1"
        )
        connection.commit()
    newer = agents.AGENTS["claude"]._replace(parser_version=3)
    monkeypatch.setitem(agents.AGENTS, "claude", newer)
    report = sync(database, root)
    assert report.files_read == 1
    assert rows(database, "select output_tokens, parser_version from operation where op = 1") == [
        (50, 3)
    ]
    assert sync(database, root).files_read == 0
