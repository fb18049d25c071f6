"""Rules of `ingest.repeats`: what is `again`, `retry`, `loop`, and what is no repeat."""

from typing import NamedTuple

from builders import ClaudeSession, encode_log
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.agents import claude
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.repeats import Repeats, note_result, note_writes, repeat_of, was_seen
from agentpprof.ingest.state import AssemblyState
from agentpprof.vocabulary import REPEATS, TOOL

WINDOW = 32


class Made(NamedTuple):
    """One call: what it is, the path it is about ('' for a command), its writes, its end."""

    name: str
    path: str = ""
    writes: tuple[str, ...] = ()
    has_failed: bool = False

    @property
    def signature(self) -> str:
        """Equal calls have equal signatures."""
        return f"{self.name} {self.path}"


READ_A, READ_B = Made("Read", "a"), Made("Read", "b")
EDIT_A = Made("Edit", "a", ("a",))
TEST, LINT = Made("pytest"), Made("ruff")
CALLS = (
    READ_A,
    READ_B,
    EDIT_A,
    Made("Edit", "b", ("b",)),
    Made("sed -i", "", ("a", "b")),
    TEST,
    LINT,
)
made = st.sampled_from(CALLS).flatmap(
    lambda call: st.booleans().map(lambda failed: call._replace(has_failed=failed))
)


def repeats_of(*calls: Made, repeats: Repeats | None = None) -> list[str]:
    """What each call is, one after the other, each ended before the next."""
    repeats = repeats or Repeats()
    found = []
    for number, call in enumerate(calls):
        found.append(repeat_of(repeats, call.signature, f"{id(repeats)}-{number}", call.path))
        note_writes(repeats, tuple((path, "write") for path in call.writes))
        note_result(repeats, call.signature, call.has_failed)
    return found


def expected(calls: list[Made]) -> list[str]:
    """The definition, spelled out over the whole history."""
    times = [0] * len(calls)
    found = []
    for here, call in enumerate(calls):
        before = max(
            (at for at in range(here) if calls[at].signature == call.signature), default=-1
        )
        written = [path for other in calls[before + 1 : here] for path in other.writes]
        is_fresh = call.path in written if call.path else bool(written)
        if before < 0 or (is_fresh and (call.path or not calls[before].has_failed)):
            times[here] = 1
        else:
            times[here] = times[before] + 1
        second = "retry" if before >= 0 and calls[before].has_failed else "again"
        found.append({1: "", 2: second}.get(times[here], "loop"))
    return found


@given(st.lists(made, max_size=30))
def test_repeats_are_those_of_the_definition(calls: list[Made]) -> None:
    assert repeats_of(*calls) == expected(calls)


def test_a_third_time_and_more_is_a_loop() -> None:
    assert repeats_of(READ_A, READ_A, READ_A, READ_A) == ["", "again", "loop", "loop"]


@given(st.integers(2, 12))
def test_commands_taking_turns_don_t_hide_a_loop(kinds: int) -> None:
    turn = [Made(f"command {number}") for number in range(kinds)]
    found = repeats_of(*turn, *turn, *turn)
    assert found == [""] * kinds + ["again"] * kinds + ["loop"] * kinds


def test_a_read_after_an_edit_of_the_file_is_no_repeat() -> None:
    assert repeats_of(READ_A, EDIT_A, READ_A, READ_A)[2:] == ["", "again"]


def test_an_edit_of_another_file_leaves_a_read_a_repeat() -> None:
    assert repeats_of(READ_B, EDIT_A, READ_B)[-1] == "again"


def test_a_command_after_any_edit_is_no_repeat_unless_it_had_failed() -> None:
    assert repeats_of(TEST, EDIT_A, TEST)[-1] == ""
    assert repeats_of(TEST._replace(has_failed=True), EDIT_A, TEST)[-1] == "retry"


def test_the_same_edit_twice_is_a_repeat_of_itself() -> None:
    assert repeats_of(EDIT_A, EDIT_A)[-1] == "again"
    assert repeats_of(EDIT_A._replace(has_failed=True), EDIT_A)[-1] == "retry"


def test_what_left_the_window_is_forgotten() -> None:
    others = [Made(f"command {number}") for number in range(WINDOW)]
    assert repeats_of(TEST, *others[1:], TEST)[-1] == "again"
    assert repeats_of(TEST, *others, TEST)[-1] == ""


@given(st.lists(st.integers(0, 99), max_size=120))
def test_the_state_stays_small_and_its_words_are_in_the_vocabulary(numbers: list[int]) -> None:
    repeats = Repeats()
    calls = [Made("Edit", f"{number}", (f"{number}",)) for number in numbers]
    assert set(repeats_of(*calls, repeats=repeats)) <= {"", *REPEATS}
    assert len(repeats.seen) <= WINDOW
    assert len(repeats.written) <= WINDOW


def test_a_call_that_is_told_of_twice_is_no_repeat_of_itself() -> None:
    repeats = Repeats()
    assert [repeat_of(repeats, "pytest", "call-1", "") for _ in range(3)] == [""] * 3
    assert was_seen(repeats, "pytest", "call-1")
    assert not was_seen(repeats, "pytest", "call-2")
    assert repeat_of(repeats, "pytest", "call-2", "") == "again"


def found_in(log: ClaudeSession) -> list[str]:
    """What the tool calls of a log are, in its order."""
    path = "/logs/projects/-home-dev-shop/session-a.jsonl"
    facts, _ = claude.decode(encode_log(log.records), 0, path, claude.initial_state(path))
    rows, _ = assemble(facts, AssemblyState(), "claude")
    calls = [row for row in rows.operations.values() if row.op == TOOL]
    return [row.bag.repeat for row in sorted(calls, key=lambda row: row.offset)]


def test_responses_between_don_t_hide_a_repeat_and_a_new_prompt_begins_anew() -> None:
    log = ClaudeSession("session-a", cwd="/home/dev/shop")
    log.user("Fix the test")
    log.call("Bash", {"command": "pytest -q"}, "Exit code 1", is_error=True)
    log.assistant("I try it once more.")
    log.call("Bash", {"command": "pytest -q"})
    log.user("And now?")
    log.call("Bash", {"command": "pytest -q"})
    assert found_in(log) == ["", "retry", ""]


def test_other_inputs_of_one_tool_are_other_calls() -> None:
    log = ClaudeSession("session-a", cwd="/home/dev/shop")
    log.user("Read it")
    log.call("Read", {"file_path": "/home/dev/shop/a.py", "offset": 1})
    log.call("Read", {"file_path": "/home/dev/shop/a.py", "offset": 200})
    log.call("Read", {"file_path": "/home/dev/shop/a.py", "offset": 200})
    assert found_in(log) == ["", "", "again"]
