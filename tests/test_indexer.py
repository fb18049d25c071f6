"""One pass: what is new is read once, and rows stay whatever happens to the logs."""

import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession, call_id_of, encode_log
from canonical import canonical_dump, dump_of

from agentpprof.ingest import indexer
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.ingest.report import SyncReport
from agentpprof.text.telling import report_lines


class Place:
    """A home, its database, and one session in it."""

    def __init__(self, folder: Path) -> None:
        """Write the session and index it."""
        self.home = folder / "home"
        self.database = folder / "agent.db"
        self.log = self.session("session-1", 3)
        self.path = self.log.write(self.home)
        self.sync()

    def session(self, name: str, responses: int) -> ClaudeSession:
        """Make a session."""
        log = ClaudeSession(name)
        log.user(f"Do {name}")
        for _ in range(responses):
            log.assistant("Done")
        return log

    def sync(self) -> SyncReport:
        """Run a pass."""
        return sync(self.database, [Root("claude", str(self.home / "projects"))])

    def value(self, query: str) -> object:
        """The one value of a query."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query).fetchone()[0]

    def responses(self) -> object:
        """How many responses are stored."""
        return self.value("select count(*) from operation where op = 1")

    def dump(self) -> dict[str, list[tuple[object, ...]]]:
        """What the database says."""
        with closing(sqlite3.connect(self.database)) as connection:
            return canonical_dump(connection)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An indexed home with one session of three responses."""
    return Place(tmp_path)


def test_a_second_pass_opens_no_log_and_writes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.database.stat().st_mtime_ns, place.dump()

    def forbidden(*arguments: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(indexer.reader, "opened", forbidden)
    monkeypatch.setattr(indexer, "opened_for_writing", forbidden)
    report = place.sync()
    assert (report.files, report.files_read, report.bytes_read) == (1, 0, 0)
    assert (place.database.stat().st_mtime_ns, place.dump()) == before


def test_only_the_new_bytes_of_a_grown_log_are_read(place: Place) -> None:
    before = place.path.stat().st_size
    place.log.assistant("More")
    place.log.write(place.home)
    report = place.sync()
    assert report.bytes_read == place.path.stat().st_size - before
    assert place.responses() == 4


def test_a_log_that_vanished_is_gone_and_its_rows_stay(place: Place) -> None:
    content = place.path.read_bytes()
    place.path.unlink()
    place.sync()
    assert (place.value("select gone from log_files"), place.responses()) == (1, 3)
    place.path.write_bytes(content)
    place.sync()
    assert (place.value("select gone from log_files"), place.responses()) == (0, 3)


def test_a_log_that_comes_back_untouched_is_not_read_but_no_longer_gone(place: Place) -> None:
    hidden = place.home / "elsewhere"
    (place.home / "projects").rename(hidden)
    (place.home / "projects").mkdir()
    place.sync()
    assert place.value("select gone from log_files") == 1
    (place.home / "projects").rmdir()
    hidden.rename(place.home / "projects")
    report = place.sync()
    assert (place.value("select gone from log_files"), report.bytes_read) == (0, 0)


def test_a_root_that_vanished_changes_no_row(place: Place) -> None:
    before = place.dump()
    (place.home / "projects").rename(place.home / "unmounted")
    place.sync()
    assert place.dump() == before


def in_place(path: Path, data: bytes) -> None:
    """Write over a file: the inode stays."""
    path.write_bytes(data)


def by_rename(path: Path, data: bytes) -> None:
    """Put another file in a file's place."""
    other = path.with_suffix(".tmp")
    other.write_bytes(data)
    other.replace(path)


def with_old_times(path: Path, data: bytes) -> None:
    """Write over a file and set its times back."""
    status = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def deleted_and_made_anew(path: Path, data: bytes) -> None:
    """Delete a file and make one of the same name, often with the same inode."""
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("responses", [1, 3, 7])
@pytest.mark.parametrize("rewrite", [in_place, by_rename, with_old_times, deleted_and_made_anew])
def test_a_rewritten_log_is_read_from_its_start_and_old_rows_stay(
    place: Place, rewrite: Callable[[Path, bytes], None], responses: int
) -> None:
    size = place.path.stat().st_size
    other = encode_log(place.session("session-2", responses).records)
    if responses == 3:
        assert len(other) == size
    rewrite(place.path, other)
    place.sync()
    assert place.responses() == 3 + responses
    assert place.value("select count(*) from usage_line") == responses
    assert place.value("select offset from log_files") == len(other)
    assert place.value("select count(*) from prompts") == 2


def test_a_log_cut_and_refilled_counts_what_it_repeats_once(place: Place) -> None:
    content = place.path.read_bytes()
    place.path.write_bytes(b"")
    place.sync()
    assert place.responses() == 3
    place.path.write_bytes(content)
    place.sync()
    assert place.responses() == 3
    assert place.value("select sum(output_tokens) from operation") == 150


def test_two_logs_of_one_content_are_both_followed(place: Place) -> None:
    copy = place.path.with_name("session-0.jsonl")
    copy.write_bytes(place.path.read_bytes())
    place.sync()
    assert (place.value("select count(*) from log_files"), place.responses()) == (2, 3)


def test_two_sessions_of_one_id_in_two_projects_do_not_erase_each_other(place: Place) -> None:
    other = ClaudeSession("session-1", cwd="/home/dev/else", start="2026-05-05T09:00:00.000Z")
    other.user("Other", uuid="another")
    other.assistant("Done", message_id="msg_other")
    other.write(place.home)
    place.sync()
    assert place.responses() == 4
    assert place.value("select count(*) from prompts") == 2


def test_a_log_that_can_not_be_read_is_told_and_the_others_are_read(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("session-2", "session-3"):
        place.session(name, 1).write(place.home)
    opened = indexer.reader.opened

    def broken(path: str) -> object:
        if path.endswith("session-2.jsonl"):
            raise PermissionError(13, "Permission denied")
        return opened(path)

    with monkeypatch.context() as patch:
        patch.setattr(indexer.reader, "opened", broken)
        report = place.sync()
    assert [Path(path).name for path in report.unreadable] == ["session-2.jsonl"]
    assert place.responses() == 4
    assert place.sync().unreadable == ()
    assert place.responses() == 5


def test_a_read_error_in_the_middle_loses_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.session("session-2", 40).write(place.home)
    pread, calls = os.pread, []

    def failing(descriptor: int, size: int, offset: int) -> bytes:
        calls.append(offset)
        if len(calls) == 4:
            raise OSError(5, "Input/output error")
        return pread(descriptor, min(size, 4096), offset)

    monkeypatch.setattr(os, "pread", failing)
    assert len(place.sync().unreadable) == 1
    assert place.responses() != 43
    monkeypatch.setattr(os, "pread", pread)
    place.sync()
    assert place.responses() == 43


def without_version(dump: dict[str, list[tuple[object, ...]]]) -> dict[str, list[object]]:
    """A dump less the column that says which parser read a row."""
    return {
        table: [
            tuple(one for name, one in zip(names, row, strict=True) if name != "parser_version")
            for row in rows
        ]
        for table, (names, *rows) in dump.items()
    }


def test_a_newer_parser_reads_a_log_again_from_its_start(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.dump()
    claude = indexer.AGENTS["claude"]
    monkeypatch.setitem(
        indexer.AGENTS, "claude", claude._replace(parser_version=claude.parser_version + 1)
    )
    report = place.sync()
    assert report.bytes_read == place.path.stat().st_size
    assert place.responses() == 3
    assert without_version(place.dump()) == without_version(before)
    assert place.sync().bytes_read == 0


@pytest.mark.parametrize(
    "state",
    [
        None,
        b"[{}, 5]",
        b'["what no decoder keeps", {}]',
        b'[{}, {"version": 99}]',
        b"no JSON",
    ],
)
def test_a_log_whose_state_is_another_releases_is_read_again_from_its_start(
    place: Place, tmp_path: Path, state: bytes | None
) -> None:
    with closing(sqlite3.connect(place.database)) as connection, connection:
        connection.execute("delete from log_file_state")
        if state is not None:
            row = (zlib.compress(state),)
            connection.execute("insert into log_file_state select id, ? from log_file", row)
    place.log.user("And now?")
    place.log.assistant("Now as well")
    place.log.write(place.home)
    assert place.sync().bytes_read == place.path.stat().st_size
    at_once = tmp_path / "at_once.db"
    sync(at_once, [Root("claude", str(place.home / "projects"))])
    assert place.dump() == dump_of(at_once)
    assert place.sync().bytes_read == 0


def test_a_log_that_was_rewritten_before_a_newer_parser_came_takes_no_row_with_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place(place.path, encode_log(place.session("session-2", 1).records))
    claude = indexer.AGENTS["claude"]
    newer = claude._replace(parser_version=claude.parser_version + 1)
    monkeypatch.setitem(indexer.AGENTS, "claude", newer)
    place.sync()
    assert place.responses() == 3 + 1
    assert place.sync().files_read == 0


def test_an_empty_log_is_remembered_as_seen(place: Place) -> None:
    (place.path.parent / "empty.jsonl").touch()
    assert place.sync().files_read == 1
    assert place.sync().files_read == 0


def test_what_a_pass_left_out_is_counted(place: Place) -> None:
    bad = place.path.with_name("bad.jsonl")
    bad.write_bytes(b"nonsense\n" + encode_log([{"type": "new-kind"}, {"type": "mode"}]))
    report = place.sync()
    assert (report.bad_lines, report.unknown_records) == (1, 1)


@pytest.mark.parametrize("first", [b'{"type": "file-history-snapshot"}\n', None])
def test_the_file_beside_a_sub_agents_log_may_come_late(place: Place, first: bytes | None) -> None:
    call = place.log.tool_use("Task", {"prompt": "Look"})
    place.log.write(place.home)
    agent = ClaudeSession("session-1", agent_id="a1")
    agent.user("Look")
    path = agent.write(place.home)
    whole = path.read_bytes()
    if first is not None:
        path.write_bytes(first)
    place.sync()
    path.with_suffix(".meta.json").write_text(
        f'{{"agentType": "searcher", "toolUseId": "{call_id_of(call)}"}}'
    )
    path.write_bytes((first or b"") + whole + encode_log([agent.assistant("Found")]))
    place.sync()
    query = "select subagent from sessions where session_id = 'session-1/a1'"
    assert place.value(query) == "searcher"
    assert place.value("select count(*) from session_spawn") == 1


def test_the_call_that_started_a_sub_agent_is_known_from_the_file_beside_its_log(
    place: Place,
) -> None:
    call = place.log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    place.log.write(place.home)
    agent = ClaudeSession("session-1", agent_id="a1")
    agent.user("Look")
    path = agent.write(place.home)
    call_id = call["message"]["content"][0]["id"]
    path.with_suffix(".meta.json").write_text(
        f'{{"agentType": "searcher", "toolUseId": "{call_id}"}}'
    )
    place.sync()
    query = "select subagent from sessions where session_id = 'session-1/a1'"
    assert place.value(query) == "searcher"
    assert place.value("select count(*) from session_spawn") == 1


def test_what_a_pass_tells_as_new_is_what_was_not_stored_before(place: Place) -> None:
    shutil.copy(place.path, place.path.with_name("copy-of-it.jsonl"))
    place.session("session-2", 2).write(place.home)

    report = place.sync()

    assert (report.operations, report.new_operations) == (7, 3)
    assert place.value("select count(*) from operation") == 7
    told = next(report_lines(report, verbose=False))
    assert ", 3 new operations, 4 known before, " in told
