"""In the view `time` a delegating call keeps what its sub-agent does not cover, no less."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from builders import START, ClaudeSession
from command_line import run, stacks

TASK = {"subagent_type": "searcher", "prompt": "Look"}


def until(log: ClaudeSession, second: float) -> float:
    """Seconds from the log's last record to `second` of the story."""
    return second - (log.clock.time - datetime.fromisoformat(START)).total_seconds()


def session() -> ClaudeSession:
    """A session that begins with a prompt in second 0."""
    log = ClaudeSession()
    log.user("Do it", after=0)
    return log


def agent(*turns: tuple[float, float]) -> ClaudeSession:
    """A sub-agent that answers in each of these spans of seconds."""
    log = ClaudeSession(agent_id="a1")
    for start, end in turns:
        log.user("Look", after=until(log, start))
        log.assistant("Found", after=end - start)
    return log


def delegate(log: ClaudeSession, start: float, end: float) -> None:
    """Call the sub-agent, from one second to another."""
    call = log.tool_use("Task", TASK, after=until(log, start))
    answer = {"agentId": "a1", "prompt": "Look"}
    log.tool_result(call, tool_use_result=answer, after=end - start)


@pytest.mark.parametrize("turns", [[(11, 91)], [(101, 141)], [(51, 151)]])
def test_lists_of_sessions_tell_the_time_that_the_view_shows(
    isolated_machine: Path, turns: list[tuple[float, float]]
) -> None:
    log = session()
    delegate(log, 1, 101)
    total = sum(seconds(isolated_machine, log, agent(*turns)).values())
    (listed,) = json.loads(run("sessions", "--all-projects", "--json").out)["sessions"]
    shown = json.loads(run("show", "session-1", "--json").out)
    assert listed["work_ms"] == shown["work_ms"] == total * 1000


def seconds(home: Path, *logs: ClaudeSession) -> dict[str, int]:
    """Write the logs and return the seconds of sub-agents and parts."""
    for log in logs:
        log.write(home / ".claude")
    return stacks("--stack", "subagent,part", view="time")


def test_a_call_keeps_the_time_before_and_after_its_sub_agent(isolated_machine: Path) -> None:
    log = session()
    delegate(log, 1, 101)
    found = seconds(isolated_machine, log, agent((11, 91)))
    assert found == {"part:model": 1, "part:tool": 20, "subagent:searcher;part:model": 80}


def test_a_sub_agent_in_the_background_takes_nothing_from_the_call_that_started_it(
    isolated_machine: Path,
) -> None:
    log = session()
    delegate(log, 1, 41)
    found = seconds(isolated_machine, log, agent((41, 141)))
    assert found == {"part:model": 1, "part:tool": 40, "subagent:searcher;part:model": 100}


def test_a_sub_agent_that_is_taken_up_again_covers_each_call_by_what_it_does_then(
    isolated_machine: Path,
) -> None:
    log = session()
    delegate(log, 1, 101)
    delegate(log, 102, 162)
    found = seconds(isolated_machine, log, agent((81, 101), (103, 162)))
    assert found == {"part:model": 2, "part:tool": 81, "subagent:searcher;part:model": 79}


@pytest.mark.parametrize("end", [51, 31])
def test_work_on_the_border_of_a_call_covers_what_lies_inside(
    isolated_machine: Path, end: int
) -> None:
    log = session()
    delegate(log, 1, end)
    found = seconds(isolated_machine, log, agent((21, 71)))
    assert found == {"part:model": 1, "part:tool": 20, "subagent:searcher;part:model": 50}
