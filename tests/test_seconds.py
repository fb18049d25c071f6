"""Whole seconds: the total, each stack and each sample agree."""

from hypothesis import given
from hypothesis import strategies as st

from agentpprof.profile.seconds import Sums, in_whole_seconds

NAMES = ["c", "a", "b"]  # not in their order: numbers come as things are found
NUMBERS = st.integers(0, 2)
SUMS = st.dictionaries(
    NUMBERS, st.dictionaries(NUMBERS, st.integers(1, 5_000_000), min_size=1), min_size=1
)


def total(sums: Sums) -> int:
    return sum(sum(values.values()) for values in sums.values())


@given(SUMS)
def test_seconds_add_up_whatever_the_parts(sums: Sums) -> None:
    seconds = in_whole_seconds(sums, NAMES, NAMES)
    assert total(seconds) == round(total(sums) / 1000)
    for stack, values in sums.items():
        assert abs(sum(seconds[stack].values()) - sum(values.values()) / 1000) < 1
        assert all(abs(seconds[stack][key] - values[key] / 1000) < 2 for key in values)


@given(SUMS)
def test_seconds_do_not_depend_on_the_order_of_the_log(sums: Sums) -> None:
    backwards = {stack: dict(reversed(sums[stack].items())) for stack in reversed(sums)}
    assert in_whole_seconds(backwards, NAMES, NAMES) == in_whole_seconds(sums, NAMES, NAMES)


def test_equal_remainders_go_by_the_order_of_names_not_of_numbers() -> None:
    sums = {0: {0: 500}, 1: {0: 500}}
    assert in_whole_seconds(sums, NAMES, NAMES) == {1: {0: 1}, 0: {0: 0}}
    sums = {0: {0: 600}, 1: {0: 600}, 2: {0: 600}}
    assert in_whole_seconds(sums, NAMES, NAMES) == {1: {0: 1}, 2: {0: 1}, 0: {0: 0}}
