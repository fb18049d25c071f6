"""The packed numbers of sql/weights/: a column costs more to fetch than to compute.

`who` is ((bag * 16 + result) * prompt groups + prompt group) * session groups + session group,
`place` is (object * 8 + detail) * 2^22 + day; days are counted from 1,000,000 days before 1970, so
that none of the years 1 to 9999 is negative, and 0 is no day.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agentpprof.profile.cells import RESULT_BITS
from agentpprof.profile.fields import Numbers
from agentpprof.zones import day_name

Sums = Mapping[tuple[int, int, int], int]  # (who, place, operation whose text is seen, or 0) -> sum
_DAY_BITS = 22
_DETAIL_BITS = 3
_DAY_ZERO = 1_000_000


def sum_rows(rows: Iterable[tuple[Any, ...]]) -> Sums:
    """Sum rows of (who, place, text, value); SQLite would sort them first, at twice the cost."""
    sums: dict[tuple[int, int, int], int] = {}
    for who, place, text_id, value in rows:
        key = (who, place, text_id)
        sums[key] = sums.get(key, 0) + value
    return sums


def by_detail(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each value that is there, of rows with one for every detail."""
    for who, place, text_id, *values in rows:
        for detail, value in enumerate(values):
            if value:
                yield who, place + (detail << _DAY_BITS), text_id, value


def day_of_number(number: int) -> str:
    """Return the day of a number, empty for none."""
    return day_name(number - _DAY_ZERO) if number else ""


class Packing(NamedTuple):
    """How many groups there were when the numbers were packed."""

    prompt_groups: int
    session_groups: int

    @property
    def _of_bag(self) -> int:
        """How many `who` there are of one bag."""
        return self.prompt_groups * self.session_groups << RESULT_BITS

    def objects(self, sums: Sums) -> set[tuple[int, int]]:
        """Return all pairs of a bag and an object."""
        of_bag, bits = self._of_bag, _DAY_BITS + _DETAIL_BITS
        return {(who // of_bag, place >> bits) for who, place, _ in sums}

    def texts(self, sums: Sums) -> dict[int, int]:
        """Return operation -> bag of those whose text is seen."""
        of_bag = self._of_bag
        return {text_id: who // of_bag for who, _, text_id in sums if text_id}

    def unpacked(
        self,
        sums: Sums,
        shown_of: Callable[[int, int], Mapping[int, int]],
        text_of: Mapping[int, int],
    ) -> Iterator[tuple[Numbers, int]]:
        """Yield (`Parts`, sum).

        `shown_of` gives for (bag, session group) the numbers of objects as they are shown there,
        `text_of` the number of what is seen of an operation's text.
        """
        prompt_groups, session_groups = self
        details, days = (1 << _DETAIL_BITS) - 1, (1 << _DAY_BITS) - 1
        known: dict[int, tuple[int, int, int, Mapping[int, int]]] = {}  # each stands at many places
        for (who, place, text_id), value in sums.items():
            parts = known.get(who)
            if parts is None:
                rest, session = divmod(who, session_groups)
                bag, prompt = divmod(rest, prompt_groups)
                parts = known[who] = (bag, prompt, session, shown_of(bag >> RESULT_BITS, session))
            bag, prompt, session, shown = parts
            spot = place >> _DAY_BITS
            numbers = (
                bag,
                prompt,
                session,
                shown[spot >> _DETAIL_BITS],
                spot & details,
                place & days,
                text_of[text_id],
            )
            yield numbers, value
