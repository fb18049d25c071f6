"""Rules that hold for every output format alike."""

import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from encoder_samples import large, nasty, profile, profiles, small
from hypothesis import given

from agentpprof.encoders import ENCODERS, encoder, format_of_path, gzip_of_path
from agentpprof.encoders.check import check_pprof, decode_pprof
from agentpprof.encoders.flame_data import unpacked
from agentpprof.errors import OutputError, UsageError
from agentpprof.models import OutputOptions, Profile, Sample, Samples
from agentpprof.privacy import PublicText

OPTIONS = OutputOptions()
every_format = pytest.mark.parametrize("name", ENCODERS)
Values = dict[tuple[str, ...], int]


def encoded(name: str, given_profile: Profile) -> bytes:
    return ENCODERS[name].encode(given_profile, OPTIONS)


def from_pprof(data: bytes) -> Values:
    message = decode_pprof(data)
    texts = message.string_table
    values: Counter[tuple[str, ...]] = Counter()
    for sample in message.sample:
        lines = [message.location[each - 1].line[0] for each in reversed(sample.location_id)]
        stack = tuple(texts[message.function[line.function_id - 1].name] for line in lines)
        values[stack] += sample.value[0]
    return dict(values)


def from_folded(data: bytes) -> Values:
    lines = [line.rpartition(" ") for line in data.decode().splitlines()]
    return {tuple(stack.split(";")): int(value) for stack, _, value in lines}


def from_json(data: bytes) -> Values:
    stacks = json.loads(data)["profile"]["stacks"]
    return {tuple(each["stack"]): each["value"] for each in stacks}


def from_svg(data: bytes) -> Values:
    block = re.search(r'<metadata class="data">(.*?)</metadata>', data.decode())
    assert block is not None
    content = unpacked(block[1])
    stacks, names = content["stacks"], content["names"]
    levels = list(map(iter, stacks["levels"]))
    values, path = {}, []
    columns = zip(stacks["shared"], stacks["length"], stacks["values"], strict=True)
    for shared, length, value in columns:
        path[shared:] = [names[next(level)] for level in levels[shared:length]]
        values[tuple(path)] = value
    return values


def from_speedscope(data: bytes) -> dict[tuple[str, ...], int]:
    document = json.loads(data)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    only = document["profiles"][0]
    stacks = (tuple(names[number] for number in stack) for stack in only["samples"])
    return dict(zip(stacks, only["weights"], strict=True))


DECODERS = {
    "pprof": from_pprof,
    "folded": from_folded,
    "json": from_json,
    "svg": from_svg,
    "speedscope": from_speedscope,
}


@given(profiles)
def test_all_formats_hold_the_same_stacks_and_values(any_profile: Profile) -> None:
    expected: Counter[tuple[str, ...]] = Counter()
    for stack, _, value in any_profile.samples:
        expected[tuple(map(str, stack)) or ("none",)] += value
    kept = {stack: value for stack, value in expected.items() if value}

    for name, decode in DECODERS.items():
        assert decode(encoded(name, any_profile)) == kept, name


@given(profiles)
def test_every_pprof_output_is_sound(any_profile: Profile) -> None:
    assert check_pprof(encoded("pprof", any_profile)) == []


@every_format
def test_equal_profiles_give_equal_bytes(name: str) -> None:
    """The order of the samples does not count, nor does the time of day or the hash seed."""
    whole = small()
    mixed = list(whole.samples)
    random.Random(3).shuffle(mixed)

    assert encoded(name, whole._replace(samples=Samples.of(mixed))) == encoded(name, whole)


@every_format
def test_a_plain_text_is_refused(name: str) -> None:
    plain = Sample(("task:secret prompt",), (), 1)  # type: ignore[arg-type]
    label = Sample((PublicText("task:a"),), (("day", "secret"),), 1)  # type: ignore[arg-type]
    for sample in (plain, label):
        with pytest.raises(TypeError, match="PublicText"):
            encoded(name, profile({}, samples=Samples.of([sample])))
    with pytest.raises(TypeError, match="PublicText"):
        encoded(name, profile({"task:a": 1}, comments=("a secret",)))


@every_format
def test_sums_beyond_64_bits_are_refused(name: str) -> None:
    with pytest.raises(OutputError, match="2\\^63"):
        encoded(name, profile({"task:a": 2**62, "task:b": 2**62}))


@every_format
def test_an_empty_profile_and_nasty_names_are_no_trouble(name: str) -> None:
    assert encoded(name, profile({})) == encoded(name, profile({"task:a": 0}))
    assert encoded(name, nasty())


@pytest.mark.parametrize("name", ["folded", "svg", "json"])
def test_negative_values_are_for_pprof_only(name: str) -> None:
    with pytest.raises(OutputError, match="negative"):
        encoded(name, profile({"task:a": -1}))


@pytest.mark.parametrize(
    ("path", "expected", "packed"),
    [
        ("a.pb.gz", "pprof", True),
        ("/x/y.svg/a.pb", "pprof", False),
        ("A.PB.GZ", "pprof", True),
        ("a.folded", "folded", True),
        ("out/a.b.SVG", "svg", True),
        ("a.json", "json", True),
        ("a.gz", None, True),
        (".svg", None, True),
        ("svg", None, True),
        ("-", None, True),
        ("a.svg/", "svg", True),
        ("", None, True),
    ],
)
def test_the_name_of_a_file_decides_its_format(
    path: str, expected: str | None, packed: bool
) -> None:
    assert format_of_path(path) == expected
    assert gzip_of_path(path) is packed


@pytest.mark.parametrize("path", ["a.svg.gz", "a.svgz", "x/a.json.GZ", "a.folded.gz"])
def test_a_packed_name_of_another_format_is_no_pprof(path: str) -> None:
    with pytest.raises(UsageError, match="only pprof is packed"):
        format_of_path(path)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="pprof, folded, svg, json"):
        encoder("html")
    assert encoder("svg").description


def test_the_registry_loads_no_encoder() -> None:
    code = "import sys, agentpprof.encoders; print('google.protobuf' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert result.stdout == "False\n", result.stderr


@pytest.mark.slow
def test_types_refuse_a_plain_text(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not there")
    source = tmp_path / "plain.py"
    source.write_text(
        "from agentpprof.models import Sample\n"
        "Sample(('task:a',), (), 1)\n"
        "Sample((), (('day', 'monday'),), 1)\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(source)]
    result = subprocess.run(command, capture_output=True, text=True)

    assert result.stdout.count('expected "PublicText"') + result.stdout.count("arg-type") >= 2


@pytest.mark.slow
@every_format
def test_a_hundred_thousand_stacks_are_no_trouble(name: str) -> None:
    many = large(100_000)

    data = encoded(name, many)

    assert sum(DECODERS[name](data).values()) == many.total
    if name == "svg":
        assert len(data) <= 1_500_000
