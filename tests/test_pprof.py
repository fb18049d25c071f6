"""pprof output, against the rules of the format and against Go's own pprof."""

import gzip
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from encoder_samples import STARTED, large, nasty, profile, small

from agentpprof.encoders.check import check_pprof, decode_pprof
from agentpprof.encoders.pprof import encode
from agentpprof.models import OutputOptions, Profile, Samples

Golden = Callable[[str, str | bytes], None]
Pprof = Callable[..., CompletedProcess[str]]
PLAIN = OutputOptions(gzip=False)


def message_of(given: Profile) -> Any:
    return decode_pprof(encode(given, PLAIN))


def test_small(golden: Golden) -> None:
    golden("small.pb", encode(small(), PLAIN))


def test_the_head_follows_the_format() -> None:
    message = message_of(small())
    texts = message.string_table

    assert texts[message.default_sample_type] == "tokens"
    assert [(texts[each.type], texts[each.unit]) for each in message.sample_type] == [
        ("tokens", "count")
    ]
    assert [texts[each.filename] for each in message.mapping] == ["agentpprof"]
    mapping = message.mapping[0]
    assert mapping.has_functions and mapping.has_filenames
    assert mapping.has_line_numbers and mapping.has_inline_frames
    assert [texts[each] for each in message.comment] == ["agentpprof_0.1.0", "since:2026-11-01"]
    assert message.time_nanos == STARTED * 10**6
    assert message.duration_nanos == 92_000 * 10**9
    assert not message.doc_url and not message.period


def test_a_function_names_its_frame_and_its_kind() -> None:
    message = message_of(small())
    texts = message.string_table

    names = {texts[each.name]: texts[each.filename] for each in message.function}
    assert names["task:debug"] == "task"
    assert names["object:src/api"] == "object"
    assert not any(each.system_name for each in message.function)
    assert list(names) == sorted(names)


def test_equal_stack_and_labels_are_one_sample_and_zero_is_none() -> None:
    twice = profile({}, samples=Samples.of([*small().samples] * 2))

    values = [list(sample.value) for sample in message_of(twice).sample]
    assert sorted(values) == [[2], [600], [1800], [2400], [5000], [8200]]


def test_gzip_holds_no_clock_and_can_be_left_out() -> None:
    packed = encode(small(), OutputOptions())

    assert packed[4:8] == bytes(4)
    assert gzip.decompress(packed) == encode(small(), PLAIN)


def test_negative_values_pass() -> None:
    """The base of a difference is written with negative values."""
    message = message_of(profile({"task:a": -5, "task:b": 3}))

    assert sorted(sample.value[0] for sample in message.sample) == [-5, 3]


# ---- our own checker ----------------------------------------------------------------------


def _set(path: str, value: object) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            message = message[int(step)] if step.isdigit() else getattr(message, step)
        setattr(message, last, value)

    return change


FAULTS: list[tuple[str, Callable[[Any], None], str]] = [
    ("first text", lambda m: m.string_table.__setitem__(0, "x"), "string_table[0]"),
    ("text twice", lambda m: m.string_table.append("tokens"), "twice"),
    ("text number", _set("function.0.name", 999), "no text number 999"),
    ("two values", lambda m: m.sample[0].value.append(1), "2 values for 1"),
    ("no values", lambda m: m.sample[0].value.pop(), "0 values for 1"),
    ("no location", lambda m: m.sample[0].location_id.__delitem__(slice(None)), "no location"),
    ("location missing", lambda m: m.sample[0].location_id.append(99), "does not exist"),
    ("function missing", _set("location.0.line.0.function_id", 99), "no function 99"),
    ("no line", lambda m: m.location[0].ClearField("line"), "has no line"),
    ("id 0", _set("location.0.id", 0), "location ids"),
    ("id twice", _set("function.1.id", 1), "function ids"),
    ("mapping missing", _set("location.0.mapping_id", 7), "no mapping 7"),
    ("no mapping", lambda m: m.ClearField("mapping"), "no mapping"),
    ("flags", _set("mapping.0.has_functions", False), "look for its symbols"),
    ("system name", _set("function.0.system_name", 1), "system_name"),
    ("nameless", _set("function.0.name", 0), "has no name"),
    ("no type", lambda m: m.ClearField("sample_type"), "no sample type"),
    ("type twice", lambda m: m.sample_type.add(type=1, unit=2), "stands twice"),
    ("type name", lambda m: m.string_table.__setitem__(1, "to-kens"), "[a-z_]"),
    ("default", _set("default_sample_type", 2), "default_sample_type"),
    ("doc", _set("doc_url", 1), "doc_url"),
    ("overflow", lambda m: m.sample[0].value.__setitem__(0, 2**63 - 1), "overflow"),
    ("zero", lambda m: m.sample[0].value.__setitem__(0, 0), "is 0"),
    ("same sample", lambda m: m.sample.append(m.sample[0]), "of an earlier one"),
    ("label key", _set("sample.0.label.0.key", 0), "label without a key"),
    ("label twice", lambda m: m.sample[0].label.append(m.sample[0].label[0]), "two of one key"),
    ("label empty", _set("sample.0.label.0.str", 0), "empty label"),
]


@pytest.mark.parametrize(
    ("change", "problem"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_the_checker_names_each_fault(change: Callable[[Any], None], problem: str) -> None:
    message = message_of(small())
    change(message)

    problems = check_pprof(message.SerializeToString())
    assert any(problem in each for each in problems), problems


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (b"not protobuf at all", "not a pprof message"),
        (gzip.compress(b"x" * 50)[:-9], "cut short"),
        (gzip.compress(encode(small(), PLAIN)) * 2, "follows"),
        (b"\x1f\x8b\x00\x00broken", "broken gzip"),
        (encode(small(), PLAIN).replace(b"debug", b"deb\xff\xff"), "not a pprof message"),
    ],
    ids=["no bytes", "empty gzip", "text", "cut", "two members", "no gzip", "no UTF-8"],
)
def test_the_checker_names_broken_files(data: bytes, problem: str) -> None:
    assert problem in " ".join(check_pprof(data))


@pytest.mark.parametrize("given", [small(), nasty(), profile({}), large(500)])
def test_the_checker_finds_nothing_in_our_files(given: Profile) -> None:
    assert check_pprof(encode(given, OutputOptions())) == []


# ---- Go's pprof -----------------------------------------------------------------------------

CASES = {"small": small(), "nasty": nasty(), "time": small("seconds", "duration")}
every_case = pytest.mark.parametrize("case", CASES)


def written(case: str, folder: Path) -> Path:
    path = folder / f"{case}.pb.gz"
    path.write_bytes(encode(CASES[case], OutputOptions()))
    return path


def raw_values(text: str) -> Counter[str]:
    """Return the values of `pprof -raw`, stacks as `name;name`, the root first."""
    samples, _, locations = text.partition("Locations\n")
    found = re.findall(r"(?m)^ *(\d+): 0x0 M=1 (.*) \S+:0:0 s=0(?:\(\))?$", locations)
    names = dict(found)
    values: Counter[str] = Counter()
    for value, ids in re.findall(r"(?m)^ *(\d+): ([\d ]+?) *$", samples.partition("Samples:")[2]):
        values[";".join(names[each] for each in reversed(ids.split()))] += int(value)
    return values


def expected_values(given: Profile) -> Counter[str]:
    values: Counter[str] = Counter()
    for stack, _, value in given.samples:
        if value:
            values[";".join(stack)] += value
    return values


@every_case
@pytest.mark.parametrize("report", ["-top", "-raw", "-tags", "-peek=.", "-traces"])
def test_go_reads_it_without_a_word(case: str, report: str, pprof: Pprof, tmp_path: Path) -> None:
    result = pprof(report, written(case, tmp_path))

    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("case", ["small", "time"])
def test_go_sums_to_the_same_values(case: str, pprof: Pprof, tmp_path: Path) -> None:
    result = pprof("-raw", written(case, tmp_path))

    assert raw_values(result.stdout) == expected_values(CASES[case])


def test_go_writes_the_same_profile_back(pprof: Pprof, tmp_path: Path) -> None:
    path, copy = written("small", tmp_path), tmp_path / "copy.pb.gz"

    result = pprof("-proto", f"-output={copy}", path)

    assert (result.returncode, result.stderr.replace(f"Generating report in {copy}\n", "")) == (
        0,
        "",
    )
    assert pprof("-raw", copy).stdout == pprof("-raw", path).stdout


def test_go_keeps_names(pprof: Pprof, tmp_path: Path) -> None:
    names = ["object:Edit <x> y (z)", "object:a::b(c)[d]", "object:_Z3foov", "object:文档/日本語"]

    top = pprof("-top", "-nodefraction=0", written("nasty", tmp_path)).stdout

    lines = top.splitlines()
    for name in names:
        assert any(line.endswith(name) for line in lines), name


def test_go_shows_type_time_comments_and_labels(pprof: Pprof, tmp_path: Path) -> None:
    path = written("small", tmp_path)

    top = pprof("-top", "-cum", path).stdout
    assert "File: agentpprof" in top
    assert "Type: tokens" in top
    assert "since:2026-11-01" in top
    assert "9001 total" in top
    focused = pprof("-top", "-tagfocus=day=2026-11-01", path)
    assert "3700, 41.11% of 9001 total" in focused.stdout
    assert focused.stderr == ""
