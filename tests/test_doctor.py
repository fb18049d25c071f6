"""`doctor`: each check, and that it can fail."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from builders import ClaudeSession
from builders_codex import CodexThread
from command_line import run
from watching import Logs

from agentpprof.ingest import checking
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.store.database import opened_for_reading
from agentpprof.store.files import KnownFile, read_known_files


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path / "home")


@pytest.fixture
def database(logs: Logs, tmp_path: Path) -> Path:
    path = tmp_path / "store" / "agent.db"
    for number in range(3):
        for words in ("one", "two", "three"):
            logs.append(number, f"{words} of {number}")
    sync(path, logs.watched(path).roots)
    return path


def checks(logs: Logs, database: Path) -> tuple[int, dict[str, bool]]:
    root = logs.home / "projects"
    ran = run("doctor", "--deep", "--json", "--db", database, "--claude-root", root)
    return ran.code, {each["name"]: each["ok"] for each in ran.summary["checks"]}


def test_all_is_well(logs: Logs, database: Path) -> None:
    code, found = checks(logs, database)
    assert code == 0
    names = ["permissions", "mount", "events", "integrity_check", "logs", "rows"]
    assert list(found) == names
    assert all(found.values())
    ran = run("doctor", "--db", database, "--claude-root", logs.home / "projects")
    assert ran.code == 0
    assert b"quick_check" in ran.out


def test_real_samples_are_well(samples: Path, tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    shutil.copytree(samples / "claude", tmp_path / "claude")
    sync(database, [Root("claude", str(tmp_path / "claude" / "projects"))])
    found = checking.rows_in_logs(database, seed=1)
    assert found.is_fine, found.text
    assert " 0 of 0 " not in found.text


def test_a_slash_command_is_told_of_by_its_line_and_the_answer_behind_it(tmp_path: Path) -> None:
    log = ClaudeSession("session-1")
    log.user("<command-name>/review</command-name>\n<command-args>218</command-args>")
    log.user("Review the pull request.", isMeta=True)
    log.assistant("Done")
    path = log.write(tmp_path)
    database = tmp_path / "agent.db"
    sync(database, [Root("claude", str(tmp_path / "projects"))])
    assert checking.rows_in_logs(database).text.startswith("0 of 2 ")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("update operation set offset = 0")
    path.write_bytes(b"{}\n" + path.read_bytes())
    assert not checking.rows_in_logs(database).is_fine


def test_codex_rows_stand_on_whole_records(tmp_path: Path) -> None:
    thread = CodexThread("019ec5aa-0000-7000-8000-000000000003", cwd="/home/dev/shop")
    thread.turn("Why does the build fail?")
    thread.shell("go build ./...", "undefined: parse", exit_code=1)
    path = thread.write(tmp_path / "codex")
    database = tmp_path / "agent.db"
    sync(database, [Root("codex", str(tmp_path / "codex" / "sessions"))])
    assert checking.rows_in_logs(database).is_fine
    path.write_bytes(b"x" * path.stat().st_size)
    assert not checking.rows_in_logs(database).is_fine


def pack(path: Path, data: bytes | None = None) -> None:
    """Put a compressed log in the place of a plain one."""
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.compress(path.read_bytes() if data is None else data))
    path.unlink(missing_ok=True)


def test_compressed_logs_are_looked_at_as_well(tmp_path: Path) -> None:
    thread = CodexThread("019ec5aa-0000-7000-8000-000000000003", cwd="/home/dev/shop")
    thread.turn("Why does the build fail?")
    thread.shell("go build ./...", "undefined: parse", exit_code=1)
    path = thread.write(tmp_path / "codex")
    whole = path.read_bytes()
    database, roots = tmp_path / "agent.db", [Root("codex", str(tmp_path / "codex" / "sessions"))]
    sync(database, roots)
    pack(path)
    for read in (lambda: None, lambda: sync(database, roots)):
        read()
        logs, rows = checking.logs_unchanged(known_in(database)), checking.rows_in_logs(database)
        assert logs.text == "0 of 1 log rewritten since the last read"
        assert (logs.is_fine, rows.is_fine) == (True, True)
        assert " 0 of 0 " not in f" {rows.text}"
        assert "could not" not in rows.text
    pack(path, b"x" * len(whole))
    assert not checking.logs_unchanged(known_in(database)).is_fine
    assert not checking.rows_in_logs(database).is_fine


def test_what_could_not_be_looked_at_is_told(logs: Logs, database: Path) -> None:
    logs.sessions[1].path(logs.home).unlink()
    found = checking.logs_unchanged(known_in(database))
    assert found.text == "0 of 2 logs rewritten since the last read; 1 could not be looked at"
    assert checking.rows_in_logs(database).text.endswith(" could not be looked at")


def known_in(database: Path) -> dict[str, KnownFile]:
    with opened_for_reading(database) as connection:
        return read_known_files(connection, None)


def test_permissions(logs: Logs, database: Path) -> None:
    database.chmod(0o644)
    assert checks(logs, database) == (3, checks(logs, database)[1])
    assert not checks(logs, database)[1]["permissions"]
    database.chmod(0o600)
    database.parent.chmod(0o777)
    assert not checks(logs, database)[1]["permissions"]


def test_a_mount_that_can_not_hold_a_database(
    logs: Logs, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "mount_type", lambda path: "nfs4")
    assert not checks(logs, database)[1]["mount"]


def test_a_damaged_page(logs: Logs, database: Path) -> None:
    data = bytearray(database.read_bytes())
    with closing(sqlite3.connect(database)) as connection:
        page = connection.execute(
            "select rootpage from sqlite_schema where name = 'operation'"
        ).fetchone()[0]
    data[(page - 1) * 4096 + 200 : page * 4096] = b"\x55" * (4096 - 200)
    database.write_bytes(data)
    code, found = checks(logs, database)
    assert code in (1, 3)
    assert not found.get("integrity_check", False)


def test_a_log_that_was_changed_in_its_middle_alone(logs: Logs, database: Path) -> None:
    path = logs.sessions[1].path(logs.home)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"uuid":"', b'"uuid":"f', 1)[: len(data) - 1] + b"\n")
    code, found = checks(logs, database)
    assert code == 3
    assert not found["logs"]


def test_a_row_that_no_line_tells_of(logs: Logs, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("update operation set key = key + 1 where id = 2")
    _, found = checks(logs, database)
    assert found["logs"]
    assert not found["rows"]
