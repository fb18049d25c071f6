"""Cells for tests, from the names that they are to have."""

from collections.abc import Iterable

from agentpprof.models import Bag
from agentpprof.profile.cells import RESULT_BITS, Cells, Distinct, ShownObject, Texts
from agentpprof.profile.fields import Cell, Numbers, PromptGroup, SessionGroup


def numbered_cells(pairs: Iterable[tuple[Cell, int]]) -> Cells:
    """Return cells by numbers; equal parts have one number."""
    bags, prompts, sessions = Distinct[Bag](), Distinct[PromptGroup](), Distinct[SessionGroup]()
    objects, texts = Distinct[ShownObject](), Distinct[Texts]()
    details, days = Distinct[str](), Distinct[str]()
    weights: dict[Numbers, int] = {}
    for cell, value in pairs:
        numbers = (
            bags.number(cell.bag) << RESULT_BITS | cell.result,
            prompts.number(cell.prompt),
            sessions.number(cell.session),
            objects.number(ShownObject(cell.bag.object_kind, cell.object, cell.group)),
            details.number(cell.detail),
            days.number(cell.day),
            texts.number(Texts(cell.command, cell.answer, cell.answer_tag)),
        )
        weights[numbers] = weights.get(numbers, 0) + value
    return Cells(
        weights,
        dict(enumerate(bags.values())),
        prompts.values(),
        sessions.values(),
        objects.values(),
        details.values(),
        dict(enumerate(days.values())),
        texts.values(),
    )


def named_cells(cells: Cells) -> list[tuple[Cell, int]]:
    """Return the names of all cells, with their weights."""
    return [(cells.cell(numbers), value) for numbers, value in cells.weights.items()]
