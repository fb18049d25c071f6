"""A last record without newline: taken once when nobody writes any more, and never twice."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from builders import encode_log, user
from builders_codex import CodexThread
from canonical import canonical_dump, differences
from watching import Logs, Script, batches, prompts

from agentpprof.ingest import indexer, quiet, reader
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.ingest.report import SyncReport
from agentpprof.store.forgetting import Wish, forget

HOUR_NS = 3600 * 10**9


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    logs = Logs(tmp_path / "home")
    logs.append(1, "whole")
    return logs


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def path(logs: Logs) -> Path:
    return logs.sessions[1].path(logs.home)


def later(logs: Logs, database: Path, hours: int = 1) -> SyncReport:
    """Run a pass some hours from now."""
    return sync(database, logs.watched(database).roots, now_ns=time.time_ns() + hours * HOUR_NS)


def record(logs: Logs, words: str) -> bytes:
    """Return a record of the session without its newline."""
    return encode_log([logs.sessions[1].user(words)])[:-1]


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(data)


def dump_of(database: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(database)) as connection:
        return canonical_dump(connection)


def test_a_last_record_is_taken_when_nobody_writes_any_more(
    logs: Logs, database: Path, path: Path
) -> None:
    add(path, record(logs, "last"))
    assert later(logs, database, 0).files_read == 1
    assert prompts(database) == ["whole"]
    report = later(logs, database)
    assert (report.files_read, report.quiet_files, report.has_news) == (1, 1, False)
    assert prompts(database) == ["last", "whole"]


def test_a_log_that_is_quiet_at_the_first_look_is_read_whole_at_once(
    logs: Logs, database: Path, path: Path
) -> None:
    add(path, record(logs, "last"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    later(logs, database, 0)
    assert prompts(database) == ["last", "whole"]


@pytest.mark.parametrize("tail", ["record", "half", "list", "no record", "damage"])
def test_a_tail_is_looked_at_once(
    logs: Logs, database: Path, path: Path, monkeypatch: pytest.MonkeyPatch, tail: str
) -> None:
    whole = record(logs, "last")
    tails = {"half": whole[:-1], "list": b"[1]", "no record": b'{"a": 1}', "damage": b"\xff\0{"}
    add(path, tails.get(tail, whole))
    later(logs, database, 0)
    assert later(logs, database).files_read == 1
    assert len(prompts(database)) == (2 if tail == "record" else 1)

    def forbidden(*_: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(reader, "opened", forbidden)
    assert later(logs, database, 2).files_read == 0


@pytest.mark.parametrize("behind", [b"\n", b"\r\n", b"", b'{"type":"us', b"\n\n", b"junk"])
@pytest.mark.parametrize("is_followed", [True, False])
def test_what_comes_behind_a_taken_record_neither_doubles_nor_loses_it(
    logs: Logs, database: Path, path: Path, tmp_path: Path, behind: bytes, is_followed: bool
) -> None:
    add(path, record(logs, "last"))
    later(logs, database)
    add(path, behind)
    if is_followed:
        later(logs, database)
    add(path, record(logs, "next") + b"\n")
    later(logs, database)
    later(logs, tmp_path / "at-once.db")
    assert prompts(database) == ["last", "next", "whole"]
    assert not differences(dump_of(tmp_path / "at-once.db"), dump_of(database))


def test_an_object_that_is_no_record_waits_for_its_newline(
    logs: Logs, database: Path, path: Path, tmp_path: Path
) -> None:
    """With something glued to it, it counts as damage: so it must not be counted before."""
    add(path, b'{"a": 1}')
    later(logs, database)
    add(path, record(logs, "next") + b"\n")
    later(logs, database)
    later(logs, tmp_path / "at-once.db")
    assert not differences(dump_of(tmp_path / "at-once.db"), dump_of(database))


def test_a_half_record_that_is_finished_after_all_is_read(
    logs: Logs, database: Path, path: Path
) -> None:
    last = record(logs, "last")
    add(path, last[:40])
    later(logs, database)
    add(path, last[40:] + b"\n")
    later(logs, database, 0)
    assert prompts(database) == ["last", "whole"]


def test_the_only_record_of_a_log(logs: Logs, database: Path) -> None:
    path = logs.home / "projects" / "-p" / "one.jsonl"
    path.parent.mkdir()
    path.write_bytes(encode_log([user("alone", sessionId="one")])[:-1])
    later(logs, database, 0)
    later(logs, database)
    add(path, b"\n")
    later(logs, database)
    assert prompts(database) == ["alone", "whole"]


def test_a_newer_parser_keeps_what_stood_without_a_newline(
    logs: Logs, database: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a record was spliced to it since, so that it can't be taken again now."""
    add(path, record(logs, "last"))
    later(logs, database)
    add(path, b'{"type":"us')
    claude = indexer.AGENTS["claude"]
    newer = claude._replace(parser_version=claude.parser_version + 1)
    monkeypatch.setitem(indexer.AGENTS, "claude", newer)
    later(logs, database)
    assert prompts(database) == ["last", "whole"]


def thread_log(home: Path) -> Path:
    thread = CodexThread("019ec5aa-0000-7000-8000-000000000003")
    thread.turn("build it")
    thread.answer("done")
    thread.turn("last")
    path = thread.write(home)
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    return path


def test_a_thread_of_codex_and_its_archive(tmp_path: Path, database: Path) -> None:
    path = thread_log(tmp_path / "codex")
    roots = [Root("codex", str(tmp_path / "codex" / "sessions"))]
    sync(database, roots)
    assert prompts(database) == ["build it"]
    archive = path.with_name(path.name + ".zst")
    archive.write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()
    sync(database, roots)  # nobody appends to an archive, so there is nothing to wait for
    assert prompts(database) == ["build it", "last"]
    assert sync(database, roots, now_ns=time.time_ns() + HOUR_NS).files_read == 0
    path.write_bytes(zstandard.decompress(archive.read_bytes()) + b"\n")
    archive.unlink()
    sync(database, roots, now_ns=time.time_ns() + HOUR_NS)
    assert prompts(database) == ["build it", "last"]


def test_a_cut_archive_may_still_be_written(tmp_path: Path, database: Path) -> None:
    path = thread_log(tmp_path / "codex")
    packer = zstandard.ZstdCompressor().compressobj()
    data = packer.compress(path.read_bytes()) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    path.with_name(path.name + ".zst").write_bytes(data)  # all of it, but for the end mark
    path.unlink()
    sync(database, [Root("codex", str(tmp_path / "codex" / "sessions"))])
    assert prompts(database) == ["build it"]


def test_what_was_forgotten_is_not_read_again_for_its_tail(
    logs: Logs, database: Path, path: Path
) -> None:
    later(logs, database)
    forget(database, Wish(session_id="session-1"))
    assert later(logs, database).files_read == 0
    path.touch()
    assert later(logs, database).files_read == 1
    assert later(logs, database).files_read == 0
    assert prompts(database) == []


def test_a_quiet_tail_is_no_event_that_was_lost(
    logs: Logs, database: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watcher takes it at one of its looks, and still trusts its events."""
    for number in range(4):
        add(logs.append(number, "one"), record(logs, "last"))
    script = Script()
    start = time.time_ns()
    with monkeypatch.context() as patch:
        patch.setattr(indexer.time, "time_ns", lambda: start + int(script.now * 1e9))
        found = list(batches(logs.watched(database), script, 2000))
    assert len(prompts(database)) == 9
    taken = [at for at, batch in found if batch.report.quiet_files]
    assert len(taken) == 1
    assert quiet.QUIET_SECONDS <= taken[0] < quiet.QUIET_SECONDS + 60
    assert [has_news for has_news, is_silent in script.passes if is_silent and has_news] == []


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, False), (599, False), (600, True), (10**9, True), (-599, False), (-(10**9), True)],
)
def test_a_time_of_change_far_from_now_is_quiet_whichever_side_it_lies(
    seconds: int, expected: bool
) -> None:
    now_ns = 1_800_000_000 * 10**9
    assert quiet.is_quiet(now_ns - seconds * 10**9, now_ns) is expected
