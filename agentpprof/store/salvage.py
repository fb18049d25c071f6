"""Copy what a damaged database still gives into a new one.

A table is read in order, passing over what can't be read; one without row numbers from both ends.
Logs that are still there give their rows again; for those that are gone, and for what
people set by hand, the damaged file is the only place.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from agentpprof.errors import StoreError
from agentpprof.resources import read_text
from agentpprof.store.database import APPLICATION_ID, opened_for_writing
from agentpprof.store.leftovers import SIDECARS
from agentpprof.store.transactions import transaction

_FIRST, _LAST = -(2**63), 2**63 - 1  # numbers of rows; keys are hashes
# What is made anew, or would say of the copy what held for the original.
_LEFT_OUT = ("sqlite_", "_sqlite_", "search_", "log_file_state")
_KEPT_SETTINGS = ("zone", "forgettings", "tagger_id")
_Row = tuple[object, ...]


class Salvaged(NamedTuple):
    """How much was read of each table, and where it has gaps."""

    rows: dict[str, int]
    gaps: dict[str, int]  # stretches that could not be read, or rows that can't be right


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Write a new database with everything that can be read; raises StoreError where nothing can.

    The damaged file is only read. Its write-ahead log, where there is one, is taken into account.
    """
    if target.exists():
        raise StoreError(f"{target} exists already: name a new file")
    uri = f"file:{quote(bytes(damaged.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as source:
            if source.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
                raise StoreError(f"{damaged} is not a database of agentpprof")
            columns = _columns(source)
            with _new_database(target) as connection:
                return _copy_all(source, connection, columns)
    except sqlite3.DatabaseError:
        raise StoreError(f"nothing can be read of {damaged}: its first page is damaged") from None


@contextmanager
def _new_database(target: Path) -> Iterator[sqlite3.Connection]:
    """Open a new database; nothing is left of it when it can't be filled."""
    try:
        with opened_for_writing(target) as connection:
            yield connection
    except BaseException:
        for suffix in ("", *SIDECARS):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        raise


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of each table that is copied."""
    names = connection.execute("select name from sqlite_schema where type = 'table'").fetchall()
    return {
        name: [row[1] for row in connection.execute(f"pragma table_info({name})")]
        for (name,) in names
        if not name.startswith(_LEFT_OUT)
    }


def _copy_all(
    source: sqlite3.Connection, target: sqlite3.Connection, columns: dict[str, list[str]]
) -> Salvaged:
    found = Salvaged({}, {})
    with transaction(target):
        for table, wanted in _columns(target).items():
            kept = [name for name in columns.get(table, []) if name in wanted]
            if kept:
                found.rows[table], found.gaps[table] = _copy(source, target, table, kept)
        for statement in read_text("sql", "salvage/mend.sql").split(";\n"):
            target.execute(statement)
    return found


def _copy(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: list[str]
) -> tuple[int, int]:
    """Copy one table; returns how many rows, and how many gaps."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    statement = f"insert or replace into {table} ({names}) values ({marks})"  # noqa: S608 # ours
    rows = gaps = 0
    for row in _rows(source, table, columns):
        if row is None:
            gaps += 1
        elif table != "meta" or row[0] in _KEPT_SETTINGS:
            try:
                target.execute(statement, row)
            except sqlite3.IntegrityError:
                gaps += 1  # a text where a number belongs: read, but damaged
            else:
                rows += 1
    return rows, gaps


def _rows(source: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[_Row | None]:
    """Yield rows, and None for each stretch that can't be read."""
    names = ", ".join(columns)
    if _has_numbers(source, table):
        query = f"select rowid, {names} from {table} not indexed where rowid >= ? order by rowid"  # noqa: S608 # ours
        yield from _by_number(source, query)
    else:
        query = f"select {names} from {table}"  # noqa: S608 # our own names
        backwards = ", ".join(f"{name} desc" for name in _keys(source, table))
        yield from _from_both_ends(source, query, f"{query} order by {backwards}")


def _has_numbers(source: sqlite3.Connection, table: str) -> bool:
    info = source.execute("select wr from pragma_table_list where name = ?", (table,)).fetchone()
    return info is not None and not info[0]


def _keys(source: sqlite3.Connection, table: str) -> list[str]:
    info = source.execute(f"pragma table_info({table})")
    return [name for _, name in sorted((row[5], row[1]) for row in info if row[5])]


def _from_both_ends(
    source: sqlite3.Connection, forwards: str, backwards: str
) -> Iterator[_Row | None]:
    """Read up to the first damage, then from the end down to the last one."""
    seen: set[_Row] = set()
    for query in (forwards, backwards):
        try:
            for row in source.execute(query):
                if row not in seen:
                    seen.add(row)
                    yield row
        except sqlite3.DatabaseError:
            yield None
        else:
            return


def _by_number(source: sqlite3.Connection, query: str) -> Iterator[_Row | None]:
    """Read in order of row numbers, passing over what can't be read."""
    start: int | None = _FIRST
    while start is not None:
        last = start
        try:
            for row in source.execute(query, (start,)):
                last = row[0]
                yield row[1:]
        except sqlite3.DatabaseError:
            yield None
            start = _next_readable(source, query, last)
        else:
            return


def _next_readable(source: sqlite3.Connection, query: str, last: int) -> int | None:
    """Return the least number behind damage from which on rows can be read; None without one."""

    def can_read(number: int) -> bool:
        try:
            source.execute(query, (number,)).fetchone()
        except sqlite3.DatabaseError:
            return False
        return True

    low = last
    for high in _probes(last):
        if can_read(high):
            break
        low = high
    else:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if can_read(middle) else (middle, high)
    return high


def _probes(last: int) -> list[int]:
    """Return numbers behind `last`, ever further from it and from zero: keys are large."""
    powers = [2**n for n in range(64)]
    found = {0, *powers, *(-each for each in powers), *(last + each for each in powers)}
    return sorted(each for each in found if last < each <= _LAST)
