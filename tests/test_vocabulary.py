"""Rules of `vocabulary` and of what the docs and the fields say of it."""

import re
from pathlib import Path

import pytest

from agentpprof import vocabulary
from agentpprof.profile.fields import FIELDS, LABELS, LISTS, MATCHED_FIELDS, SINGLE
from agentpprof.semantics.programs import program_table

DOCS = Path(__file__).parent.parent / "docs" / "vocabulary.md"
LISTED = [
    "OPS", "RESULTS", "QUALITIES", "ORIGINS", "OUTCOMES", "ACCESSES", "VERDICTS", "PHASES",
    "ACTIONS", "OBJECT_KINDS", "REPEATS", "TOKENS", "PARTS", "CATEGORIES", "EFFECTS", "STATUSES",
    "TAGS", "EXTERNAL_GROUPS",
]  # fmt: skip


@pytest.mark.parametrize("name", LISTED)
def test_a_list_says_each_value_once_in_safe_signs(name: str) -> None:
    values = getattr(vocabulary, name)
    assert len(set(values)) == len(values)
    assert all(re.fullmatch(r"[a-z][a-z_/-]*", value) for value in values)


@pytest.mark.parametrize("name", LISTED)
def test_every_value_stands_in_the_docs(name: str) -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [value for value in getattr(vocabulary, name) if f"`{value}`" not in text] == []


def test_every_field_stands_in_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [name for name in (*FIELDS, *SINGLE) if f"`{name}`" not in text] == []


def test_an_action_has_one_phase() -> None:
    actions = [a for group in vocabulary.ACTIONS_OF_PHASE.values() for a in group]
    assert sorted(actions) == sorted(vocabulary.PHASE_OF)


def test_what_rules_and_labels_see_are_fields() -> None:
    assert {*MATCHED_FIELDS, *LABELS, *LISTS} <= set(FIELDS)
    assert list(MATCHED_FIELDS) == sorted(MATCHED_FIELDS)


def test_the_table_of_programs_speaks_the_vocabulary() -> None:
    table = program_table()
    said = {*table.rank, *table.effect, *table.verbs.values(), *table.spoken.values()}
    for name in table.names():
        program = table.find(name)
        assert program is not None
        actions = program.actions.values()
        said |= {program.action, program.target_action, *(a.rstrip("~") for a in actions)}
    assert said - {""} <= set(vocabulary.ACTIONS)
    assert set(table.effect.values()) <= set(vocabulary.EFFECTS)
