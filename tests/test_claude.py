"""How one record of Claude Code becomes facts: who wrote it, what it used, how a call ended."""

from typing import Any

import pytest
from builders import assistant, claude_usage, encode_log, text, tool_result, user
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.agents import claude
from agentpprof.agents.claude_records import Message
from agentpprof.agents.claude_users import author_of
from agentpprof.agents.facts import (
    LARGEST_COUNT,
    CallFact,
    Fact,
    PromptFact,
    ResponseFact,
    ResultFact,
)

PATH = "/logs/projects/-home-dev-shop/session-1.jsonl"


def facts(*records: Any, path: str = PATH) -> list[Fact]:
    """Decode records from a file's first byte."""
    return claude.decode(encode_log(records), 0, path, claude.initial_state(path))[0]


AUTHORS = [
    ("Fix the test", "person"),
    ("[Request interrupted by user]", "interrupt"),
    ("[Request interrupted by user for tool use]", "interrupt"),
    ("<task-notification>done", "injected"),
    ("<local-command-caveat>x", "injected"),
    ("Caveat: The messages below were", "injected"),
    ("<local-command-stdout>x", "injected"),
    ("<bash-stdout>x</bash-stdout>", "injected"),
    ("<system-reminder>x</system-reminder>", "injected"),
    ("<system-reminder>x</system-reminder>\nFix it", "person"),
    ("<ide_opened_file>a.py</ide_opened_file>Fix it", "person"),
    ("<ide_selection>a</ide_selection>", "injected"),
    ("Stop hook feedback: no", "injected"),
    ("<bash-input>ls</bash-input>", "shell_command"),
    ("<command-name>/deploy</command-name>", "command"),
    ("<command-message>x</command-message><command-name>/deploy</command-name>", "command"),
    ("", "empty"),
    (" \n", "empty"),
]


@pytest.mark.parametrize(("words", "author"), AUTHORS)
def test_who_wrote_a_user_record(words: str, author: str) -> None:
    assert author_of(Message(content=words)) == author


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_slash_command_is_a_prompt_only_if_the_agent_answers_it(is_answered: bool) -> None:
    command = "<command-name>/deploy</command-name><command-args>now</command-args>"
    following = assistant("Going") if is_answered else user("<local-command-stdout>x")
    found = facts(user(command), user("body", isMeta=True), following)
    prompts = [(one.text, one.skill) for one in found if isinstance(one, PromptFact)]
    assert prompts == ([("/deploy now", "deploy")] if is_answered else [])


VALID = st.integers(0, LARGEST_COUNT - 1)
ODD = st.one_of(
    st.none(), st.booleans(), st.floats(), st.text(max_size=3), st.integers(), st.just([1])
)


@given(st.dictionaries(st.sampled_from(sorted(claude_usage())), ODD), VALID)
def test_odd_token_counts_are_never_fatal_negative_or_called_exact(
    odd: dict[str, Any], output: int
) -> None:
    record = assistant("x", usage={**claude_usage(output_tokens=output), **odd})
    responses = [one for one in facts(record) if isinstance(one, ResponseFact)]
    if not responses:
        return  # not even JSON: infinite numbers
    usage = responses[0].usage
    assert usage is not None
    counts = (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens)
    assert all(0 <= count < LARGEST_COUNT for count in counts)
    if any(isinstance(value, (bool, str)) for name, value in odd.items() if "tokens" in name):
        assert responses[0].quality == "uncertain"


RESULTS = [
    ("ok", None, "ok"),
    ("Exit code 2\nx", True, "error"),
    ("The user doesn't want to proceed with this tool use.", True, "rejected"),
    ("<tool_use_error>Sibling tool call errored</tool_use_error>", True, "cancelled"),
    ("<tool_use_error>File does not exist.</tool_use_error>", True, "error"),
    ([text("Exit code 1")], True, "error"),
    ("Exit code 1", False, "ok"),
]


@pytest.mark.parametrize(("content", "is_error", "result"), RESULTS)
def test_how_a_call_ended(content: Any, is_error: bool | None, result: str) -> None:
    found = facts(tool_result("toolu_1", content, is_error=is_error))
    assert [one.result for one in found if isinstance(one, ResultFact)] == [result]


def test_an_interrupted_call_and_an_exit_code_that_is_explained_are_told_by_their_details() -> None:
    interrupted = tool_result("toolu_1", "x", tool_use_result={"interrupted": True})
    explained = tool_result(
        "toolu_1",
        "Exit code 1",
        is_error=True,
        tool_use_result={"returnCodeInterpretation": "No matches found"},
    )
    found = [one.result for one in facts(interrupted, explained) if isinstance(one, ResultFact)]
    assert found == ["interrupted", "ok"]


@pytest.mark.parametrize("value", [None, [], "x", 5, {"command": 7}, {"file_path": None}])
def test_odd_inputs_of_a_call_are_tolerated(value: Any) -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": value}
    assert len([one for one in facts(assistant([block])) if isinstance(one, CallFact)]) == 1


def test_the_records_of_a_sub_agents_file_are_the_agents_and_its_first_one_no_persons() -> None:
    path = "/logs/projects/-home-dev-shop/session-1/subagents/agent-a1.jsonl"
    record = user("Look", isSidechain=True, agentId="a1")
    (prompt,) = [one for one in facts(record, path=path) if isinstance(one, PromptFact)]
    assert prompt.origin == "agent"
    assert (prompt.where.session_id, prompt.where.parent_session_id) == (
        "session-1/a1",
        "session-1",
    )


@pytest.mark.parametrize(
    ("timestamp", "at_ms"),
    [
        ("2026-05-04T09:00:00.000Z", 1_777_885_200_000),
        ("2026-05-04T11:00:00+02:00", 1_777_885_200_000),
        ("2026-05-04T09:00:00", 1_777_885_200_000),
        (None, None),
        ("yesterday", None),
        (5, None),
    ],
)
def test_times_are_utc_milliseconds_or_unknown(timestamp: Any, at_ms: int | None) -> None:
    found = facts({**user("Do it"), "timestamp": timestamp})
    assert [one.at_ms for one in found] == [at_ms]


def test_an_unknown_type_is_counted_by_kind_and_version() -> None:
    (found,) = facts({"type": "new-kind", "version": "9.1", "uuid": "x"})
    assert (found.kind, found.is_unknown, found.where.version) == ("new-kind", True, "9.1")  # type: ignore[attr-defined]
