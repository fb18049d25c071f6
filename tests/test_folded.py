"""Folded stacks: nothing in them that a reader could take for something else."""

import re
from collections.abc import Callable

from encoder_samples import NASTY, nasty, profile, raw, small, texts
from hypothesis import given

from agentpprof.encoders.folded import encode
from agentpprof.models import OutputOptions, Sample, Samples
from agentpprof.privacy import frame

Golden = Callable[[str, str | bytes], None]
LINE = re.compile(r"[^\s;]+(;[^\s;]+)* [0-9]+")


def folded(samples: tuple[Sample, ...]) -> str:
    return encode(profile({}, samples=Samples.of(samples)), OutputOptions()).decode()


def test_small(golden: Golden) -> None:
    golden("small.folded", encode(small(), OutputOptions()).decode())


def test_nasty_names(golden: Golden) -> None:
    golden("nasty.folded", encode(nasty(), OutputOptions()).decode())


@given(texts)
def test_any_value_comes_back(text: str) -> None:
    stack = (frame("task", text), frame("object", "end"))

    assert folded((Sample(stack, (), 7),)) == f"{stack[0]};object:end 7\n"


@given(texts)
def test_a_text_past_the_cleaning_keeps_the_format(text: str) -> None:
    lines = folded((Sample((raw(text), raw(text)), (), 7),)).splitlines()

    assert len(lines) == 1
    assert LINE.fullmatch(lines[0])
    assert lines[0].count(";") == 1


def test_lines_are_sorted_by_bytes_and_end_in_a_line_break() -> None:
    data = encode(nasty(), OutputOptions())

    assert data.endswith(b"\n")
    stacks = [line.rpartition(b" ")[0] for line in data.splitlines()]
    assert stacks == sorted(stacks)
    assert len(stacks) > len(NASTY)


def test_labels_are_summed_away() -> None:
    stack = (frame("task", "a"),)
    two = tuple(Sample(stack, (("day", frame("d", str(day))),), day) for day in (1, 2))

    assert folded(two) == "task:a 3\n"
