"""What is counted means the same in every command: sessions, sub-agents, prompts, texts."""

import json
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import check_refused, run, write_history


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    """Three sessions, one with a sub-agent and a prompt said twice, and one without a prompt."""
    write_history(isolated_machine)
    claude = isolated_machine / ".claude"
    log = ClaudeSession("cccc3333", cwd="/home/dev/shop", start="2026-05-07T10:00:00.000Z")
    for _ in range(2):
        log.user("Compare three date libraries")
    call = log.tool_use("Agent", {"subagent_type": "scout", "prompt": "look around"})
    log.tool_result(call, "seen", toolUseResult={"agentId": "a1"})
    log.write(claude)
    agent = ClaudeSession("cccc3333", cwd="/home/dev/shop", agentId="a1", isSidechain=True)
    agent.user("look around")
    agent.call("Read", {"file_path": "/home/dev/shop/dates.md"}, "three")
    place = claude / "projects/-home-dev-shop/cccc3333/subagents/agent-a1.jsonl"
    place.parent.mkdir(parents=True)
    place.write_bytes(agent.write(isolated_machine / "elsewhere").read_bytes())
    silent = ClaudeSession("dddd4444", cwd="/home/dev/shop", start="2026-05-08T10:00:00.000Z")
    silent.call("Read", {"file_path": "/home/dev/shop/dates.md"}, "three")
    silent.write(claude)
    assert run("index", "-q").code == 0
    return isolated_machine


def test_sub_agents_are_told_apart_from_sessions_everywhere(history: Path) -> None:
    listed = json.loads(run("sessions", "--all-projects", "--json").out)["count"]
    assert listed == 5
    text = "5 sessions, 1 sub-agent"
    assert f"stored        {text}, " in run("status").out.decode()
    assert f"\n{text} · " in run("top", "--all-projects").out.decode()
    assert f" {text} would" in run("--all-projects", "--session-id", "zzz").err
    for ran in (
        run("status", "--json"),
        run("top", "--all-projects", "--json"),
        run("--all-projects", "-o", history / "a.svg"),
    ):
        found = json.loads(ran.out)
        assert (found["sessions"] - found["subagents"], found["subagents"]) == (listed, 1)


def test_forget_tells_sub_agents_apart(history: Path) -> None:
    ran = run("forget", "--session-id", "cccc3333", stdin=b"n\n")
    check_refused(ran, 1, "Forget 1 session, 1 sub-agent with ", "so nothing was done")
    ran = run("forget", "--session-id", "cccc3333", "--yes")
    assert ran.err.startswith("forgot 1 session, 1 sub-agent with ")


def test_a_question_that_nobody_answers_is_no_interrupt(history: Path) -> None:
    for command in (("forget", "--session-id", "cccc3333"), ("restore", history / "none.db")):
        check_refused(run(*command), 1, "nobody answered, so nothing was done: add --yes")


def test_sessions_that_hold_nothing_to_tag_are_told_beside_the_coverage(history: Path) -> None:
    ran = run("tags", "report", "--all-projects")
    assert "sessions: 4 of 4 have a tag" in ran.out.decode()
    assert "not among them: 1 session has no prompt" in ran.out.decode()
    document = json.loads(run("tags", "report", "--all-projects", "--json").out)
    assert document["sessions_without_prompts"] == 1


def test_compared_texts_are_not_called_prompts(history: Path) -> None:
    document = json.loads(run("tags", "report", "--all-projects", "--json").out)
    prompts = document["kinds"]["prompt"]["total"]
    told = run("tags", "compare", "regex", "builtin", "--all-projects").out.decode()
    assert f" of {prompts - 1} different texts " in told
    assert "prompts" not in told
