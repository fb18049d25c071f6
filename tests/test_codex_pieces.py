"""Reading a rollout in pieces equals reading it at once; the samples give their right values."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders_codex import (
    CodexThread,
    codex_usage,
    custom_call,
    custom_output,
    event,
    function_call,
    function_output,
    line,
    message,
    meta,
    token_count,
    turn_context,
    user_message,
    web_search,
)
from hypothesis import given
from hypothesis import strategies as st
from test_codex import PATH, as_bytes, counted, only
from test_codex_bugs import at, fork
from test_codex_bugs_tools import SCRIPT, item_done, record

from agentpprof.agents import codex
from agentpprof.agents.facts import CallFact, Fact, PromptFact, ResultFact

RUNNING = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}
PALETTE: list[bytes] = [
    *as_bytes(
        meta("t1"),
        meta("t1", cli_version="0.46.0"),
        meta("child", forked_from_id="parent"),
        meta("parent", timestamp="2026-05-04T08:00:00Z", at=at(0.001)),
        meta("child", source=SPAWN, subagent_history_start_ordinal=2),
        {**message("x"), "ordinal": 2},
        event("task_started", turn_id="old", started_at=1_777_880_000),
        event("task_started", turn_id="new", started_at=1_777_890_000),
        event("task_started"),
        event("task_complete"),
        event("turn_aborted", reason="interrupted"),
        turn_context("turn-1"),
        turn_context("turn-2", cwd="/else"),
        message("Prompt", role="user"),
        user_message("Prompt"),
        user_message("Late", at=at(30)),
        item_done("UserMessage", content=[{"type": "text", "text": "Prompt"}]),
        item_done("AgentMessage", content=[{"type": "Text", "text": "Done"}]),
        item_done("CommandExecution", id="c1", command=["ls"], exit_code=0),
        message("Text"),
        function_call("exec_command", {"cmd": "ls"}, call_id="c1"),
        function_output("c1", RUNNING),
        function_call("write_stdin", {"session_id": 7}, call_id="c2"),
        function_output("c2", "Exit code: 1\nOutput:\n"),
        custom_call("exec", SCRIPT, call_id="c3"),
        custom_output("c3", "Script completed"),
        event("patch_apply_end", call_id="n1", success=True, changes={}),
        web_search("q"),
        token_count(None),
        token_count(codex_usage(100, 10)),
        token_count(codex_usage(300, 30), codex_usage(200, 20)),
        token_count(codex_usage(299, 30), codex_usage(200, 20)),
        token_count(codex_usage(0, 0)),
        event("token_count", info={"last_token_usage": codex_usage(5, 5)}),
        event("token_count", info={"total_token_usage": [1]}),
        record("r1", codex_usage(100, 10)),
        record("r2", codex_usage(200, 20)),
        line("future", {}),
    ).splitlines(),
    b" ",
    b"{broken",
    b'{"record_type":"state"}',
    b'{"id":"bare","timestamp":"2025-08-06T18:02:11Z","instructions":""}',
    b'{"type":"message","role":"user","content":[{"type":"input_text","text":"Old"}]}',
    b'{"type":"function_call","name":"shell","call_id":"c9","arguments":"{}"}',
    as_bytes(message("x")).strip() + as_bytes(user_message("y")).strip(),
]


def in_pieces(data: bytes, borders: set[int], path: str = PATH) -> tuple[list[Fact], codex.State]:
    """Read `data` up to each of the line numbers `borders`; the state goes through JSON between."""
    state, facts, offset = codex.initial_state(path), list[Fact](), 0
    lines = data.splitlines(keepends=True)
    starts = sorted({0, len(lines)} | {border for border in borders if border < len(lines)})
    for begin, end in pairwise(starts):
        piece = b"".join(lines[begin:end])
        more, state = codex.decode(piece, offset, path, state)
        state = msgspec.json.decode(msgspec.json.encode(state), type=codex.State)
        facts += more
        offset += len(piece)
    return facts, state


@given(st.lists(st.sampled_from(PALETTE), min_size=1, max_size=40), st.sets(st.integers(1, 39)))
def test_reading_in_pieces_equals_reading_at_once(lines: list[bytes], borders: set[int]) -> None:
    data = b"".join(one + b"\n" for one in lines)
    assert in_pieces(data, borders) == in_pieces(data, set())


@given(st.booleans(), st.sets(st.integers(1, 12)))
def test_a_copied_history_may_be_cut_anywhere(is_dated: bool, borders: set[int]) -> None:
    data = as_bytes(*fork(is_dated=is_dated))
    assert in_pieces(data, borders) == in_pieces(data, set())


def test_the_state_is_small_and_survives_json() -> None:
    log = CodexThread("019fbcca-9fd4-7d20-83dc-0762b2f839b3")
    for number in range(40):
        log.turn(f"Prompt {number}")
        log.shell("ls")
    data = as_bytes(*log.records)
    _, state = codex.decode(data, 0, PATH, codex.initial_state(PATH))
    packed = msgspec.json.encode(state)
    assert len(packed) < 1500
    assert msgspec.json.decode(packed, type=codex.State) == state


def test_decode_leaves_the_given_state_as_it_is() -> None:
    state = codex.initial_state(PATH)
    before = msgspec.json.encode(state)
    log = CodexThread("t1")
    log.turn("x")
    log.add(function_call("shell", {}))
    codex.decode(as_bytes(*log.records), 0, PATH, state)
    assert msgspec.json.encode(state) == before


def sample_files(samples: Path) -> dict[str, dict[str, Any]]:
    """Right values of the Codex samples by path."""
    expected = json.loads((samples / "expected.json").read_text(encoding="utf-8"))
    files: dict[str, dict[str, Any]] = expected["homes"]["codex"]["files"]
    return files


def test_samples_in_pieces(samples: Path) -> None:
    for path in sample_files(samples):
        data = (samples / path).read_bytes()
        whole = in_pieces(data, set(), path)
        for step in (1, 3, 7):
            borders = set(range(step, data.count(b"\n"), step))
            assert in_pieces(data, borders, path) == whole, path


def values_of(facts: list[Fact]) -> dict[str, int]:
    """The numbers that `expected.json` has."""
    usage = [sum(column) for column in zip(*counted(facts).values(), strict=True)] or [0] * 5
    calls = {fact.natural_id for fact in only(facts, CallFact) if not fact.where.is_copy}
    results = {fact.call_id for fact in only(facts, ResultFact)} & calls
    prompts = {
        fact.natural_id
        for fact in only(facts, PromptFact)
        if fact.origin != "agent" and not fact.where.is_copy
    }
    return {
        "responses": len(counted(facts)),
        "input": usage[0],
        "cache_write": usage[1],
        "cache_read": usage[2],
        "output": usage[3],
        "reasoning": usage[4],
        "tool_calls": len(calls),
        "tool_results": len(results),
        "human_prompts": len(prompts),
    }


def test_samples_give_their_right_values(samples: Path) -> None:
    sums = dict.fromkeys(("responses", "input", "cache_read", "output", "tool_calls"), 0)
    for path, expected in sample_files(samples).items():
        values = values_of(in_pieces((samples / path).read_bytes(), set(), path)[0])
        for name, value in values.items():
            if expected[name] is not None:
                assert value == expected[name], (path, name)
            elif name in (allowed := expected.get("accept", {})):
                assert value in allowed[name], (path, name)
        for name in sums:
            sums[name] += values[name] if expected[name] is not None else 0
    assert sums == {
        "responses": 14,
        "input": 23_369,
        "cache_read": 27_764,
        "output": 1_859,
        "tool_calls": 34,
    }


@pytest.mark.parametrize("folder", ["codex", "claude"])
def test_content_tells_a_rollout_from_other_logs(samples: Path, folder: str) -> None:
    for path in sorted((samples / folder).rglob("*.jsonl")):
        assert codex.looks_like(path.read_bytes()[:4096]) is (folder == "codex"), path
