"""Times of Codex's calls: waits, interrupts and items that say when they began."""

from pathlib import Path

import pytest
from builders_codex import (
    CodexThread,
    codex_usage,
    custom_call,
    custom_output,
    event,
    function_call,
    function_output,
    message,
    token_count,
)
from command_line import database, run, stacks

from agentpprof.store.database import default_path


def index(home: Path, log: CodexThread) -> None:
    """Write one thread into a home and index it."""
    log.write(home / ".codex")
    assert run("index").code == 0


def calls(columns: str) -> list[tuple[object, ...]]:
    """Return columns of the stored calls, in the order they began."""
    query = f"select {columns} from operations where op = 'tool' order by started_at_ms"
    with database(default_path()) as connection:
        return connection.execute(query).fetchall()


def test_waiting_for_a_command_that_runs_on_is_the_commands_time(isolated_machine: Path) -> None:
    log = CodexThread("t1")
    log.turn("Build it")
    log.add(function_call("exec_command", {"cmd": "cargo build"}, call_id="c0"))
    running = "Process running with session ID 7\nOutput:\n"
    log.add(function_output("c0", f"Wall time: 10.0 seconds\n{running}"), after=10)
    for number in range(1, 4):
        given = {"session_id": 7, "chars": ""}
        log.add(function_call("write_stdin", given, call_id=f"c{number}"), after=2)
        end = "Process exited with code 0\nOutput:\n" if number == 3 else running
        log.add(function_output(f"c{number}", f"Wall time: 30.0 seconds\n{end}"), after=30)
    log.add(message("Done"), after=1)
    index(isolated_machine, log)
    assert stacks("--stack", "part,cmd", view="time") == {
        "part:tool;cmd:cargo": 100,
        "part:model": 8,
    }
    assert calls("tool, ended_at_ms - started_at_ms") == [("exec_command", 106_000)]


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ("aborted by user after 5.0s", "interrupted"),
        ("Process exited with code 0\nOutput:\nx", "ok"),  # it had just ended
    ],
)
def test_an_aborted_turn_ends_the_call_that_is_open_and_its_output_says_how(
    isolated_machine: Path, output: str, result: str
) -> None:
    log = CodexThread("t1")
    log.turn("Wait")
    log.add(function_call("exec_command", {"cmd": "sleep 100"}, call_id="c0"))
    log.add(event("turn_aborted", reason="interrupted"), after=5)
    log.add(function_output("c0", output), after=0)
    log.turn("Go on", after=60)
    index(isolated_machine, log)
    assert stacks("--stack", "part,cmd", view="time") == {
        "part:tool;cmd:sleep": 5,
        "part:model": 1,
    }
    assert calls("result, ended_at_ms - started_at_ms") == [(result, 5000)]


def test_an_aborted_turn_ends_the_wait_for_a_command_but_not_the_command(
    isolated_machine: Path,
) -> None:
    log = CodexThread("t1")
    log.turn("Test it")
    log.add(function_call("exec_command", {"cmd": "cargo test"}, call_id="c0"))
    running = "Wall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\n"
    log.add(function_output("c0", running), after=10)
    given = {"session_id": 7, "chars": ""}
    log.add(function_call("write_stdin", given, call_id="c1"), after=1)
    log.add(event("turn_aborted", reason="interrupted"), after=5)
    log.turn("Go on", after=60)
    log.add(function_call("write_stdin", given, call_id="c2"), after=2)
    ended = "Wall time: 30.0 seconds\nProcess exited with code 0\nOutput:\n"
    log.add(function_output("c2", ended), after=30)
    index(isolated_machine, log)
    assert calls("cmd, result") == [("cargo", "ok")]
    assert stacks("--stack", "part,cmd", view="time")["part:tool;cmd:cargo"] == 10 + 5 + 30


def test_an_item_of_a_script_lasts_from_when_it_says_it_began(isolated_machine: Path) -> None:
    log = CodexThread("t1", history_mode="paginated")
    log.turn("Test it")
    outer = log.add(custom_call("exec", 'await tools.exec_command({cmd:"pytest -q"})'))
    item = {"type": "CommandExecution", "id": "n1", "command": ["bash", "-lc", "pytest -q"]}
    start_ms = int(log.clock.time.timestamp() * 1000) + 1000
    ended = event("item_completed", item={**item, "status": "completed"}, started_at_ms=start_ms)
    log.add(ended, after=9)
    log.add(custom_output(outer, "Script completed"))
    index(isolated_machine, log)
    found = calls("tool, ended_at_ms - started_at_ms")
    assert found == [("exec", 10_000), ("exec_command", 8000)]
    # What both were open for is shared; so is the total that of the outer call alone.
    assert stacks("--stack", "tool", "--where", "tool=.", view="time") == {
        "tool:exec": 6,
        "tool:exec_command": 4,
    }


def test_the_quality_of_a_count_is_that_of_the_count_and_not_of_its_items(
    isolated_machine: Path,
) -> None:
    log = CodexThread("t1")
    log.turn("Do it")
    log.add(message("No count follows"))
    log.turn("Do more")
    log.add(message("A doubtful one follows"))
    usage = {**codex_usage(10, 1), "cached_input_tokens": 99}
    log.add(token_count(usage))
    log.add(token_count(usage))
    index(isolated_machine, log)
    with database(default_path()) as connection:
        query = "select quality from operations where op = 'llm' order by started_at_ms"
        assert connection.execute(query).fetchall() == [(None,), ("uncertain",)]
