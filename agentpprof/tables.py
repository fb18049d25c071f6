"""Print rows: as a table, JSON, JSON lines, CSV or Markdown.

The forms for people (table, Markdown) escape whatever a terminal could obey. CSV marks texts that
a spreadsheet would take for a formula. JSON is the form for programs: values as they are.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from agentpprof.store.guard import Answer
from agentpprof.terminal import show

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_WIDEST_CELL: Final = 60
_MARKDOWN_ESCAPES: Final = str.maketrans({"|": "\\|", "`": "\\`", "<": "&lt;", "*": "\\*"})


def write_json(answer: Answer) -> str:
    """Return one object: `columns`, `rows` (objects), `row_count`, `cut` (null or what was cut)."""
    rows = [_record(answer.columns, row) for row in answer.rows]
    whole = {
        "columns": list(answer.columns),
        "rows": rows,
        "row_count": len(rows),
        "cut": answer.cut or None,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_json_lines(answer: Answer) -> str:
    """Return one object a row."""
    lines = (
        json.dumps(_record(answer.columns, row), ensure_ascii=False, allow_nan=False)
        for row in answer.rows
    )
    return "".join(line + "\n" for line in lines)


def write_csv(answer: Answer) -> str:
    """Return CSV; texts that a spreadsheet would calculate begin with an apostrophe."""
    rows = [answer.columns, *([_plain(value) for value in row] for row in answer.rows)]
    return "".join(_csv_line(map(_formula_safe, row)) for row in rows)


def write_markdown(answer: Answer) -> str:
    """Return a table for a document; numbers stand to the right."""
    rights = _are_numbers(answer)
    header = [show(column).translate(_MARKDOWN_ESCAPES) for column in answer.columns]
    rule = ["---:" if right else "---" for right in rights]
    body = [[_cell(value).translate(_MARKDOWN_ESCAPES) for value in row] for row in answer.rows]
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, rule, *body)]
    return "\n".join(lines + _notes(answer)) + "\n"


def write_table(answer: Answer, width: int | None = None) -> str:
    """Return a table for a terminal `width` columns wide; None lets every cell be whole."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, right in zip(answer.columns, _are_numbers(answer), strict=True):
        table.add_column(
            Text(show(column)),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=_WIDEST_CELL if width else None,
        )
    for row in answer.rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    out = io.StringIO()
    console = Console(file=out, width=width or _full_width(answer), color_system=None)
    console.print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join(lines + _notes(answer)) + "\n"


WRITERS: Final[dict[str, Callable[[Answer], str]]] = {
    "table": write_table,
    "json": write_json,
    "jsonl": write_json_lines,
    "csv": write_csv,
    "markdown": write_markdown,
}


def _record(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    return {column: _plain(value) for column, value in zip(columns, row, strict=True)}


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: bytes as text, numbers without end as words."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _csv_line(cells: Iterable[Any]) -> str:
    """Return one line; only with \\r\\n as its end does the library quote a lone \\r."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _formula_safe(value: Any) -> Any:
    """Mark texts only: a negative number is no formula."""
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA_STARTS):
        return "'" + value
    return value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return show(str(_plain(value)))


def _are_numbers(answer: Answer) -> list[bool]:
    """Say of each column whether it holds numbers alone."""
    return [
        any(value is not None for value in values)
        and all(value is None or isinstance(value, int | float) for value in values)
        for values in _columns_of(answer)
    ]


def _columns_of(answer: Answer) -> Iterator[list[Any]]:
    for index in range(len(answer.columns)):
        yield [row[index] for row in answer.rows]


def _full_width(answer: Answer) -> int:
    from rich.cells import cell_len

    widths = [
        max([cell_len(show(name)), *(cell_len(_cell(value)) for value in values)])
        for name, values in zip(answer.columns, _columns_of(answer), strict=True)
    ]
    return sum(widths) + 2 * len(widths) + 1


def _notes(answer: Answer) -> list[str]:
    """Return what stands below a table: that there is nothing, or not all."""
    if answer.cut:
        return ["", f"cut: {answer.cut}"]
    return [] if answer.rows else ["", "no rows"]
