"""A field of a bag stands in every place that must know of it (docs/architecture.md says which)."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentpprof.models import Bag
from agentpprof.resources import read_text
from agentpprof.store import queries
from agentpprof.store.database import opened_for_writing
from agentpprof.store.numbers import Numbers
from agentpprof.store.rows import FieldBag

_OP, *TEXTS = FieldBag.__struct_fields__
COLUMNS = {f"{text}_id" for text in TEXTS}
# What people don't see: which process a call waits for, and what a price hangs on.
NOT_SHOWN = {"process_id", "tier_id"}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with opened_for_writing(tmp_path / "a.db") as connection:
        yield connection


def statement(path: str, beginning: str) -> str:
    """Return the one statement of an SQL file that begins so, in one line."""
    parts = [" ".join(part.split()) for part in read_text("sql", path).split(";")]
    (found,) = [part for part in parts if beginning in part]
    return found


def columns_in(text: str, shape: str) -> set[str]:
    """Return the columns that stand at the mark `?` of a shape."""
    return set(re.findall(shape.replace("?", r"(\w+_id)"), text))


def test_a_bag_has_a_column_a_field(connection: sqlite3.Connection) -> None:
    columns = [row[1] for row in connection.execute("pragma table_info(field_bag)")]
    assert columns == ["id", _OP, *(f"{text}_id" for text in TEXTS)]


def test_a_bag_comes_back_as_it_was_stored(connection: sqlite3.Connection) -> None:
    number = Numbers(connection).bags[FieldBag(2, *TEXTS)]
    assert queries.read_bags(connection)[number] == Bag(number, 2, *TEXTS)
    assert Bag._fields == ("id", _OP, *TEXTS)


def test_people_see_every_field_that_is_theirs() -> None:
    view = read_text("sql", "views/operations.sql")
    assert columns_in(view, r"on bag\.? = ") == COLUMNS - NOT_SHOWN


def test_forgetting_keeps_the_names_that_a_bag_has() -> None:
    text = statement("forget/delete.sql", "delete from name")
    assert columns_in(text, "select ? from field_bag") == COLUMNS


def test_salvage_looks_for_every_name_of_a_bag() -> None:
    lost = statement("salvage/mend.sql", "insert or ignore into temp.lost_name")
    assert columns_in(lost, "select ? from field_bag") == COLUMNS
    lacking = statement("salvage/mend.sql", "insert or ignore into temp.lacking_bag")
    assert columns_in(lacking, r"? in \(select id from temp.lost_name\)") == COLUMNS


def test_salvage_gives_a_lost_bag_one_without_names() -> None:
    nothing = ", ".join("0" * len(TEXTS))
    assert f"null, op, {nothing} from" in statement("salvage/mend.sql", "into field_bag")
    names = ", ".join(f"{text}_id" for text in TEXTS)
    found = statement("salvage/mend.sql", "update operation set object_id")
    assert f"( {names} ) = ({nothing})" in found
