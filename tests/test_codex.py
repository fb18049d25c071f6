"""Codex rollouts become facts: prompts, responses, calls, results, links, outcomes."""

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
    function_output,
    item,
    line,
    message,
    meta,
    shell_output,
    token_count,
    turn_context,
    user_message,
)

from agentpprof.agents import codex
from agentpprof.agents.facts import (
    LARGEST_COUNT,
    BadLineFact,
    CallFact,
    Fact,
    LinkFact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    SkippedFact,
)

PATH = "/home/dev/.codex/sessions/2026/05/04/rollout-2026-05-04T09-00-00-thread-1.jsonl"


def as_bytes(*records: Record | bytes) -> bytes:
    """Lines of a log: records as JSON, bytes as they are."""
    lines = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in records)
    return b"".join(one + b"\n" for one in lines)


def facts_of(*records: Record | bytes, path: str = PATH) -> list[Fact]:
    """Facts of a whole log."""
    return codex.decode(as_bytes(*records), 0, path, codex.initial_state(path))[0]


def only(facts: list[Fact], kind: type[Fact]) -> list[Any]:
    """Facts of one kind."""
    return [fact for fact in facts if type(fact) is kind]


def counted(facts: list[Fact]) -> dict[str, tuple[int, int, int, int, int]]:
    """Own usage per response: fresh input, cache write, cache read, output, reasoning."""
    found: dict[str, tuple[int, int, int, int, int]] = {}
    for fact in only(facts, ResponseFact):
        usage = fact.usage
        if usage is not None and fact.reason == "own":
            counts = (
                usage.input_tokens,
                usage.cache_write_5m_tokens,
                usage.cache_read_tokens,
                usage.output_tokens,
                usage.reasoning_tokens,
            )
            known = found.get(fact.natural_id, (0,) * 5)
            found[fact.natural_id] = tuple(map(max, counts, known))  # type: ignore[assignment]
    return found


def total(facts: list[Fact]) -> tuple[int, ...]:
    """Sum of the own usage."""
    return tuple(map(sum, zip(*counted(facts).values(), strict=True)))


def test_a_turn_gives_prompt_response_call_result_and_usage() -> None:
    log = CodexThread("t1")
    log.turn("Why does the build fail?")
    call = log.shell("go build ./...", "undefined: parse", exit_code=1)
    log.answer("A helper was renamed.")
    facts = facts_of(*log.records)
    assert [fact.text for fact in only(facts, PromptFact)] == ["Why does the build fail?"]
    assert [fact.natural_id for fact in only(facts, PromptFact)] == ["t1/t1-turn-1/1"]
    (made,) = only(facts, CallFact)
    assert (made.name, made.input["cmd"]) == ("exec_command", "go build ./...")
    assert made.natural_id == f"t1/{call['payload']['call_id']}"
    (result,) = only(facts, ResultFact)
    assert (result.call_id, result.result, result.exit_code) == (made.natural_id, "error", 1)
    assert len(counted(facts)) == 2
    assert made.response_id == next(iter(counted(facts)))
    assert {fact.model for fact in only(facts, ResponseFact)} == {"gpt-5.2-codex"}
    assert [fact.text for fact in only(facts, ResponseFact) if fact.text] == [
        "A helper was renamed."
    ]


def test_a_response_begins_with_its_first_item_and_is_one_operation_with_its_count() -> None:
    log = CodexThread("t1")
    log.turn("Go on")
    log.shell("ls")
    responses = only(facts_of(*log.records), ResponseFact)
    assert len({fact.natural_id for fact in responses}) == 1
    assert [fact.usage is None for fact in responses] == [True, False]
    assert responses[0].at_ms < responses[1].at_ms
    assert responses[1].result == "tool-use"


def test_without_turn_ids_an_answer_without_a_count_is_no_part_of_the_next_turn() -> None:
    facts = facts_of(
        meta("t1"),
        user_message("One"),
        token_count(codex_usage(10, 1)),
        message("Answer"),
        user_message("Two"),
        message("Other"),
        token_count(codex_usage(20, 2), codex_usage(10, 1)),
    )
    assert len({fact.natural_id for fact in only(facts, ResponseFact)}) == 3


def test_facts_stand_in_file_order_and_share_their_surroundings() -> None:
    log = CodexThread("t1")
    log.turn("One")
    log.shell("ls")
    facts = facts_of(*log.records)
    assert [fact.offset for fact in facts] == sorted(fact.offset for fact in facts)
    assert len({id(fact.where) for fact in facts}) == 1
    where = facts[0].where
    assert (where.session_id, where.cwd, where.branch) == ("t1", "/home/dev/gate", "main")
    assert where.version == "0.130.0"


def test_a_new_folder_makes_new_surroundings() -> None:
    facts = facts_of(
        meta(), turn_context(cwd="/a"), user_message("x"), turn_context(cwd="/b"), message("y")
    )
    assert [fact.where.cwd for fact in facts] == ["/a", "/b"]


def test_bare_files_of_2025_have_prompts_calls_and_a_response_each_step() -> None:
    bare = [
        {"id": "u-1", "timestamp": "2025-08-06T18:02:11.653Z", "instructions": "x" * 50},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}',
         "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1",
         "output": '{"output":"","metadata":{"exit_code":127,"duration_seconds":0.0}}'},
        {"type": "message", "role": "assistant",
         "content": [{"type": "output_text", "text": "Done"}]},
    ]  # fmt: skip
    facts = facts_of(*bare)
    assert [fact.text for fact in only(facts, PromptFact)] == ["Fix"]
    assert {fact.natural_id for fact in only(facts, ResponseFact)} == {
        "u-1/#1/0.0.0.0.0",
        "u-1/#1/0.0.0.0.0+1",
    }
    assert only(facts, ResultFact)[0].exit_code == 127
    assert not only(facts, SkippedFact)
    assert {fact.at_ms for fact in facts} == {None}


def test_an_id_missing_in_the_log_is_taken_from_the_name() -> None:
    name = "rollout-2026-05-04T09-00-00-019fbcca-9fd4-7d20-83dc-0762b2f839b3"
    second = "_019fbcca-9fd4-7d20-83dc-000000000000"
    for path in (f"/s/{name}.jsonl", f"/s/{name}{second}.jsonl", f"/s/{name}.jsonl.zst"):
        facts = facts_of(user_message("x"), path=path)
        assert facts[0].where.session_id == "019fbcca-9fd4-7d20-83dc-0762b2f839b3"


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ('{"cmd": "ls"}', {"cmd": "ls"}),
        ('{"cmd": "ls', {"arguments": '{"cmd": "ls'}),
        ("", {}),
        ("[1]", {"arguments": "[1]"}),
    ],
)
def test_arguments_are_read_as_far_as_they_go(arguments: str, given: Record) -> None:
    facts = facts_of(meta(), function_call("exec_command", arguments))
    assert only(facts, CallFact)[0].input == given


def test_arguments_of_foreign_files_are_objects() -> None:
    call = item("function_call", name="apply_patch", arguments={"patch": "*** x"}, call_id="c")
    assert only(facts_of(meta(), call), CallFact)[0].input == {"patch": "*** x"}


def test_a_long_patch_is_cut_but_keeps_its_files() -> None:
    patch = f"*** Begin Patch\n*** Add File: a.py\n{'+x' * 40_000}\n*** Update File: b.py\n+y"
    (call,) = only(facts_of(meta(), custom_call("apply_patch", patch)), CallFact)
    assert len(call.input["input"]) < 66_000
    assert "*** Update File: b.py" in call.input["input"]


def test_equal_inputs_have_equal_signatures_that_fit_a_column() -> None:
    calls = [function_call("shell", {"command": one}, call_id=f"c{n}")
             for n, one in enumerate(("ls", "ls", "pwd"))]  # fmt: skip
    one, same, other = (call.signature for call in only(facts_of(meta(), *calls), CallFact))
    assert one == same != other
    assert -(1 << 63) <= one < 1 << 63


@pytest.mark.parametrize(
    ("name", "namespace", "shown"),
    [
        ("search", "mcp__github", "mcp__github__search"),
        ("search", "mcp__github__", "mcp__github__search"),
        ("search", "github", "mcp__github__search"),
        ("mcp__a_b__c", None, "mcp__a_b__c"),
        ("spawn_agent", "multi_agent", "spawn_agent"),
    ],
)
def test_tools_of_servers_have_one_form_of_name(
    name: str, namespace: str | None, shown: str
) -> None:
    call = function_call(name, {}, call_id="c", namespace=namespace)
    assert only(facts_of(meta(), call), CallFact)[0].name == shown


def test_write_stdin_goes_on_with_the_command_that_runs() -> None:
    running = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    facts = facts_of(
        meta("t1"),
        function_call("exec_command", {"cmd": "make"}, call_id="c1"),
        function_output("c1", running),
        function_call("write_stdin", {"session_id": 7, "chars": ""}, call_id="c2"),
        function_output("c2", shell_output("done", exit_code=2)),
        function_call("write_stdin", {"session_id": 7, "chars": ""}, call_id="c3"),
    )
    assert [call.natural_id for call in only(facts, CallFact)] == ["t1/c1", "t1/c3"]
    results = [(fact.call_id, fact.result) for fact in only(facts, ResultFact)]
    assert results == [("t1/c1", "unknown"), ("t1/c1", "error")]


def test_typed_calls_without_a_name() -> None:
    facts = facts_of(
        meta("t1"),
        item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["ls", "-l"]}),
        function_output("c1", "a"),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
        item("web_search_call", status="completed"),
        item("tool_search_call", call_id="c2", arguments={"query": "x"}),
        item("tool_search_output", call_id="c2", tools=[]),
        item("image_generation_call", id="ig", result="AAAA"),
    )
    assert [(call.natural_id, call.name, call.input) for call in only(facts, CallFact)] == [
        ("t1/c1", "local_shell", {"command": ["ls", "-l"]}),
        ("t1/#1", "web_search_call", {"type": "search", "query": "q"}),
        ("t1/#2", "web_search_call", {}),
        ("t1/c2", "tool_search", {"query": "x"}),
        ("t1/ig", "image_generation_call", {}),
    ]
    assert {fact.result for fact in only(facts, ResultFact)} == {"ok"}
    assert len(only(facts, ResultFact)) == 5


def test_ends_of_known_calls_make_no_second_operation() -> None:
    facts = facts_of(
        meta("t1"),
        custom_call("apply_patch", "*** Begin Patch", call_id="c1"),
        event("patch_apply_end", call_id="c1", success=False, status="failed", changes={}),
        custom_output("c1", "ok"),
        event("exec_command_end", call_id="c1", exit_code=0, status="completed"),
    )
    assert len(only(facts, CallFact)) == 1
    assert [fact.result for fact in only(facts, ResultFact)] == ["error", "ok", "ok"]


def activity(event_id: str, kind: str) -> Record:
    """What a parent's log says of a child (version 2)."""
    known = {"type": "sub_agent_activity", "event_id": event_id, "agent_thread_id": "child-2"}
    return line("event_msg", {**known, "kind": kind})


def test_a_child_is_linked_to_the_call_that_started_it() -> None:
    facts = facts_of(
        meta("t1"),
        function_call("spawn_agent", {"message": "x"}, call_id="c1"),
        function_output("c1", json.dumps({"agent_id": "child-1", "nickname": "Ada"})),
        event("collab_agent_spawn_end", call_id="c1", new_thread_id="child-1",
              new_agent_role="explorer"),
        activity("c2", "started"),
        activity("c3", "interacted"),
    )  # fmt: skip
    links = [(fact.agent_session_id, fact.call_id) for fact in only(facts, LinkFact)]
    assert links == [("child-1", "t1/c1"), ("child-1", "t1/c1"), ("child-2", "t1/c2")]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"subagent": "review"}, "review"),
        ({"subagent": {"other": "guardian"}}, "guardian"),
        (
            {"subagent": {"thread_spawn": {"parent_thread_id": "p", "agent_role": "worker"}}},
            "worker",
        ),
        ({"subagent": {"thread_spawn": {"parent_thread_id": "p", "agent_role": None}}}, "default"),
    ],
)
def test_a_sub_agents_first_prompt_is_its_parents(source: Record, kind: str) -> None:
    facts = facts_of(meta("t1", source=source), user_message("Explore"))
    (prompt,) = only(facts, PromptFact)
    assert prompt.origin == "agent"
    assert (prompt.where.agent_type, prompt.where.is_subagent) == (kind, True)


def test_outcomes_of_turns() -> None:
    facts = facts_of(
        meta(),
        event("turn_aborted", reason="interrupted"),
        event("turn_aborted", reason="review_ended"),
        event("task_complete", turn_id="x", last_agent_message=None),
        event("task_complete", turn_id="x", error={"message": "boom"}),
        event("error", message="boom"),
    )
    assert [fact.outcome for fact in only(facts, OutcomeFact)] == [
        "interrupted",
        "failed",
        "failed",
    ]


def test_unknown_kinds_are_counted_and_known_context_is_silent() -> None:
    facts = facts_of(
        meta(),
        line("new_thing", {}),
        item("new_item"),
        event("new_event"),
        event("item_completed", item={"type": "NewItem"}),
        line("world_state", {"full": True}),
        event("agent_reasoning", text="x"),
        item("reasoning", summary=[]),
        event("item_completed", item={"type": "Plan"}),
    )
    assert [(fact.kind, fact.is_unknown) for fact in facts] == [
        ("new_thing", True),
        ("response_item/new_item", True),
        ("event_msg/new_event", True),
        ("event_msg/item_completed/NewItem", True),
    ]


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": -1, "output_tokens": 5},
        {"input_tokens": 1.5, "output_tokens": 5},
        {"input_tokens": LARGEST_COUNT, "output_tokens": 5},
        {"input_tokens": "many"},
        [1, 2],
    ],
)
def test_counts_that_are_none_are_counted_as_invalid(usage: Any) -> None:
    bad = event("token_count", info={"total_token_usage": usage, "last_token_usage": usage})
    facts = facts_of(meta(), message("x"), bad, token_count(codex_usage(100, 10)))
    responses = only(facts, ResponseFact)
    assert [fact.reason for fact in responses if fact.usage] == ["invalid", "own"]
    assert total(facts) == (100, 0, 0, 10, 0)


def test_wrong_types_cost_only_their_field() -> None:
    call = item("function_call", name=["x"], arguments="{}", call_id=7)
    facts = facts_of(meta(), call, {**user_message("hi"), "timestamp": "yesterday"})
    assert only(facts, CallFact)[0].name == "unknown"
    assert only(facts, PromptFact)[0].at_ms is None
    assert not only(facts, BadLineFact)
