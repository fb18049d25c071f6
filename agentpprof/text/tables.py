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

from agentpprof.encoders.fitting import ELLIPSIS, cells, cut, fitted
from agentpprof.models import Answer
from agentpprof.streams import readable
from agentpprof.terminal import show

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_WIDEST_CELL: Final = 60
_UNCUT_CELL: Final = 24  # cells of a text that is never cut: names, ids and times have no more
_GAP: Final = 2  # cells between columns
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


def write_table(
    answer: Answer,
    width: int | None = None,
    droppable: Sequence[str] = (),
    encoding: str = "utf-8",
) -> str:
    """Return a table for a terminal `width` columns wide; None lets every cell be whole.

    Numbers and short texts are never cut. Where they don't fit, columns of `droppable` go, the
    first one first, and what is too wide even so is written as one line a value. What `encoding`
    lacks is told in ASCII before columns are measured.
    """
    answer = _in_encoding(answer, encoding)
    widths = _widths(answer)
    left_out: list[str] = []
    if width is not None:
        for column in droppable:
            if _fits(widths, answer, width):
                break
            left_out.append(column)
            answer, widths = _without(answer, column), _widths(_without(answer, column))
        if not _fits(widths, answer, width):
            return _records(answer, width, readable(ELLIPSIS, encoding))
        widths = _shrunk(widths, answer, width)
    lines = _table_lines(answer, widths, readable(ELLIPSIS, encoding))
    told = [f"left out at this width: {', '.join(left_out)}"] if left_out else []
    return "\n".join(lines + told + _notes(answer)) + "\n"


def _in_encoding(answer: Answer, encoding: str) -> Answer:
    if encoding == "utf-8":
        return answer
    columns = tuple(readable(show(column), encoding) for column in answer.columns)
    rows = [
        tuple(readable(show(v), encoding) if isinstance(v, str) else v for v in row)
        for row in answer.rows
    ]
    return answer._replace(columns=columns, rows=rows)


def _table_lines(answer: Answer, widths: Sequence[int], ellipsis: str) -> list[str]:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, right, width in zip(answer.columns, _are_numbers(answer), widths, strict=True):
        table.add_column(
            Text(show(column)),
            justify="right" if right else "left",
            no_wrap=True,
            width=width,
        )
    for row in answer.rows:
        texts = map(_cell, row)
        table.add_row(*(Text(cut(*each, ellipsis)) for each in zip(texts, widths, strict=True)))
    out = io.StringIO()
    console = Console(file=out, width=_total(widths) + 1, color_system=None)
    console.print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _records(answer: Answer, width: int, ellipsis: str) -> str:
    """Return one line a value, each row under its number."""
    names = [show(column) for column in answer.columns]
    indent = max(map(cells, names)) + 2
    lines: list[str] = []
    for number, row in enumerate(answer.rows, 1):
        lines += ["", f"row {number:,}"]
        for name, value in zip(names, row, strict=True):
            told = fitted(_cell(value), max(width - indent, _UNCUT_CELL), ellipsis)
            lines.append(f"{name}{' ' * (indent - cells(name))}{told}".rstrip())
    return "\n".join(lines[1:] + _notes(answer)) + "\n"


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


def _widths(answer: Answer) -> list[int]:
    """Return how wide each column would like to be."""
    from rich.cells import cell_len

    return [
        max([cell_len(show(name)), *(cell_len(_cell(value)) for value in values)])
        for name, values in zip(answer.columns, _columns_of(answer), strict=True)
    ]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * len(widths)


def _fits(widths: Sequence[int], answer: Answer, width: int) -> bool:
    """Say whether columns fit when long texts, and these alone, are cut."""
    return _total(_least(widths, answer)) - _GAP <= width


def _least(widths: Sequence[int], answer: Answer) -> list[int]:
    pairs = zip(widths, _are_numbers(answer), strict=True)
    return [width if is_number else min(width, _UNCUT_CELL) for width, is_number in pairs]


def _shrunk(widths: Sequence[int], answer: Answer, width: int) -> list[int]:
    """Return widths that fit: the widest column gives first, none more than it can."""
    least = _least(widths, answer)
    fitting = [max(low, min(wide, _WIDEST_CELL)) for low, wide in zip(least, widths, strict=True)]
    while _total(fitting) - _GAP > width:
        wide = max(range(len(fitting)), key=lambda at: fitting[at] - least[at])
        fitting[wide] -= 1
    return fitting


def _without(answer: Answer, column: str) -> Answer:
    at = answer.columns.index(column)
    rows = [(*row[:at], *row[at + 1 :]) for row in answer.rows]
    return answer._replace(columns=(*answer.columns[:at], *answer.columns[at + 1 :]), rows=rows)


def _notes(answer: Answer) -> list[str]:
    """Return what stands below a table: that there is nothing, or not all."""
    if answer.cut:
        return ["", f"cut: {answer.cut}"]
    return [] if answer.rows else ["", "no rows"]
