"""Counts of one name are equal wherever they stand: `sessions`, `show`, `audit`, views, JSON."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from builders import ClaudeSession, interrupt, rejection
from builders_codex import CodexThread
from command_line import database, run, stacks

from agentpprof.store.database import default_path
from agentpprof.vocabulary import FAILED_RESULTS

NAMES: Final = ("responses", "tool_calls", "failed_calls")
UNCOUNTED: Final = 2  # calls of the model whose record has no count


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    """Calls of every result, calls of the model without a count, a sub-agent, both agents."""
    log = ClaudeSession("aaaa1111-1", cwd="/home/dev/shop")
    log.user("Fix the test")
    log.call("Bash", {"command": "pytest -q"}, "Exit code 1", is_error=True)
    log.call("Bash", {"command": "ls"})
    refused = log.tool_use("Bash", {"command": "git push"})
    log.add(rejection(refused, at=log.clock.tick()))
    stopped = log.tool_use("Bash", {"command": "make"})
    log.tool_result(stopped, "[Request interrupted by user for tool use]", is_error=True)
    log.add(interrupt(for_tool_use=True, at=log.clock.tick()))
    log.user("Look for it")
    task = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    agent = ClaudeSession("aaaa1111-1", agent_id="a1", cwd="/home/dev/shop")
    agent.user("Look for it")
    agent.call("Read", {"file_path": "/home/dev/shop/a.py"}, "no such file", is_error=True)
    del agent.assistant("I can't say")["message"]["usage"]
    log.tool_result(task)
    del log.assistant("Nor can I")["message"]["usage"]
    for each in (log, agent):
        each.write(isolated_machine / ".claude")
    thread = CodexThread("019ec5aa-0000-7000-8000-000000000003", cwd="/home/dev/shop")
    thread.turn("Why?")
    thread.shell("go build ./...", "undefined: parse", exit_code=1)
    thread.answer("So.")
    thread.write(isolated_machine / ".codex")
    return isolated_machine


def document(*arguments: str) -> dict[str, Any]:
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def sums_of(view: str, *names: str) -> dict[str, int]:
    """Return sums over a view, by column."""
    with database(default_path()) as connection:
        row = connection.execute(
            f"select {', '.join(f'sum({name})' for name in names)} from {view}"
        ).fetchone()
    return dict(zip(names, row, strict=True))


def test_counts_of_one_name_agree(history: Path) -> None:
    rows = document("sessions", "--all-projects", "--json")["sessions"]
    listed = {name: sum(row[name] for row in rows) for name in NAMES}
    daily = sums_of("daily", *NAMES)
    assert listed == daily
    counted = document("audit", "--all-projects", "--json")["total"]["counted"]
    for name in ("responses", "tool_calls"):
        assert counted[name] == sums_of("sessions", name)[name] == listed[name], name
    steps = [
        step for row in rows for step in document("show", row["session_id"], "--json")["prompts"]
    ]
    assert sum(step["responses"] for step in steps) == listed["responses"]
    assert sum(step["failed"] for step in steps) == listed["failed_calls"]
    with database(default_path()) as connection:
        found = connection.execute("select count(*) from responses").fetchone()
    assert found == (listed["responses"],)


def test_json_profiles_count_every_call_of_the_model(history: Path) -> None:
    whole = document("-o", "-", "--format", "json", "--all-projects")
    sums = {
        name: sum(row[name] for row in whole["sessions"])
        for name in ("llm_count", "tool_count", "failed_tool_count")
    }
    of_ops = stacks("--stack", "op")
    assert sums["llm_count"] == of_ops["op:llm"]
    daily = sums_of("daily", *NAMES)
    assert sums["llm_count"] == daily["responses"] + UNCOUNTED
    assert sums["tool_count"] == of_ops["op:tool"] == daily["tool_calls"]
    assert sums["failed_tool_count"] == daily["failed_calls"]


def test_failed_calls_are_those_with_a_failed_result(history: Path) -> None:
    results = stacks("--where", "op=tool", "--stack", "result")
    failed = sum(results.get(f"result:{name}", 0) for name in FAILED_RESULTS)
    assert {f"result:{name}" for name in ("error", "rejected", "interrupted")} <= set(results)
    assert sums_of("daily", "failed_calls") == {"failed_calls": failed}
