"""Saving: every statement is an idempotent join, whatever the order in which rows come."""

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from canonical import canonical_dump, differences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentpprof.models import Checkpoint, LogFile
from agentpprof.store.database import opened_for_writing
from agentpprof.store.numbers import stored_path, stored_text
from agentpprof.store.rows import FieldBag, FileRows, OperationRow, SessionRow, StrayResult
from agentpprof.store.writer import FileRead, Writer

BAG = FieldBag(1, "model", "", "model", "", model="m")
ROW = OperationRow(1, 1, 5, 7, 9, 0, 10, 20, BAG, "m", origin=None, outcome=None)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A writing connection to an empty database."""
    with opened_for_writing(tmp_path / "agent.db") as made:
        yield made


def read_of(path: str, *rows: OperationRow, strays: tuple[StrayResult, ...] = ()) -> FileRead:
    """One read of one file."""
    found = FileRows()
    for row in rows:
        found.put(row)
    found.sessions[7] = SessionRow(7, "s", None, "", 1, "/home/dev/shop", "", "", 1, 2)
    found.stray_results.extend(strays)
    log_file = LogFile(path, "claude", 1, len(path), 100, 1, 1)
    return FileRead(log_file, Checkpoint(100, 4, b"h", b"t"), 1, b"{}", found, -1)


def value(connection: sqlite3.Connection, column: str) -> object:
    """A column of the one operation."""
    (row,) = connection.execute(f"select {column} from operation").fetchall()
    return row[0]


def dump_of(folder: Path, reads: list[FileRead], *, at_once: bool) -> dict[str, list[object]]:
    """What a new database says after some reads."""
    path = folder / "agent.db"
    path.unlink(missing_ok=True)
    with opened_for_writing(path) as made:
        if at_once:
            Writer(made).save(reads)
        else:
            for read in reads:
                Writer(made).save([read])
        return canonical_dump(made)  # type: ignore[return-value]


rows = st.builds(
    OperationRow,
    key=st.just(1),
    op=st.just(1),
    owner_rank=st.integers(0, 2),
    session_key=st.sampled_from((7, 8)),
    prompt_key=st.none() | st.integers(1, 2),
    offset=st.integers(0, 2),
    started_at_ms=st.none() | st.integers(0, 3),
    ended_at_ms=st.none() | st.integers(0, 3),
    bag=st.sampled_from((BAG, replace(BAG, skill="deploy"))),
    object=st.just("m"),
    result=st.integers(0, 9),
    output_tokens=st.none() | st.integers(0, 3),
    quality=st.none() | st.integers(0, 3),
    outcome=st.integers(0, 3),
    outcome_at_ms=st.none() | st.integers(0, 2),
    text=st.none() | st.sampled_from(("a", "b", "ab")),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(st.lists(rows, min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_rows_of_several_files_are_joined_to_the_same_in_any_order_and_any_batches(
    tmp_path: Path, found: list[OperationRow], chance: object
) -> None:
    reads = [read_of(f"/logs/{n}.jsonl", row) for n, row in enumerate(found)]
    right = dump_of(tmp_path, reads, at_once=True)
    for order in itertools.permutations(reads):
        for at_once in (True, False):
            assert differences(right, dump_of(tmp_path, list(order), at_once=at_once)) == []
    assert differences(right, dump_of(tmp_path, [*reads, *reads], at_once=False)) == []


def test_tokens_are_the_maximum_and_a_missing_count_says_nothing(
    connection: sqlite3.Connection,
) -> None:
    for number, tokens in enumerate((3, None, 270, 9)):
        Writer(connection).save([read_of(f"/{number}", replace(ROW, output_tokens=tokens))])
    assert value(connection, "output_tokens") == 270


def test_the_owner_decides_its_columns_as_one_unit(connection: sqlite3.Connection) -> None:
    first = replace(ROW, owner_rank=5, offset=50, active_ms=900)
    better = replace(ROW, owner_rank=4, offset=60, active_ms=100, prompt_key=None)
    Writer(connection).save([read_of("/a", first)])
    Writer(connection).save([read_of("/b", better)])
    unit = "owner_rank, offset, active_ms, prompt_key, log_file_id"
    assert connection.execute(f"select {unit} from operation").fetchall() == [(4, 60, 100, None, 2)]


def test_the_owners_times_only_grow(connection: sqlite3.Connection) -> None:
    for active in (5, 9, 7):
        Writer(connection).save([read_of("/a", replace(ROW, active_ms=active))])
    assert value(connection, "active_ms") == 9


@pytest.mark.parametrize("is_first", [True, False])
def test_a_stray_result_finds_its_call_whichever_comes_first(
    connection: sqlite3.Connection, is_first: bool
) -> None:
    reads = [read_of("/a", replace(ROW, op=2)), read_of("/b", strays=(StrayResult(1, 6, 99, 4),))]
    for read in reads if is_first else reversed(reads):
        Writer(connection).save([read])
    found = connection.execute("select result, ended_at_ms, result_bytes from operation")
    assert found.fetchall() == [(6, 99, 4)]


def test_numbers_kept_in_memory_are_dropped_after_a_rollback(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    writer = Writer(connection)
    connection.execute(
        "create trigger breaks before insert on operation begin select raise(abort, 'broken'); end"
    )
    with pytest.raises(sqlite3.IntegrityError):
        writer.save([read_of("/a", ROW)])
    assert connection.execute("select count(*) from name where id > 0").fetchone() == (0,)
    connection.execute("drop trigger breaks")
    writer.save([read_of("/a", ROW)])
    (tmp_path / "other").mkdir()
    right = dump_of(tmp_path / "other", [read_of("/a", ROW)], at_once=True)
    assert differences(right, canonical_dump(connection)) == []


def test_a_batch_counts_up_the_generation_of_the_data(connection: sqlite3.Connection) -> None:
    query = "select cast(value as integer) from meta where key = 'generation'"
    (before,) = connection.execute(query).fetchone()
    Writer(connection).save([read_of("/a", ROW)])
    assert connection.execute(query).fetchone() == (before + 1,)


def test_a_read_that_begins_behind_what_is_stored_is_left_out(
    connection: sqlite3.Connection,
) -> None:
    late = read_of("/a", replace(ROW, output_tokens=5))._replace(base_offset=40)
    Writer(connection).save([late])
    assert connection.execute("select count(*) from operation").fetchone() == (0,)


def test_paths_that_are_no_utf_8_are_stored_as_their_bytes() -> None:
    assert stored_path("/tmp/a") == "/tmp/a"
    assert stored_path("/tmp/\udcff") == b"/tmp/\xff"
    assert stored_path("/tmp/\ud83d") == b"/tmp/?"


def test_texts_are_stored_so_that_they_can_be_searched() -> None:
    assert stored_text("a\0b\ud83d") == "a\ufffdb?"
    assert stored_text(None) is None
