"""Forms of output: values stay what they are, and nothing in them can act."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.models import Answer
from agentpprof.runs import asking
from agentpprof.terminal import show, show_lines
from agentpprof.text.tables import (
    WRITERS,
    write_csv,
    write_json,
    write_json_lines,
    write_markdown,
    write_table,
)

VALUES = st.none() | st.integers() | st.floats() | st.text() | st.binary()
ATTACKS = [
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\x1b]52;c;ZXZpbA==\x07",
    "a\rb",
    "a\nb",
    "a\x08b",
    "\x9b31m",
    "\u202egpj.exe",
    "\u2066x\u2069",
    "\ud800",
    "a\u200bb",
    "\x00",
    "\x7f",
    "a\u2028b",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_no_control_character_reaches_a_terminal(attack: str, form: str) -> None:
    text = WRITERS[form](
        Answer((attack, "n"), [(attack, 1), (attack.encode("utf-8", "replace"), 2)])
    )
    assert all(character.isprintable() or character == "\n" for character in text)
    assert len(text.splitlines()) <= 4


@given(st.text())
def test_show_leaves_only_printable_text(text: str) -> None:
    assert show(text).isprintable()
    assert all(line.isprintable() for line in show_lines(text).split("\n"))


def test_show_leaves_scripts_of_the_world_alone() -> None:
    assert show("修复 тест ทดสอบ é 👍") == "修复 тест ทดสอบ é 👍"
    assert show("全角\u3000空白") == "全角 空白"


def test_markup_of_rich_is_text() -> None:
    assert "[red]x[/red]" in write_table(Answer(("a",), [("[red]x[/red]",)]))


def test_table_fits_its_width_and_says_so_with_an_ellipsis() -> None:
    text = write_table(Answer(("a", "b"), [("x" * 200, "y" * 200)]), width=60)
    assert all(len(line) <= 60 for line in text.splitlines())
    assert "…" in text


STORED_NUMBERS = st.integers(-(2**63), 2**63 - 1)  # SQLite knows no others


@given(
    st.lists(st.tuples(st.text(max_size=40), st.text(max_size=90), STORED_NUMBERS), min_size=1),
    st.integers(40, 200),
)
def test_numbers_and_short_texts_are_never_cut(
    rows: list[tuple[str, str, int]], width: int
) -> None:
    text = write_table(Answer(("name", "text", "number"), [*rows]), width)
    for _, _, number in rows:
        assert re.search(rf"(?<!\S){number}(?!\S)", text)
    for name, _, _ in rows:
        if len(show(name).strip()) <= 12:
            assert show(name).strip() in text


def test_columns_that_may_go_go_in_order_and_are_named() -> None:
    answer = Answer(("name", "agent", "count"), [("n" * 20, "a" * 20, 10**9)])
    assert "left out" not in write_table(answer, 60, ("agent", "count"))
    narrow = write_table(answer, 40, ("agent", "count"))
    assert "left out at this width: agent\n" in narrow
    assert "1000000000" in narrow
    assert "left out at this width: agent, count" in write_table(answer, 24, ("agent", "count"))


def test_what_is_too_wide_is_written_a_line_a_value() -> None:
    columns = tuple(f"column_{number}" for number in range(24))
    text = write_table(Answer(columns, [tuple(range(24)), tuple(["x" * 99] * 24)]), 80)
    lines = text.splitlines()
    assert lines[0] == "row 1"
    assert lines[1] == "column_0   0"
    assert lines.index("row 2") == 26
    assert max(map(len, lines)) <= 80
    assert all(column in text for column in columns)


def test_table_without_a_width_is_whole() -> None:
    assert "x" * 500 in write_table(Answer(("a",), [("x" * 500,)]))
    assert "试" * 100 in write_table(Answer(("a",), [("试" * 100,)]))


def test_empty_and_cut_answers_say_so() -> None:
    assert "no rows" in write_table(Answer(("a",), []))
    assert "cut: more" in write_markdown(Answer(("a",), [(1,)], "more"))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        (-1, "-1"),
        (-1.5, "-1.5"),
        ("a=1", "a=1"),
        (None, ""),
        (b"=1", "'=1"),
    ],
)
def test_csv_holds_no_formula(value: object, cell: str) -> None:
    text = write_csv(Answer(("a", "b"), [(value, "x")]))
    assert list(csv.reader(io.StringIO(text, newline="")))[1][0] == cell


def test_csv_headers_hold_no_formula() -> None:
    assert write_csv(Answer(("=x",), [])).startswith("'=x")


@given(st.lists(st.tuples(VALUES, VALUES), max_size=5))
def test_json_can_be_read_back(rows: list[tuple[object, object]]) -> None:
    answer = Answer(("a", "b"), rows)
    whole = json.loads(write_json(answer))
    lines = [json.loads(line) for line in write_json_lines(answer).split("\n")[:-1]]
    assert whole["rows"] == lines
    assert whole["row_count"] == len(rows)
    for (value, _), row in zip(rows, lines, strict=True):
        if isinstance(value, int | str | None):
            assert row["a"] == value


@given(st.lists(st.tuples(VALUES, VALUES), max_size=5))
def test_every_form_takes_every_value(rows: list[tuple[object, object]]) -> None:
    for form, write in WRITERS.items():
        text = write(Answer(("a", "b"), rows))
        assert text.endswith("\n") or not rows, form


def test_markdown_cells_cannot_break_the_table() -> None:
    text = write_markdown(Answer(("a",), [("x|y\n# z <b> `c` *d*",)]))
    assert text.splitlines()[2] == "| x\\|y\\n# z &lt;b> \\`c\\` \\*d\\* |"


def test_every_form_but_the_table_has_an_option() -> None:
    assert {"table", *asking._FORMATS} == set(WRITERS)
