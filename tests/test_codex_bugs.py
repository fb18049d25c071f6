"""Bug reports about other readers, each as a test with the right value (formats/codex.md 14)."""

import json
from typing import Any

import pytest
from builders import Record
from builders_codex import (
    CodexThread,
    codex_usage,
    custom_call,
    custom_output,
    event,
    function_call,
    item,
    line,
    message,
    meta,
    token_count,
    turn_context,
    user_message,
    web_search,
)
from test_codex import PATH, as_bytes, counted, facts_of, only, total

from agentpprof.agents import codex
from agentpprof.agents.facts import (
    BadLineFact,
    CallFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    SkippedFact,
)

START_S = 1_777_885_200  # 2026-05-04T09:00:00Z


def at(seconds: float) -> str:
    """A time so long after 09:00:00."""
    minutes, rest = divmod(seconds, 60)
    return f"2026-05-04T09:{int(minutes):02}:{rest:06.3f}Z"


def task(turn_id: str, begins: float, *, written: float) -> Record:
    """A turn's first line; in a copy it was written long after the turn began."""
    return event("task_started", turn_id=turn_id, started_at=int(START_S + begins), at=at(written))


def fork(*, is_dated: bool = True, gap: float = 0.001) -> list[Record]:
    """A fork at 09:00:00 of `parent` (two counts, one call), with one own response."""
    steps = iter(range(1, 20))
    moment = lambda: at(next(steps) * gap)  # noqa: E731
    head = [
        meta("child", forked_from_id="parent", at=at(0)),
        meta("parent", timestamp="2026-05-04T08:00:00Z", at=moment()),
    ]
    if is_dated:
        begins = event("task_started", turn_id="old", started_at=START_S - 3000, at=moment())
        head.append(begins)
    copied = [
        user_message("Old task", at=moment()),
        function_call("shell", {"command": "old"}, call_id="c1", at=moment()),
        token_count(codex_usage(10_000, 500), at=moment()),
        token_count(codex_usage(20_000, 900), codex_usage(10_000, 400), at=moment()),
    ]
    own: list[Record] = [task("new", 600, written=600)] if is_dated else []
    own += [
        user_message("New task", at=at(600)),
        function_call("shell", {"command": "new"}, call_id="c2", at=at(601)),
        token_count(codex_usage(25_000, 1_100), codex_usage(5_000, 200), at=at(602)),
    ]
    return head + copied + own


def test_row_01_a_repeated_total_counts_once() -> None:
    log = CodexThread("t1")
    log.turn("x")
    log.add(message("a"))
    log.count(codex_usage(100, 10), repeats=3)
    log.add(token_count(None))
    log.add(message("b"))
    log.count(codex_usage(100, 10), repeats=1)
    facts = facts_of(*log.records)
    assert total(facts) == (200, 0, 0, 20, 0)
    assert len([fact for fact in only(facts, ResponseFact) if fact.usage]) == 6


def test_row_02_a_childs_replay_is_its_parents() -> None:
    facts = facts_of(*fork())
    assert total(facts) == (5_000, 0, 0, 200, 0)
    inherited = [fact for fact in only(facts, ResponseFact) if fact.reason == "inherited"]
    assert [fact.usage.input_tokens for fact in inherited] == [10_000, 10_000]
    assert {fact.quality for fact in inherited} == {"exact"}


def test_row_02_copies_carry_the_ids_of_the_thread_they_come_from() -> None:
    child = facts_of(*fork())
    parent = facts_of(
        meta("parent", timestamp="2026-05-04T08:00:00Z"),
        task("old", -3000, written=0),
        user_message("Old task"),
        function_call("shell", {"command": "old"}, call_id="c1"),
        token_count(codex_usage(10_000, 500)),
        token_count(codex_usage(20_000, 900), codex_usage(10_000, 400)),
    )
    for kind in (PromptFact, CallFact):
        copies = [fact.natural_id for fact in only(child, kind) if fact.where.is_copy]
        assert copies == [fact.natural_id for fact in only(parent, kind)]
    inherited = {
        fact.natural_id for fact in only(child, ResponseFact) if fact.reason == "inherited"
    }
    assert inherited == set(counted(parent))


def test_row_02_a_nested_fork_gives_each_turn_to_the_thread_that_made_it() -> None:
    facts = facts_of(
        meta("child", forked_from_id="parent", at=at(0)),
        meta("parent", timestamp="2026-05-04T08:30:00Z", at=at(0.001)),
        meta("elder", timestamp="2026-05-04T08:00:00Z", at=at(0.002)),
        event("task_started", turn_id="e", started_at=START_S - 3500, at=at(0.003)),
        user_message("Elder", at=at(0.003)),
        event("task_started", turn_id="p", started_at=START_S - 1000, at=at(0.004)),
        user_message("Parent", at=at(0.004)),
        task("c", 60, written=60),
        user_message("Child", at=at(60)),
    )
    found = [(fact.natural_id, fact.where.session_id, fact.where.is_copy)
             for fact in only(facts, PromptFact)]  # fmt: skip
    assert found == [
        ("elder/e/1", "elder", True),
        ("parent/p/1", "parent", True),
        ("child/c/1", "child", False),
    ]


def test_row_02_the_ordinal_tells_a_paginated_childs_own_part() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}
    first = meta("child", source=spawn, subagent_history_start_ordinal=2, history_mode="paginated")
    call = function_call("shell", {}, call_id="c1")
    facts = facts_of({**first, "ordinal": 0}, {**call, "ordinal": 1}, {**call, "ordinal": 2})
    assert [fact.natural_id for fact in only(facts, CallFact)] == ["parent/c1", "child/c1"]


def test_row_03_without_turns_the_copy_ends_at_the_first_pause_and_is_uncertain() -> None:
    facts = facts_of(*fork(is_dated=False, gap=0.9))
    assert total(facts) == (5_000, 0, 0, 200, 0)
    responses = [fact for fact in only(facts, ResponseFact) if fact.usage]
    assert {fact.quality for fact in responses} == {"uncertain"}


def test_row_03_work_of_the_first_second_is_real_without_a_copied_meta() -> None:
    facts = facts_of(
        meta("child", parent_thread_id="parent"),
        *(token_count(codex_usage(n * 1000, n * 10), codex_usage(1000, 10), at=at(n / 9))
          for n in range(1, 4)),
    )  # fmt: skip
    assert total(facts) == (3_000, 0, 0, 30, 0)


def test_row_04_two_threads_with_equal_numbers_are_two() -> None:
    counts = [meta_and_count(thread, turn) for thread, turn in (("a", "t"), ("b", "t"))]
    first, second = (set(counted(facts_of(*records))) for records in counts)
    assert not first & second


def meta_and_count(thread: str, turn: str) -> list[Record]:
    """A thread with one response."""
    return [meta(thread), turn_context(turn), token_count(codex_usage(100, 10))]


def test_row_05_a_late_lower_total_is_stale_and_a_reset_is_none() -> None:
    facts = facts_of(
        meta(),
        token_count(codex_usage(100_000, 1_000)),
        token_count(codex_usage(110_000, 1_100), codex_usage(10_000, 100)),
        token_count(codex_usage(109_000, 1_090), codex_usage(9_000, 90)),
        token_count(codex_usage(120_000, 1_200), codex_usage(10_000, 100)),
        token_count(codex_usage(7_000, 70)),
        token_count(codex_usage(9_000, 90), codex_usage(2_000, 20)),
    )
    assert total(facts) == (129_000, 0, 0, 1_290, 0)
    reasons = [fact.reason for fact in only(facts, ResponseFact)]
    assert reasons == ["own", "own", "stale", "own", "own", "own"]
    assert len(counted(facts)) == 5


def test_row_06_cached_written_and_reasoning_tokens_are_parts() -> None:
    usage = codex_usage(1_000, 100, cached=600, reasoning=40, cache_write=150)
    assert total(facts_of(meta(), token_count(usage))) == (250, 150, 600, 100, 40)


def test_row_06_parts_above_the_whole_are_bounded_and_uncertain() -> None:
    facts = facts_of(meta(), token_count(codex_usage(100, 10, cached=300, reasoning=40)))
    assert total(facts) == (0, 0, 100, 10, 10)
    assert only(facts, ResponseFact)[0].quality == "uncertain"


def test_row_07_images_and_copied_histories_add_nothing() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 100_000}
    said = {"type": "input_text", "text": "Look"}
    facts = facts_of(
        meta(),
        item("message", role="user", content=[said, image]),
        user_message("Look", images=[image["image_url"]]),
        user_message("", images=[image["image_url"]]),
        line("compacted", {"message": "", "replacement_history": [message("x")["payload"]]}),
        item("custom_tool_call_output", call_id="c", output=[image]),
    )
    assert [fact.text for fact in only(facts, PromptFact)] == ["Look", ""]
    assert [type(fact) for fact in facts] == [PromptFact, PromptFact, ResultFact]


def test_row_08_freeform_calls_and_searches_are_calls() -> None:
    facts = facts_of(
        meta("t1"),
        custom_call("apply_patch", "*** Begin Patch\n*** Add File: a.py", call_id="c1"),
        custom_output("c1", "Exit code: 0\nOutput:\nSuccess"),
        web_search("q"),
        event("web_search_end", call_id="ws", query="q", action={"type": "search"}),
    )
    names = [(call.name, call.natural_id) for call in only(facts, CallFact)]
    assert names == [
        ("apply_patch", "t1/c1"),
        ("web_search_call", "t1/#1"),
        ("web_search_call", "t1/ws"),
    ]


SCRIPT = """const r = await tools.exec_command({cmd: "ls -l", workdir: '/x'});
const patch = `*** Begin Patch
*** Update File: a.py
*** End Patch`;
await tools.apply_patch(patch);"""


def test_row_09_calls_nested_in_code_mode_are_calls_of_their_own() -> None:
    facts = facts_of(
        meta("t1"),
        custom_call("exec", SCRIPT, call_id="c1"),
        event("patch_apply_end", call_id="nested-9", success=True, status="completed", changes={}),
        custom_output("c1", "Script completed\nWall time 1.2 seconds"),
    )
    calls = {call.natural_id: (call.name, call.input) for call in only(facts, CallFact)}
    assert list(calls) == ["t1/c1", "t1/c1/1", "t1/c1/2"]
    assert calls["t1/c1/1"] == ("exec_command", {"cmd": "ls -l", "workdir": "/x"})
    assert "*** Update File: a.py" in calls["t1/c1/2"][1]["input"]
    results = [(fact.call_id, fact.result) for fact in only(facts, ResultFact)]
    assert results == [("t1/c1/2", "ok"), ("t1/c1", "ok"), ("t1/c1/1", "ok")]


def item_done(kind: str, **fields: Any) -> Record:
    """An `item_completed` event."""
    return event("item_completed", turn_id="turn-1", item={"type": kind, **fields})


def test_row_09_in_paginated_history_the_items_tell_of_nested_calls() -> None:
    facts = facts_of(
        meta("t1", history_mode="paginated"),
        custom_call("exec", SCRIPT, call_id="c1"),
        item_done("CommandExecution", id="n1", command=["ls"], cwd="/x", exit_code=1,
                  status="failed"),
        item_done("FileChange", id="n2", status="completed",
                  changes={"/x/a.py": {"type": "update", "move_path": "/x/b.py"}}),
        item_done("McpToolCall", id="n3", server="gh", tool="find", arguments={"q": 1},
                  status="completed"),
        item_done("CommandExecution", id="n4", command=["ls"], source="user_shell"),
        custom_output("c1", "Script completed"),
    )  # fmt: skip
    names = [(call.natural_id, call.name) for call in only(facts, CallFact)]
    assert names == [
        ("t1/c1", "exec"),
        ("t1/n1", "exec_command"),
        ("t1/n2", "apply_patch"),
        ("t1/n3", "mcp__gh__find"),
    ]
    patch = only(facts, CallFact)[2].input["input"]
    assert "*** Update File: /x/a.py\n*** Move to: /x/b.py" in patch
    assert only(facts, ResultFact)[0].result == "error"
    assert [fact.kind for fact in only(facts, SkippedFact)] == [
        "event_msg/item_completed/user_shell"
    ]


@pytest.mark.parametrize("fields", [{"history_mode": "paginated"}, {}])
def test_row_10_paginated_files_have_prompts_and_texts_once(fields: Record) -> None:
    said = [{"type": "text", "text": "Fix"}, {"type": "image", "image_url": "data:"}]
    facts = facts_of(
        meta("t1", **fields),
        turn_context("turn-1"),
        message("Fix", role="user"),
        item_done("UserMessage", content=said),
        item_done("AgentMessage", content=[{"type": "Text", "text": "Done"}]),
        message("Done"),
        function_call("shell", {"command": "ls"}, call_id="c1"),
        item_done("CommandExecution", id="c1", command=["ls"], exit_code=0),
        token_count(codex_usage(10, 1)),
    )
    assert [(fact.text, fact.natural_id) for fact in only(facts, PromptFact)] == [
        ("Fix", "t1/turn-1/1")
    ]
    assert [fact.text for fact in only(facts, ResponseFact) if fact.text] == ["Done"]
    assert len({fact.natural_id for fact in only(facts, ResponseFact)}) == 1
    assert len(only(facts, CallFact)) == 1


def test_row_10_a_prompt_told_in_both_ways_is_one() -> None:
    said = item_done("UserMessage", content=[{"type": "text", "text": "Fix"}])
    for records in ((said, user_message("Fix")), (user_message("Fix"), said)):
        facts = facts_of(meta("t1"), turn_context("turn-1"), *records)
        assert len(only(facts, PromptFact)) == 1


@pytest.mark.parametrize(
    ("name", "is_log"),
    [
        ("rollout-2026-05-04T09-00-00-a.jsonl", True),
        ("rollout-2026-05-04T09-00-00-a.jsonl.zst", True),
        ("session_index.jsonl", False),
        ("history.jsonl", False),
        ("rollout-2025-05-01-a.json", False),
        ("rollout-x.jsonl.zst.tmp", False),
    ],
)
def test_row_11_plain_and_compressed_logs_are_one_log(name: str, is_log: bool) -> None:
    assert codex.is_log_name(name) is is_log
    assert codex.logical_path(f"/a/{name}") == f"/a/{name}".removesuffix(".zst")
    assert codex.SESSION_FOLDERS == ("sessions", "archived_sessions")


def test_row_12_another_reading_gives_the_same_ids() -> None:
    log = CodexThread("t1")
    log.turn("x")
    log.shell("ls")
    log.answer("y")
    log.turn("z")
    log.shell("ls")
    moved = facts_of(*log.records, path=PATH.replace("sessions", "archived_sessions"))
    assert facts_of(*log.records) == moved


def test_row_13_the_model_is_that_in_force_or_unknown() -> None:
    settings = event("thread_settings_applied",
                     thread_settings={"model": "gpt-b", "service_tier": "priority"})  # fmt: skip
    facts = facts_of(
        meta("t1", model="gpt-phantom", model_provider="openai"),
        token_count(codex_usage(10, 1)),
        turn_context(model="gpt-a"),
        token_count(codex_usage(20, 2), codex_usage(10, 1)),
        settings,
        token_count(codex_usage(30, 3), codex_usage(10, 1)),
    )
    assert [(fact.model, fact.tier) for fact in only(facts, ResponseFact)] == [
        ("unknown", ""),
        ("gpt-a", ""),
        ("gpt-b", "priority"),
    ]


INJECTED = [
    "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>",
    "<environment_context>\n<cwd>/x</cwd>",
    "<user_instructions>\n\nx",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>\n<name>x",
]


@pytest.mark.parametrize("text", INJECTED)
def test_row_14_injected_text_is_no_prompt(text: str) -> None:
    facts = facts_of(meta(), message(text, role="user"), message("Fix", role="user"), message("ok"))
    assert [fact.text for fact in only(facts, PromptFact)] == ["Fix"]
    assert not only(facts_of(meta(), user_message(text)), PromptFact)


def test_row_14_parts_are_tested_one_by_one_and_the_editors_wrapper_is_stripped() -> None:
    parts = [{"type": "input_text", "text": text} for text in (*INJECTED, "<image>", "Fix")]
    facts = facts_of(meta(), item("message", role="user", content=parts), message("ok"))
    assert [fact.text for fact in only(facts, PromptFact)] == ["Fix"]
    wrapped = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix"
    )
    assert only(facts_of(meta(), user_message(wrapped)), PromptFact)[0].text == "Fix"


def test_row_14_a_persons_own_command_is_skipped() -> None:
    ran = message("<user_shell_command>\n<command>ls", role="user")
    assert [type(fact) for fact in facts_of(meta(), ran)] == [SkippedFact]


def test_row_14_steering_gives_several_prompts_a_turn() -> None:
    facts = facts_of(
        meta("t1"), turn_context("a"), user_message("One"), message("x"), user_message("Two")
    )
    assert [fact.natural_id for fact in only(facts, PromptFact)] == ["t1/a/1", "t1/a/2"]


def test_row_15_the_stream_of_codex_exec_is_no_rollout() -> None:
    stream = {"type": "turn.completed", "usage": {"input_tokens": 5}}
    assert not codex.looks_like(as_bytes({"type": "thread.started", "thread_id": "x"}, stream))
    assert codex.looks_like(as_bytes(meta()))
    assert codex.looks_like(b'{"id":"x","timestamp":"2025-05-07T00:00:00Z","instructions":""}\n')
    assert not codex.looks_like(as_bytes({"type": "user", "sessionId": "x", "payload": '"type"'}))


def record(response_id: str, usage: Record) -> Record:
    """A `token_usage_record` line."""
    return line("token_usage_record", {"response_id": response_id, "usage": usage})


def test_row_16_usage_records_count_what_the_totals_leave_out() -> None:
    facts = facts_of(
        meta("t1"),
        message("a"),
        record("r1", codex_usage(100, 10)),
        token_count(codex_usage(100, 10)),
        token_count(codex_usage(100, 10)),
        record("r1", codex_usage(100, 10)),
        record("compaction", codex_usage(5_000, 300)),
        line("compacted", {"message": "", "compaction_response_id": "compaction"}),
        message("b"),
        record("r2", codex_usage(200, 20)),
        token_count(codex_usage(300, 30), codex_usage(200, 20)),
    )
    assert total(facts) == (5_300, 0, 0, 330, 0)
    assert len(counted(facts)) == 3
    assert "compaction" in counted(facts)


def test_row_16_a_record_after_its_count_is_a_repeat() -> None:
    facts = facts_of(
        meta("t1"), message("a"), token_count(codex_usage(9, 1)), record("r1", codex_usage(9, 1))
    )
    assert total(facts) == (9, 0, 0, 1, 0)


def test_row_17_damaged_glued_and_repeated_lines_cost_only_themselves() -> None:
    call = as_bytes(function_call("shell", {"command": "ls"}, call_id="c1")).strip()
    count = as_bytes(token_count(codex_usage(10, 1))).strip()
    facts = facts_of(
        meta("t1"),
        {**user_message("x"), "ordinal": 7},
        call[:60],
        {**json.loads(call), "ordinal": 3},
        call + count,
        b"\0\0\0",
        b"[1]",
        call[:50] + count,
    )
    assert {fact.natural_id for fact in only(facts, CallFact)} == {"t1/c1"}
    assert total(facts) == (10, 0, 0, 1, 0)
    assert len(only(facts, BadLineFact)) == 4
    assert [fact.offset for fact in facts] == sorted(fact.offset for fact in facts)


def test_row_17_old_builds_write_items_after_their_count() -> None:
    facts = facts_of(
        meta("t1", cli_version="0.46.0"),
        user_message("x"),
        event("agent_reasoning", text="hm"),
        token_count(codex_usage(10, 1)),
        function_call("shell", {"command": "ls"}, call_id="c1"),
        token_count(codex_usage(30, 3), codex_usage(20, 2)),
        message("Done"),
    )
    first, second = counted(facts)
    assert only(facts, CallFact)[0].response_id == first
    assert [fact.natural_id for fact in only(facts, ResponseFact) if fact.text] == [second]
