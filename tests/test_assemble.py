"""Facts become rows: what is joined, who owns it, and what the bounded state may forget."""

from agentpprof.agents.facts import (
    CallFact,
    Fact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    Usage,
    Where,
)
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.state import MAX_CALLS, MAX_RESPONSES, MAX_THREADS, AssemblyState
from agentpprof.keys import key_of
from agentpprof.store.rows import FileRows, OperationRow
from agentpprof.vocabulary import OUTCOMES, RESULTS

MAIN = Where("session-1")


def prompt(at_ms: int | None, natural_id: str = "p", **fields: str) -> PromptFact:
    """A person's prompt."""
    return PromptFact(MAIN, 0, at_ms, natural_id, "typed", "Do it", **fields)


def call(at_ms: int, call_id: str, command: str = "ls", where: Where = MAIN) -> CallFact:
    """A shell call."""
    signature = int.from_bytes(command.encode()[:7], "big")
    return CallFact(where, at_ms, at_ms, call_id, "Bash", {"command": command}, signature)


def answer(
    at_ms: int, natural_id: str, text: str = "", where: Where = MAIN, result: str = "final"
) -> ResponseFact:
    """A record of a response."""
    return ResponseFact(
        where, at_ms, at_ms, natural_id, "model", result, text, Usage(1, 2, 3, 4, 5)
    )


def rows_of(*facts: Fact) -> FileRows:
    """Assemble facts from nothing."""
    return assemble(list(facts), AssemblyState(), "codex")[0]


def row(rows: FileRows, kind: str, natural_id: str) -> OperationRow:
    """The row of a natural id."""
    return rows.operations[key_of("codex", kind, natural_id)]


def outcome(rows: FileRows, natural_id: str = "p") -> str:
    """The outcome of a prompt."""
    return OUTCOMES[row(rows, "prompt", natural_id).outcome or 0]


def test_operations_stand_under_the_prompt_in_force() -> None:
    rows = rows_of(prompt(0, "p"), answer(1, "r"), prompt(2, "q"), call(3, "c"))
    assert row(rows, "llm", "r").prompt_key == row(rows, "prompt", "p").key
    assert row(rows, "tool", "c").prompt_key == row(rows, "prompt", "q").key


def test_the_outcome_is_what_the_latest_record_says() -> None:
    assert outcome(rows_of(prompt(0))) == "open"
    assert outcome(rows_of(prompt(0), answer(1, "r", "Done"))) == "answered"
    assert outcome(rows_of(prompt(0), answer(1, "r", "Done"), call(2, "c"))) == "open"
    interrupted = OutcomeFact(MAIN, 3, 3, "interrupted")
    assert outcome(rows_of(prompt(0), answer(1, "r", "Done"), interrupted)) == "interrupted"
    assert outcome(rows_of(prompt(0), interrupted, answer(4, "r", "Done"))) == "answered"


def test_an_exit_code_that_only_answers_is_no_error_also_when_it_is_told_of_twice() -> None:
    result = ResultFact(MAIN, 2, 2, "c", "error", 4, 1)
    rows = rows_of(prompt(0), call(1, "c", "grep x a.py"), result, result)
    assert RESULTS[row(rows, "tool", "c").result] == "ok"
    assert [RESULTS[stray.result] for stray in rows.stray_results] == ["ok"]


def test_an_exit_code_is_judged_by_the_program_that_gave_it() -> None:
    result = ResultFact(MAIN, 2, 2, "c", "error", 4, 1)
    for command, told in (("cat f | grep x", "ok"), ("grep x a.py && python a.py", "error")):
        rows = rows_of(prompt(0), call(1, "c", command), result)
        assert RESULTS[row(rows, "tool", "c").result] == told, command


def test_a_result_without_its_call_waits_as_a_stray_one() -> None:
    rows = rows_of(ResultFact(MAIN, 2, 7, "c", "error", 4, 1))
    assert rows.operations == {}
    (stray,) = rows.stray_results
    assert stray == (key_of("codex", "tool", "c"), RESULTS.index("error"), 7, 4)


def test_a_record_told_of_twice_adds_no_text() -> None:
    rows = rows_of(answer(1, "r", "one"), answer(1, "r", "one"), answer(2, "r", "two"))
    assert row(rows, "llm", "r").text == "one\ntwo"


def test_within_a_file_the_better_claim_owns_a_response() -> None:
    agent = Where("session-1/a", "session-1", "a", is_copy=True, is_subagent=True)
    rows = rows_of(prompt(0), answer(1, "r", where=agent), answer(2, "r"))
    assert row(rows, "llm", "r").session_key == key_of("codex", "session", "session-1")
    rows = rows_of(prompt(0), answer(1, "r"), answer(2, "r", where=agent))
    assert row(rows, "llm", "r").session_key == key_of("codex", "session", "session-1")


def test_a_state_is_bounded() -> None:
    many = 3 * MAX_CALLS
    threads = [Where(f"session-1/{n}", "session-1", f"{n}", is_subagent=True) for n in range(200)]
    facts: list[Fact] = [call(n, f"c{n}") for n in range(many)]
    facts += [answer(n, f"r{n}", where=where) for n, where in enumerate(threads)]
    facts += [answer(n, f"s{n}") for n in range(many)]
    rows, state = assemble(facts, AssemblyState(), "codex")
    assert len(state.calls) == len(state.signatures) == MAX_CALLS
    assert len(state.threads) == len(state.sessions) == MAX_THREADS
    assert len(state.responses) <= MAX_THREADS + MAX_RESPONSES
    assert len(rows.operations) == 2 * many + 200


def test_a_session_that_comes_again_when_the_state_forgot_it_keeps_its_first_time() -> None:
    first = Where("session-0")
    others = [Where(f"session-x{n}") for n in range(MAX_THREADS)]
    facts: list[Fact] = [answer(1, "r", where=first)]
    facts += [answer(5, f"r{n}", where=where) for n, where in enumerate(others)]
    facts.append(answer(9, "s", where=first))
    rows = rows_of(*facts)
    key = key_of("codex", "session", "session-0")
    lives = [one for one in (*rows.displaced_sessions, rows.sessions[key]) if one.key == key]
    assert [(one.started_at_ms, one.ended_at_ms) for one in lives] == [(1, 1), (9, 9)]


def test_a_call_that_trips_our_own_code_is_counted_and_stops_nothing() -> None:
    from agentpprof.ingest import assemble as module

    def trips(*arguments: object) -> None:
        raise RuntimeError("broken")

    describe, module.describe_call = module.describe_call, trips  # type: ignore[assignment]
    try:
        rows = rows_of(prompt(0), call(1, "c"), answer(2, "r", "Done"))
    finally:
        module.describe_call = describe
    assert row(rows, "tool", "c").bag.action == "run"
    assert rows.skipped == {("call not understood", "", True): 1}
    assert outcome(rows) == "answered"
