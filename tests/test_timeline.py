"""Where a thread's wall clock went: parts sum to its length, none is negative."""

from collections import defaultdict
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from builders import (
    ClaudeSession,
    encode_log,
    interrupt,
    progress_copy,
    text,
    tool_block,
    write_log,
)
from canonical import index_home, rows_of
from hypothesis import given
from hypothesis import strategies as st
from test_pieces import AGENTS, Step, at, records_of

from agentpprof.agents import claude
from agentpprof.agents.facts import (
    CallFact,
    Fact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
)
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.state import AssemblyState
from agentpprof.ingest.timeline import SILENT_GAP_MS, Timeline, advance
from agentpprof.store.rows import FieldBag, FileRows, OperationRow

TIMED = (PromptFact, ResponseFact, CallFact, ResultFact, OutcomeFact)
# Kinds of test_pieces.KINDS without copies and the queue: one record, one thread, one time.
PLAIN = (0, 0, 1, 1, 1, 2, 2, 3, 5, 6, 7, 9, 10, 11, 12)
SECONDS = (0.0, 0.25, 1.001, 60.0, 1799.0, 1800.0, 1801.0, -3.0, -4000.0)
timed_steps = st.builds(
    Step, st.sampled_from(PLAIN), st.integers(0, 12), st.integers(0, 7), st.sampled_from(SECONDS)
)


def bag() -> FieldBag:
    """The bag of some tool call."""
    return FieldBag(2, "run", "run")


def call(key: int) -> OperationRow:
    """A live call."""
    return OperationRow(key, 2, 0, 1, None, 0, None, None, bag(), "")


def facts_of(data: bytes) -> list[Fact]:
    """Decode a whole log."""
    path = "/logs/projects/-home-dev-shop/session-a.jsonl"
    facts, _ = claude.decode(data, 0, path, claude.initial_state(path))
    return facts


def length_of(times: list[int]) -> int:
    """The running maximum of some times less the first of them."""
    return list(accumulate(times, max))[-1] - times[0] if times else 0


def times_by_session(rows: FileRows) -> dict[int, int]:
    """All time that rows have, each life of a row on its own, by session."""
    sums: dict[int, int] = defaultdict(int)
    for row in (*rows.displaced, *rows.operations.values()):
        assert row.active_ms >= 0
        assert row.idle_ms >= 0
        sums[row.session_key] += row.active_ms + row.idle_ms
    return sums


@given(st.lists(timed_steps, max_size=40), st.lists(timed_steps, max_size=20))
def test_the_parts_of_each_thread_sum_to_its_running_maximum_less_its_first_time(
    main: list[Step], agent: list[Step]
) -> None:
    lines = []
    for steps, agent_id in ((main, ""), (agent, AGENTS[0])):
        clock = 40_000.0
        for step in steps:
            clock += step.seconds
            own = step._replace(unit=step.unit + 100 * bool(agent_id))
            lines += records_of(own, at(clock), "session-a", agent_id)
    facts = facts_of(encode_log(lines))
    rows, state = assemble(facts, AssemblyState(), "claude")
    sums = times_by_session(rows)
    timed = [fact for fact in facts if isinstance(fact, TIMED) and fact.at_ms is not None]
    # What the program wrote in the model's name is no response.
    timed = [fact for fact in timed if getattr(fact, "reason", "own") != "synthetic"]
    for name, thread in state.threads.items():
        own_facts = [fact for fact in timed if fact.where.thread == name]
        length = length_of([fact.at_ms for fact in own_facts if fact.at_ms is not None])
        key = state.sessions[f"session-a/{name}" if name else "session-a"].key
        waiting = thread.timeline.unclaimed_active_ms + thread.timeline.unclaimed_idle_ms
        assert sums[key] + waiting == length
        if any(isinstance(fact, ResponseFact) for fact in own_facts):
            assert waiting == 0, "time is left to nobody at the end of a log"


def test_an_interval_goes_to_the_open_calls_in_equal_parts() -> None:
    calls = {name: call(n) for n, name in enumerate("abc")}
    timeline = Timeline(0, list("abc"))
    active, idle, changed = advance(timeline, 1000, calls)
    assert (active, idle) == (0, 0)
    assert [row.active_ms for row in changed] == [334, 333, 333]


def test_with_no_call_open_an_interval_goes_to_the_record_that_ends_it() -> None:
    assert advance(Timeline(5), 1005, {})[:2] == (1000, 0)


@pytest.mark.parametrize(("gap", "idle"), [(SILENT_GAP_MS, 0), (SILENT_GAP_MS + 1, 1_800_001)])
def test_a_silence_over_half_an_hour_is_idle_whoever_it_belongs_to(gap: int, idle: int) -> None:
    assert advance(Timeline(7), 7 + gap, {})[1] == idle
    calls = {"a": call(1)}
    advance(Timeline(7, ["a"]), 7 + gap, calls)
    assert calls["a"].idle_ms == idle


@given(st.lists(st.integers(-(10**6), 10**7) | st.none(), max_size=30))
def test_a_clock_that_goes_back_adds_nothing(times: list[int | None]) -> None:
    timeline = Timeline()
    passed = [sum(advance(timeline, time, {})[:2]) for time in times]
    assert min(passed, default=0) >= 0
    assert sum(passed) == length_of([time for time in times if time is not None])


def test_a_new_prompt_closes_open_calls_and_the_time_before_it_is_the_users(
    tmp_path: Path,
) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.tool_use("Bash", {"command": "ls"}, after=2)
    log.user("Never mind", after=5)
    log.user("Now that", after=3)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 2000, "tool": 5000, "user": 3000}


def test_a_call_whose_result_is_lost_is_open_until_the_next_response(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.tool_use("Bash", {"command": "git status"}, after=1)
    for _ in range(3):
        test = log.tool_use("Bash", {"command": "pytest"}, after=60)
        log.tool_result(test, after=60)
    log.assistant("Done", after=5)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 1000 + 2 * 60_000 + 5000, "tool": 60_000 + 3 * 60_000}


def test_a_response_that_calls_while_its_calls_run_keeps_them_open(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    one, two = (
        log.tool_use("Bash", {"command": f"sleep {n}"}, after=1, message_id="msg_a")
        for n in range(2)
    )
    log.tool_result(one, after=10)
    log.tool_result(two, after=10)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 1000, "tool": 21_000}


def parts(folder: Path) -> dict[str, int]:
    """Index `folder`/home; return the sum of each part of time."""
    query = "select part, sum(duration_ms) as ms from time_parts group by 1"
    connection = index_home(folder / "home")
    found = {row["part"]: row["ms"] for row in rows_of(connection, query)}
    connection.close()
    return found


def test_time_after_a_result_is_the_models_until_it_answers(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    call = log.tool_use("Bash", {"command": "ls"}, after=2)
    log.tool_result(call, after=7)
    log.assistant("Done", after=4)
    log.user("Thanks", after=60)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 6000, "tool": 7000, "user": 60_000}


def test_an_interrupt_ends_the_models_time(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.assistant("Hm", after=2)
    log.add(interrupt(at=log.clock.tick(3)))
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 5000}


def test_an_interrupt_ends_the_calls_that_are_open(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.tool_use("Bash", {"command": "sleep 100"}, after=1)
    log.add(interrupt(for_tool_use=True, at=log.clock.tick(4)))
    log.user("Do it otherwise", after=600)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 1000, "tool": 4000, "user": 600_000}
    query = "select result, ended_at_ms - started_at_ms as ms from operations where op = 'tool'"
    with closing(index_home(tmp_path / "home")) as connection:
        assert rows_of(connection, query) == [{"result": "interrupted", "ms": 4000}]


def test_each_sub_agent_has_a_clock_of_its_own_also_one_in_progress_records_only(
    tmp_path: Path,
) -> None:
    log = ClaudeSession()
    log.user("Do it")
    call = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"}, after=1)
    agent = ClaudeSession(agent_id="a1", start="2026-05-04T09:00:02.000Z")
    agent.user("Look", after=0)
    agent.assistant("Found", after=6)
    for record in agent.records:
        log.add(progress_copy(record, "a1", call))
    log.clock.tick(8)
    log.tool_result(call, after=0)
    log.write(tmp_path / "home")
    query = "select session_id, part, sum(duration_ms) as ms from time_parts group by 1, 2"
    connection = index_home(tmp_path / "home")
    found = {(row["session_id"], row["part"]): row["ms"] for row in rows_of(connection, query)}
    connection.close()
    assert found == {
        ("session-1", "model"): 1000,
        ("session-1", "tool"): 8000,
        ("session-1/a1", "model"): 6000,
    }


def test_side_records_move_no_clock(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.assistant("Done", after=1)
    log.clock.tick(900)
    log.side("queue-operation", operation="enqueue", content="x", timestamp=log.clock.now())
    log.user("meta", isMeta=True, after=900)
    log.write(tmp_path / "home")
    assert parts(tmp_path) == {"model": 1000}


def test_a_response_that_goes_on_while_nine_sub_agents_answer_keeps_its_time(
    tmp_path: Path,
) -> None:
    log = ClaudeSession()
    call = log.tool_use("Task", {"prompt": "Look"})
    agents = [ClaudeSession(agent_id=f"a{n}") for n in range(10)]
    for part in range(2):
        for agent in agents:
            record = agent.assistant([text(f"part {part}")], message_id=f"msg_{agent.agent_id}")
            log.add(progress_copy(record, agent.agent_id, call))
    write_log(log.path(tmp_path / "home"), log.records)
    assert parts(tmp_path) == {"model": 10_000}


def test_parallel_calls_share_their_time(tmp_path: Path) -> None:
    log = ClaudeSession()
    log.user("Do it")
    blocks = [tool_block("Bash", {"command": f"sleep {n}"}) for n in range(2)]
    rows = log.respond(blocks, after=0)
    log.tool_result(rows[0], after=4)
    log.tool_result(rows[1], after=6)
    log.write(tmp_path / "home")
    query = "select duration_ms from time_parts where part = 'tool' order by operation_id"
    connection = index_home(tmp_path / "home")
    found: list[Any] = [row["duration_ms"] for row in rows_of(connection, query)]
    connection.close()
    assert found == [2000, 8000]
