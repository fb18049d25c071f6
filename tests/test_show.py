"""`agentpprof show`: what each prompt of a session led to, sub-agents included."""

import json
from pathlib import Path
from typing import Any

import pytest
from builders import ClaudeSession
from command_line import database, run, write_history

from agentpprof.store.database import default_path

SECRET = "Look for the porcupine"


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    """A session with a sub-agent, a failure and repeats, beside others."""
    write_history(isolated_machine)
    log = ClaudeSession("cccc3333-1", cwd="/home/dev/shop")
    log.user(f"Fix the failing test. {SECRET}")
    for _ in range(3):
        log.call("Bash", {"command": "pytest -q"}, "Exit code 1", is_error=True)
    task = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    agent = ClaudeSession("cccc3333-1", agent_id="a1")
    agent.user("Look for it")
    agent.call("Read", {"file_path": "/home/dev/shop/a.py"}, "x")
    agent.assistant("Found")
    log.tool_result(task)
    log.assistant("Done")
    log.user("Write the docs of the cart")
    log.call("Write", {"file_path": "/home/dev/shop/docs/cart.md", "content": "x"}, "ok")
    log.assistant("Written")
    log.write(isolated_machine / ".claude")
    agent.write(isolated_machine / ".claude")
    return isolated_machine


def shown(*arguments: str) -> dict[str, Any]:
    ran = run("show", *arguments, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_each_prompt_has_its_cost_and_what_was_done(history: Path) -> None:
    first, second = shown("cccc")["prompts"]

    assert (first["tag"], first["outcome"], first["calls"]) == ("debug", "answered", 5)
    assert first["failed"] == 3
    assert first["actions"]["test"] == {"calls": 3, "failed": 3}
    assert first["repeats"]
    assert first["subagents"]["agent"]["calls"] == 1
    assert (second["tag"], second["calls"], second["subagents"]) == ("docs", 1, {})


def test_the_cost_is_all_there_is(history: Path) -> None:
    found = shown("cccc")

    with database(default_path()) as connection:
        stored = connection.execute(
            "select sum(tokens) from token_usage where session_id glob 'cccc*'"
        ).fetchone()[0]
    assert found["tokens"] == stored == sum(prompt["tokens"] for prompt in found["prompts"])


def test_texts_are_shown_only_when_asked_for(history: Path) -> None:
    assert SECRET not in run("show", "cccc").out.decode()
    assert SECRET not in run("show", "cccc", "--json").out.decode()
    assert SECRET in run("show", "cccc", "--include-previews").out.decode()
    assert SECRET in shown("cccc", "--include-previews")["prompts"][0]["preview"]


def test_a_timeline_for_people(history: Path) -> None:
    text = run("show", "cccc").out.decode()

    assert text.startswith("cccc3333-1 · shop · claude · debug\n")
    assert "test 3 (3 failed)" in text
    assert "sub-agent agent: " in text
    assert "repeated: " in text


def test_a_prefix_must_name_one_session(history: Path) -> None:
    ran = run("show", "no-such")
    assert (ran.code, "no session's id begins with 'no-such'" in ran.err) == (1, True)
    ClaudeSession("cccc3333-2").write(history / ".claude")
    other = ClaudeSession("cccc3333-2")
    other.user("Explain it")
    other.assistant("So")
    other.write(history / ".claude")
    ran = run("show", "cccc")
    assert ran.code == 2
    assert "2 sessions begin with 'cccc', write more of it: cccc3333-1, cccc3333-2" in ran.err
    assert shown("cccc3333-2")["session_id"] == "cccc3333-2"


def test_what_has_no_time_is_not_of_1970(history: Path) -> None:
    log = ClaudeSession("dddd4444-1", cwd="/home/dev/shop")
    log.user("Fix the failing test")
    log.call("Bash", {"command": "pytest -q"})
    for record in log.records:
        del record["timestamp"]
    log.write(history / ".claude")
    text = run("show", "dddd").out.decode()
    assert text.splitlines()[1].startswith("no time · ")
    assert "1970" not in text
    assert "before" not in text
    assert [each["started_at_ms"] for each in shown("dddd")["prompts"]] == [None]


def test_a_sub_agent_can_be_named_by_its_whole_id(history: Path) -> None:
    found = shown("cccc3333-1/a1")

    assert found["calls"] == 1
