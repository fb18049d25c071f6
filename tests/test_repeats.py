"""Whether a call only does again what a call of the same prompt did."""

from hypothesis import given
from hypothesis import strategies as st

from agentpprof.ingest.repeats import (
    Repeats,
    note_result,
    note_writes,
    repeat_of,
    was_seen,
)


class Calls:
    """The calls of one prompt."""

    def __init__(self) -> None:
        """Begin with none."""
        self.repeats = Repeats()
        self.number = 0

    def call(
        self, signature: str, watched: str = "", writes: str = "", failed: bool = False
    ) -> str:
        """Make a call, let it end, and return what it repeats."""
        self.number += 1
        found = repeat_of(self.repeats, signature, f"c{self.number}", watched)
        note_writes(self.repeats, ((writes, "write"),) if writes else ())
        note_result(self.repeats, signature, failed)
        return found


def test_a_call_made_again_is_again_then_a_loop() -> None:
    calls = Calls()
    assert [calls.call("ls") for _ in range(4)] == ["", "again", "loop", "loop"]


def test_two_commands_taking_turns_do_not_hide_a_loop() -> None:
    calls = Calls()
    assert [calls.call(name) for name in "ababab"] == ["", "", "again", "again", "loop", "loop"]


def test_a_call_made_again_after_it_failed_is_a_retry() -> None:
    calls = Calls()
    assert [calls.call("pytest", failed=True), calls.call("pytest")] == ["", "retry"]


def test_a_call_whose_object_was_written_since_is_fresh() -> None:
    calls = Calls()
    assert calls.call("read a", watched="/a") == ""
    calls.call("edit a", watched="/a", writes="/a")
    assert calls.call("read a", watched="/a") == ""
    calls.call("edit b", watched="/b", writes="/b")
    assert calls.call("read a", watched="/a") == "again"


def test_a_search_of_a_folder_is_fresh_once_a_file_below_it_was_written() -> None:
    for folder in ("/src", "/src/", "/"):
        calls = Calls()
        assert calls.call("grep x", watched=folder) == ""
        calls.call("edit a", watched="/src/c.py", writes="/src/c.py")
        assert calls.call("grep x", watched=folder) == "", folder
        calls.call("edit b", watched="/srcs", writes="" if folder == "/" else "/srcs")
        assert calls.call("grep x", watched=folder) == "again", folder


def test_any_write_makes_a_command_fresh_unless_it_had_failed() -> None:
    calls = Calls()
    calls.call("pytest")
    calls.call("edit a", watched="/a", writes="/a")
    assert calls.call("pytest", failed=True) == ""
    calls.call("edit a again", watched="/a", writes="/a")
    assert calls.call("pytest") == "retry"


def test_a_call_that_is_told_of_twice_is_no_repeat_of_itself() -> None:
    repeats = Repeats()
    assert repeat_of(repeats, "ls", "c1", "") == ""
    assert was_seen(repeats, "ls", "c1")
    assert repeat_of(repeats, "ls", "c1", "") == ""
    assert repeat_of(repeats, "ls", "c2", "") == "again"


@given(st.lists(st.tuples(st.integers(0, 60).map(str), st.integers(0, 60).map(str))))
def test_the_window_is_bounded(pairs: list[tuple[str, str]]) -> None:
    calls = Calls()
    for signature, path in pairs:
        calls.call(signature, writes=path)
    assert max(len(calls.repeats.seen), len(calls.repeats.written)) <= 32
