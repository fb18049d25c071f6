"""From bytes to values with their offsets, whatever state the lines are in."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.agents import lines
from agentpprof.agents.lines import DecodedLines, decode_loosely, decode_values


class Inner(msgspec.Struct):
    """An inner object."""

    number: int = 0
    name: str | None = None


class Record(msgspec.Struct):
    """What these tests decode."""

    type: str = ""
    uuid: str | None = None
    inner: Inner | None = None
    items: list[Inner] = []
    raw: msgspec.Raw = msgspec.Raw(b"")


DECODER = msgspec.json.Decoder(Record)


def decode(data: bytes, base: int = 0) -> DecodedLines[Record]:
    """Decode whole lines."""
    return decode_values(data, base, DECODER, lambda record: bool(record.type))


def line(**fields: Any) -> bytes:
    """One record, without a newline."""
    return json.dumps(fields, ensure_ascii=False).encode()


A, B = line(type="a", uuid="1"), line(type="b", uuid="2")


def test_whole_lines_take_the_fast_way_with_the_offset_of_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "_decode_line_by_line", None)
    found = decode(A + b"\n" + B + b"\n", base=1000)
    assert [record.type for record in found.values] == ["a", "b"]
    assert found.offsets == [1000, 1000 + len(A) + 1]


# Damaged line, the records found on it, and the bytes that gave none.
DAMAGED: list[tuple[bytes, list[str], list[tuple[int, int, str]]]] = [
    (A + B, ["a", "b"], []),
    (A + b" " + B, ["a", "b"], []),
    (A[:10] + B, ["b"], [(0, 10, "damaged")]),
    (A + B[:10], ["a"], [(len(A), 10, "damaged")]),
    (b"\0" * 30 + A, ["a"], []),
    (A + b"\0" * 30, ["a"], []),
    (b"\0" * 30, [], [(0, 30, "damaged")]),
    (b"\xef\xbb\xbf" + A, ["a"], []),
    (A + b"\r", ["a"], []),
    (b"nonsense", [], [(0, 8, "damaged")]),
    (b'"text"', [], [(0, 6, "not_object")]),
    (b"[1, 2]", [], [(0, 6, "not_object")]),
    (b"3.5", [], [(0, 3, "not_object")]),
    (b"null", [], [(0, 4, "not_object")]),
    (b'{"type":"a","x":' + b"[" * 5000, [], [(0, 5016, "damaged")]),
    (b'{"type":"a"}' + b"\xff\xfe", ["a"], [(12, 2, "damaged")]),
    (b"", [], []),
    (b" \t\r", [], []),
]


@pytest.mark.parametrize(("damaged", "types", "bad"), DAMAGED)
def test_a_damaged_line_costs_only_what_is_lost(
    damaged: bytes, types: list[str], bad: list[tuple[int, int, str]]
) -> None:
    found = decode(damaged + b"\n" + A + b"\n", base=0)
    assert [record.type for record in found.values] == [*types, "a"]
    assert found.bad == bad
    assert found.offsets[-1] == len(damaged) + 1


def test_a_blank_line_does_not_make_up_for_a_glued_one() -> None:
    for blank in (b"", b" ", b"\t", b"\r"):
        found = decode(A + B + b"\n" + blank + b"\n" + A + b"\n")
        assert found.offsets == [0, len(A), len(A) + len(B) + 2 + len(blank)]


def test_letters_outside_ascii_do_not_shift_offsets() -> None:
    first = line(type="ä", uuid="\U0001f600")
    found = decode(first + B + b"\n")
    assert found.offsets == [0, len(first)]


def test_separators_that_only_python_splits_at_do_not_split() -> None:
    record = line(type="a", uuid="x\u2028y\x85z\x0b")
    assert [one.uuid for one in decode(record + b"\n").values] == ["x\u2028y\x85z\x0b"]


def test_bytes_that_are_no_utf_8_cost_only_themselves() -> None:
    (record,) = decode(b'{"type":"a","uuid":"x\xffy"}\n').values
    assert record.type == "a"
    assert record.uuid is not None
    assert record.uuid.startswith("x")


def test_a_field_of_the_wrong_type_is_dropped_and_the_rest_kept() -> None:
    data = line(
        type="a",
        uuid=5,
        inner={"number": "x", "name": "y"},
        items=[{"number": 1}, "no", 3],
        raw=[1],
    )
    (record,) = decode(data + b"\n").values
    assert (record.type, record.uuid) == ("a", None)
    assert record.inner == Inner(0, "y")
    assert record.items == [Inner(1)]
    assert bytes(record.raw) == b"[1]"


def test_what_fits_in_nothing_is_none() -> None:
    assert decode_loosely(b"5", Inner) is None
    assert decode_loosely(b'{"number": 2}', Inner | None) == Inner(2)


def test_odd_but_valid_json_is_read() -> None:
    data = b'{"type":"a","uuid":"\\ud83d","n":123456789012345678901234567890,"type":"b"}\n'
    (record,) = decode(data).values
    assert record.type == "b"


def test_a_line_of_many_broken_parts_takes_no_quadratic_time() -> None:
    found = decode(b'{"type":' * 20_000 + b"\n")
    assert found.values == []
    assert sum(span.length for span in found.bad) == 8 * 20_000


pieces = st.sampled_from([A, B, A + B, A[:9], b"", b" ", b"\0\0", b"x", b"[1]", b"\xff", B + b"\r"])


@given(st.lists(pieces, max_size=12), st.integers(0, 12))
def test_lines_decoded_apart_give_what_they_give_together(lines: list[bytes], cut: int) -> None:
    first = b"".join(one + b"\n" for one in lines[:cut])
    second = b"".join(one + b"\n" for one in lines[cut:])
    whole = decode(first + second)
    apart = decode(first), decode(second, len(first))
    assert [*apart[0].values, *apart[1].values] == whole.values
    assert [*apart[0].offsets, *apart[1].offsets] == whole.offsets
    assert [*apart[0].bad, *apart[1].bad] == whole.bad


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_no_bytes_are_fatal_and_every_span_lies_inside(lines: list[bytes]) -> None:
    data = b"".join(one.replace(b"\n", b"") + b"\n" for one in lines)
    found = decode(data)
    for span in found.bad:
        assert 0 <= span.offset < span.offset + span.length <= len(data)
    assert len(found.values) == len(found.offsets)
