"""Cells: what a view weighs, summed by numbers, with tables that give the numbers their names."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from agentpprof.models import Bag
from agentpprof.profile.fields import Cell, Numbers, Parts, PromptGroup, SessionGroup

T = TypeVar("T", bound=Hashable)

RESULT_BITS = 4  # a cell's bag number is the bag's number in the store, then the result


class ShownObject(NamedTuple):
    """An object of one kind: its name or exact path, and what is shown of it."""

    kind: str = ""
    name: str = ""
    group: str = ""


class Texts(NamedTuple):
    """What rules may look at: a command, or an answer with its tag."""

    command: str = ""
    answer: str = ""
    answer_tag: str = ""


class Cells(NamedTuple):
    """Sums by the numbers of cells, and what stands behind each number."""

    weights: Mapping[Numbers, int]
    bags: Mapping[int, Bag]  # by the store's number
    prompts: Sequence[PromptGroup]
    sessions: Sequence[SessionGroup]
    objects: Sequence[ShownObject]
    details: Sequence[str]
    days: Mapping[int, str]
    texts: Sequence[Texts]

    def used(self, part: str) -> set[int]:
        """Return the numbers of one of `Parts` that the weights have."""
        place = Parts._fields.index(part)
        return {numbers[place] for numbers in self.weights}

    def cell(self, numbers: Numbers) -> Cell:
        """Return the names of one cell."""
        bag, prompt, session, shown, detail, day, text = numbers
        return Cell(
            self.bags[bag >> RESULT_BITS],
            bag & (1 << RESULT_BITS) - 1,
            self.prompts[prompt],
            self.sessions[session],
            *self.objects[shown][1:],
            self.details[detail],
            self.days[day],
            *self.texts[text],
        )


class Distinct(Generic[T]):
    """Distinct values, numbered as they come."""

    def __init__(self, *values: T) -> None:
        """Number the first ones from 0 on."""
        self._numbers = {value: number for number, value in enumerate(values)}

    def number(self, value: T) -> int:
        """Return the number of a value, a new one where it has none."""
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[T]:
        """Return the values by number."""
        return list(self._numbers)
