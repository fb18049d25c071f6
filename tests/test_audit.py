"""Audits: every raw number is counted, or dropped for a stated reason."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from builders import (
    ClaudeSession,
    assistant,
    claude_usage,
    progress_copy,
    text,
    thinking,
    tool_result,
    tool_use,
    user,
    write_log,
)
from builders_codex import codex_usage, meta, token_count, turn_context, user_message
from click.testing import CliRunner

from agentpprof.audit import KEYS, TOKEN_KEYS
from agentpprof.cli import group

VIEW_SUMS = """
    select
        coalesce(sum(input_tokens), 0),
        coalesce(sum(cache_write_tokens), 0),
        coalesce(sum(cache_read_tokens), 0),
        coalesce(sum(output_tokens), 0),
        sum(responses),
        sum(prompts),
        sum(tool_calls)
    from sessions
"""


def audit(database: Path, *arguments: str) -> dict[str, Any]:
    """The document of `agentpprof audit --json`."""
    words = ["audit", "--json", "-q", "--all-projects", "--db", str(database), *arguments]
    result = CliRunner().invoke(group, words)
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def check_sums(account: dict[str, Any]) -> None:
    """Raw is counted and dropped, for every key."""
    for key in KEYS:
        dropped = sum(sums[key] for sums in account["dropped"].values())
        assert account["raw"][key] == account["counted"][key] + dropped, key


@pytest.fixture
def claude_home(tmp_path: Path) -> Path:
    """A session with a response of three rows, a resumed copy of it, and a sub-agent's copies."""
    usage = claude_usage(10, 5, cache_read=100, cache_write_5m=7)
    grown = claude_usage(10, 50, cache_read=100, cache_write_5m=7)
    rows = [
        user("explain the cache", at="2026-05-01T10:00:00.000Z"),
        assistant([thinking("hm")], message_id="m1", usage=usage, stop_reason=None),
        assistant([text("it works so")], message_id="m1", usage=grown, stop_reason=None),
    ]
    call = tool_use("Task", {"subagent_type": "Explore", "prompt": "look"}, usage=usage)
    inner = assistant("found", message_id="m9", usage=claude_usage(3, 4, cache_read=0))
    copies = [progress_copy(inner, "a1b2", call), progress_copy(inner, "a1b2", call)]
    session = [*rows, call, *copies, tool_result(call)]
    project = tmp_path / "home" / "projects" / "-home-dev-shop"
    write_log(project / "session-1.jsonl", session)
    resumed = [{**row, "sessionId": "session-2"} for row in rows]
    write_log(project / "session-2.jsonl", resumed)
    own = {**inner, "isSidechain": True, "agentId": "a1b2"}
    write_log(project / "session-1" / "subagents" / "agent-a1b2.jsonl", [own])
    return tmp_path / "home"


def test_every_dropped_claude_row_has_its_reason(claude_home: Path, tmp_path: Path) -> None:
    account = audit(tmp_path / "a.db", "--claude-root", str(claude_home))["agents"]["claude"]
    check_sums(account)
    assert account["counted"]["responses"] == 3
    assert account["counted"]["output_tokens"] == 50 + 5 + 4
    dropped = {reason: sums["responses"] for reason, sums in account["dropped"].items()}
    assert dropped == {"repeat": 1, "copy": 2, "progress": 2}


def test_what_counts_equals_the_views(claude_home: Path, tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    counted = audit(database, "--claude-root", str(claude_home))["total"]["counted"]
    with sqlite3.connect(database) as connection:
        sums = connection.execute(VIEW_SUMS).fetchone()
    connection.close()
    assert tuple(counted[key] for key in KEYS) == sums


def test_an_audit_works_when_the_logs_are_gone(claude_home: Path, tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    before = audit(database, "--claude-root", str(claude_home))
    for log in claude_home.rglob("*.jsonl"):
        log.unlink()
    assert audit(database, "--claude-root", str(claude_home)) == before


def test_a_log_that_was_rewritten_shorter_drops_nothing_and_loses_nothing(tmp_path: Path) -> None:
    log = ClaudeSession()
    for number in range(5):
        log.user(f"Prompt {number}")
        log.call("Bash", {"command": f"echo {number}"})
    path = log.write(tmp_path / "home")
    before = audit(tmp_path / "a.db", "--claude-root", str(tmp_path / "home"))["total"]
    data = path.read_bytes()
    path.write_bytes(b"".join(data.splitlines(keepends=True)[3:7]))
    after = audit(tmp_path / "a.db", "--claude-root", str(tmp_path / "home"))["total"]
    check_sums(after)
    assert after["counted"] == before["counted"]
    assert after["dropped"] == {}


def test_the_lines_of_a_session_are_listed_with_their_verdict(
    claude_home: Path, tmp_path: Path
) -> None:
    document = audit(
        tmp_path / "a.db", "--claude-root", str(claude_home), "--session-id", "session-2"
    )
    assert {line["verdict"] for line in document["lines"]} <= {"copy", "repeat", "counted"}
    assert [line["offset"] for line in document["lines"]] == sorted(
        line["offset"] for line in document["lines"]
    )
    assert all(line["file"] == "session-2.jsonl" for line in document["lines"])


def test_what_was_skipped_is_told_of_the_chosen_logs_alone(
    claude_home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "home" / "projects" / "-home-dev-shop"
    other = user("explain", at="2026-05-02T10:00:00.000Z")
    strange = {"type": "strange", "timestamp": "2026-05-02T10:00:01.000Z"}
    write_log(project / "session-3.jsonl", [{**other, "sessionId": "session-3"}, strange])
    database, root = tmp_path / "a.db", ("--claude-root", str(claude_home))
    kinds = {"strange"}
    assert {each["kind"] for each in audit(database, *root)["skipped"]} >= kinds
    assert {
        each["kind"] for each in audit(database, *root, "--session-id", "session-3")["skipped"]
    } == kinds
    assert not audit(database, *root, "--session-id", "session-1")["skipped"]


def test_a_codex_total_that_is_written_again_is_a_repeat(tmp_path: Path) -> None:
    count = token_count(codex_usage(100, 10), at="2026-05-01T10:00:09.000Z")
    log = [
        meta("thread-1", at="2026-05-01T10:00:00.000Z"),
        turn_context("turn-1", at="2026-05-01T10:00:01.000Z"),
        user_message("fix it", at="2026-05-01T10:00:02.000Z"),
        count,
        {**count, "timestamp": "2026-05-01T10:00:10.000Z"},
    ]
    day = tmp_path / "home" / "sessions" / "2026" / "05" / "01"
    write_log(day / "rollout-2026-05-01T10-00-00-thread-1.jsonl", log)
    account = audit(tmp_path / "a.db", "--codex-root", str(tmp_path / "home"))["agents"]["codex"]
    check_sums(account)
    assert account["counted"]["responses"] == 1
    assert account["dropped"]["repeat"]["responses"] == 1


def test_the_samples_account_for_every_token(samples: Path, tmp_path: Path) -> None:
    expected = json.loads((samples / "expected.json").read_text())
    document = audit(
        tmp_path / "a.db",
        "--claude-root",
        str(samples / "claude" / ".claude"),
        "--codex-root",
        str(samples / "codex" / ".codex"),
    )
    for agent in ("claude", "codex"):
        account = document["agents"][agent]
        check_sums(account)
        right = expected["homes"][agent]["total"]
        names = ("input", "cache_write", "cache_read", "output")
        assert [account["counted"][key] for key in TOKEN_KEYS] == [right[name] for name in names]
        assert account["counted"]["responses"] == right["responses"]
    for session in document["sessions"]:
        check_sums(session)


def test_an_audit_for_people_shows_a_table(claude_home: Path, tmp_path: Path) -> None:
    words = ["audit", "-q", "--all-projects", "--db", str(tmp_path / "a.db")]
    result = CliRunner().invoke(group, [*words, "--claude-root", str(claude_home)])
    assert result.exit_code == 0
    assert "= counted" in result.stdout
    assert "output tokens" in result.stdout
