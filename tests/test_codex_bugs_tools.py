"""Public bug reports about readers of Codex's logs, rows 8 to 17: tools, modes, prompts, damage.

Where the reports of a row are: 8 kenn-io/agentsview#1023, kenn-io/agentsview#1899;
9 Arize-ai/coding-harness-tracing#110, zszz3/AgentRecall#410; 10 org2AI/ORG2#837,
graykode/abtop#170; 11 agent-of-empires/agent-of-empires#3281, vshulcz/deja-vu#3640;
12 xiufengsun/TokenTracker#187; 13 getagentseal/codeburn#1040, alp82/aistack#73;
14 org2AI/ORG2#838, junhoyeo/tokscale#667; 15 openai/codex#17539, gitmoot/gitmoot#661;
16 openai/codex#47003; 17 openai/codex#24425, openai/codex#35746, openai/codex#45150.
"""

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

from agentpprof.agents import AGENTS, codex
from agentpprof.agents.facts import (
    BadLineFact,
    CallFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    SkippedFact,
)
from agentpprof.models import LogFile


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
    assert (AGENTS["codex"].log_name.match(name) is not None) is is_log
    log_file = LogFile(f"/a/{name}", "codex", 0, 0, 0, 0, 0)
    assert log_file.logical_path == f"/a/{name}".removesuffix(".zst")


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


def test_row_16_turns_without_records_still_count_by_totals() -> None:
    facts = facts_of(
        meta("t1"),
        message("a"),
        record("r1", codex_usage(100, 10)),
        token_count(codex_usage(100, 10)),
        record("compaction", codex_usage(5_000, 300)),
        message("b"),
        token_count(codex_usage(150, 15), codex_usage(50, 5)),
    )
    assert total(facts) == (5_150, 0, 0, 315, 0)


def test_row_16_a_record_after_its_count_is_a_repeat() -> None:
    facts = facts_of(
        meta("t1"), message("a"), token_count(codex_usage(9, 1)), record("r1", codex_usage(9, 1))
    )
    assert total(facts) == (9, 0, 0, 1, 0)


def test_row_16_records_without_any_count_are_a_response_each() -> None:
    for items in ([message("a")], [function_call("shell", {"command": "ls"}, call_id="c")]):
        facts = facts_of(
            meta("t1"),
            *items,
            record("r1", codex_usage(100, 10)),
            *items,
            record("r2", codex_usage(60, 6)),
        )
        assert total(facts) == (160, 0, 0, 16, 0)
        assert len(counted(facts)) == 2


def test_row_16_each_record_may_stand_behind_its_count() -> None:
    facts = facts_of(
        meta("t1"),
        message("a"),
        token_count(codex_usage(100, 10)),
        record("r1", codex_usage(100, 10)),
        message("b"),
        token_count(codex_usage(300, 30), codex_usage(200, 20)),
        record("r2", codex_usage(200, 20)),
        message("c"),
        token_count(codex_usage(500, 50), codex_usage(200, 20)),
        record("r3", codex_usage(200, 20)),
    )
    assert total(facts) == (500, 0, 0, 50, 0)
    assert len(counted(facts)) == 3


@pytest.mark.parametrize("is_each_counted", [True, False])
def test_row_16_the_counts_of_two_records_may_come_late(is_each_counted: bool) -> None:
    first = [token_count(codex_usage(100, 10))] if is_each_counted else []
    facts = facts_of(
        meta("t1"),
        message("a"),
        record("r1", codex_usage(100, 10)),
        message("b"),
        record("r2", codex_usage(60, 6)),
        *first,
        token_count(codex_usage(160, 16), codex_usage(60, 6)),
        message("c"),
        record("r3", codex_usage(100, 10)),
        token_count(codex_usage(260, 26), codex_usage(100, 10)),
    )
    assert total(facts) == (260, 0, 0, 26, 0)
    assert len(counted(facts)) == 3


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
