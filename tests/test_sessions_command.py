"""`agentpprof sessions`: one row per session, its sub-agents counted in."""

import json
from pathlib import Path
from typing import Any

from builders import ClaudeSession
from command_line import database, run

from agentpprof.profile.session_rows import short_ids
from agentpprof.store.database import default_path


def listed(*arguments: str) -> list[dict[str, Any]]:
    ran = run("sessions", "--all-projects", "--json", *arguments)
    assert ran.code == 0, ran.err
    found: list[dict[str, Any]] = json.loads(ran.out)["sessions"]
    return found


def test_every_session_has_its_work(history: Path) -> None:
    shop = next(row for row in listed() if row["session_id"].startswith("aaaa1111"))

    assert {key: shop[key] for key in ("project", "agent", "tag", "prompts", "outcome")} == {
        "project": "shop", "agent": "claude", "tag": "debug", "prompts": 2, "outcome": "answered",
    }  # fmt: skip
    assert (shop["tool_calls"], shop["failed_calls"], shop["subagents"]) == (6, 1, 0)


def test_tokens_are_those_of_the_database(history: Path) -> None:
    total = sum(row["tokens"] for row in listed())

    with database(default_path()) as connection:
        stored = connection.execute("select sum(tokens) from token_usage").fetchone()[0]
    assert total == stored


def test_sub_agents_count_with_their_session(isolated_machine: Path) -> None:
    log = ClaudeSession("session-1")
    log.user("Look for it")
    task = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    agent = ClaudeSession("session-1", agent_id="a1")
    agent.user("Look for it")
    agent.call("Read", {"file_path": "/home/dev/shop/a.py"}, "x")
    agent.assistant("Found")
    log.tool_result(task)
    log.assistant("Found it")
    log.write(isolated_machine / ".claude")
    agent.write(isolated_machine / ".claude")

    (only,) = listed()

    assert (only["session_id"], only["prompts"], only["subagents"]) == ("session-1", 1, 1)
    assert only["tool_calls"] == 2
    with database(default_path()) as connection:
        stored = connection.execute("select sum(tokens) from token_usage").fetchone()[0]
    assert only["tokens"] == stored


def test_they_are_sorted_and_filtered(history: Path) -> None:
    starts = [row["started_at_ms"] for row in listed()]
    assert starts == sorted(starts, reverse=True)
    tokens = [row["tokens"] for row in listed("--sort", "tokens")]
    assert tokens == sorted(tokens, reverse=True)
    assert {row["agent"] for row in listed("--agent", "codex")} == {"codex"}
    assert {row["tag"] for row in listed("--session-tag", "docs")} == {"docs"}
    assert listed("--outcome", "failed") == []
    assert len(listed("--rows", "1")) == 1


def test_a_table_for_people(history: Path) -> None:
    ran = run("sessions", "--all-projects", "--rows", "2")

    text = ran.out.decode()
    assert text.splitlines()[0].split()[:5] == ["session", "started", "project", "agent", "tag"]
    assert "1 more session: --rows 0 shows all" in text
    assert "Fix the failing test" not in text


def test_no_session_is_said(history: Path) -> None:
    ran = run("sessions", "--project-root", "/nowhere")

    assert ran.code == 1
    assert "no session matches" in ran.err


def test_short_ids_tell_sessions_apart() -> None:
    assert short_ids(["abcdefgh-1", "abcdefgh-2"]) == {
        "abcdefgh-1": "abcdefgh-1",
        "abcdefgh-2": "abcdefgh-2",
    }
    assert short_ids(["abcdefgh-1", "bbcdefgh-2"])["abcdefgh-1"] == "abcdefgh"
    assert short_ids(["s-1", "s-1-long"]) == {"s-1": "s-1", "s-1-long": "s-1-long"}
