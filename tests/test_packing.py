"""Packed numbers of the weights: what SQL packs, Python unpacks."""

import re
import sqlite3
from contextlib import closing
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.profile.cells import RESULT_BITS
from agentpprof.profile.fields import Numbers
from agentpprof.profile.packing import (
    _DAY_BITS,
    _DAY_ZERO,
    _DETAIL_BITS,
    Packing,
    Sums,
    by_detail,
    day_of_number,
    sum_rows,
)
from agentpprof.resources import folder

EPOCH = date(1970, 1, 1).toordinal()
PACK = (
    "select ((:bag * 16 + :result) * :prompt_groups + :prompt) * :session_groups + :session, "
    "(:object * 8 + :detail) * 4194304 + :day"
)


class Same(dict[int, int]):
    """Each number stands for itself."""

    def __missing__(self, number: int) -> int:
        return number


def unpacked(packing: Packing, sums: Sums) -> list[tuple[Numbers, int]]:
    return list(packing.unpacked(sums, lambda bag, session: Same(), Same()))


@given(
    packing=st.builds(Packing, st.integers(1, 5_000), st.integers(1, 5_000)),
    bag=st.integers(0, 500_000),
    result=st.integers(0, 15),
    share=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
    shown=st.tuples(st.integers(0, 2**31), st.integers(0, 7), st.integers(0, 2**22 - 1)),
)
def test_what_sql_packs_is_unpacked(
    packing: Packing,
    bag: int,
    result: int,
    share: tuple[float, float],
    shown: tuple[int, int, int],
) -> None:
    prompt = int(share[0] * packing.prompt_groups)
    session = int(share[1] * packing.session_groups)
    numbers = {
        **packing._asdict(),
        **dict(zip(("object", "detail", "day"), shown, strict=True)),
        "bag": bag,
        "result": result,
        "prompt": prompt,
        "session": session,
    }
    with closing(sqlite3.connect(":memory:")) as connection:
        who, place = connection.execute(PACK, numbers).fetchone()
    sums = sum_rows([(who, place, 77, 2), (who, place, 77, 3)])
    assert unpacked(packing, sums) == [((bag * 16 + result, prompt, session, *shown, 77), 5)]
    assert packing.objects(sums) == {(bag, shown[0])}
    assert packing.texts(sums) == {77: bag}


def test_a_row_of_details_is_a_row_for_each_that_is_there() -> None:
    rows = list(by_detail([(1, 0, 0, 5, 0, 7)]))
    assert [row[3] for row in rows] == [5, 7]
    assert [numbers[4] for numbers, _ in unpacked(Packing(1, 1), sum_rows(rows))] == [0, 2]


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "1970-01-01", "2026-05-17"])
def test_days_have_numbers_whatever_the_year(day: str) -> None:
    number = date.fromisoformat(day).toordinal() - EPOCH + 1_000_000
    assert 0 < number < 2**22
    assert day_of_number(number) == day


def test_the_last_day_has_a_number_and_no_day_has_no_name() -> None:
    assert date.max.toordinal() - EPOCH + 1_000_000 < 2**22
    assert day_of_number(0) == ""


def weights() -> list[str]:
    """Return the parts of sql/weights that each say how they pack, in one line each."""
    texts = [path.read_text(encoding="utf-8") for path in (folder("sql") / "weights").iterdir()]
    return [" ".join(part.split()) for text in texts for part in re.split("union all\n", text)]


@pytest.mark.parametrize(
    "block",
    [
        r"select (.*?) as who,",
        r" (\+ case when not :with_days .*?) as place,",
        r" as place, (.*?) as text_id,",
    ],
)
def test_all_weights_pack_in_the_same_words(block: str) -> None:
    found = [re.findall(block, part) for part in weights()]
    assert len(found) == 6
    assert all(len(words) == 1 for words in found)
    assert len({words[0] for words in found}) == 1


def test_the_numbers_of_sql_are_those_of_python() -> None:
    for part in weights():
        packed = part.split(" as text_id")[0].split("select ", 1)[1]
        numbers = {int(number) for number in re.findall(r"\b\d{2,}\b", packed)}
        assert numbers == {1 << RESULT_BITS, 1 << _DAY_BITS, _DAY_ZERO, 86_400_000}
        (detail,) = re.findall(r"\* (\d)(?: \* | \+ [^*]*\) \* )4194304", packed.split("as who")[1])
        assert int(detail) == 1 << _DETAIL_BITS
