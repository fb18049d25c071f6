"""Reading what is new in a file: whole lines, in pieces, never a replaced file as a grown one."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.ingest import reader
from agentpprof.ingest.reader import Piece, is_continued, opened, read_pieces
from agentpprof.models import Checkpoint


def read(path: Path, checkpoint: Checkpoint | None = None, size: int = 1 << 20) -> list[Piece]:
    """Read what stands behind a checkpoint."""
    with opened(str(path)) as descriptor:
        return list(read_pieces(descriptor, checkpoint or Checkpoint(), size))


def continued(path: Path, checkpoint: Checkpoint) -> bool:
    """Say whether a file is still the one that was read."""
    with opened(str(path)) as descriptor:
        return is_continued(descriptor, checkpoint)


def placed(folder: Path, data: bytes) -> Path:
    """Write a file."""
    path = folder / "log.jsonl"
    path.write_bytes(data)
    return path


lines = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"") + b"\n"))


@given(lines, st.binary(max_size=20).filter(lambda tail: b"\n" not in tail), st.integers(1, 60))
def test_pieces_hold_every_whole_line_once_whatever_their_size(
    tmp_path_factory: pytest.TempPathFactory, whole: list[bytes], tail: bytes, size: int
) -> None:
    data = b"".join(whole)
    path = placed(tmp_path_factory.mktemp("reader"), data + tail)
    pieces = read(path, size=size)
    assert b"".join(piece.data for piece in pieces) == data
    at = 0
    for piece in pieces:
        assert piece.offset == at
        assert piece.data.endswith(b"\n")
        at += len(piece.data)
        assert piece.checkpoint.offset == at
        assert continued(path, piece.checkpoint)
    if pieces:
        last = pieces[-1].checkpoint
        assert last == read(path)[-1].checkpoint
        assert read(path, last) == []


@given(st.data())
def test_a_line_longer_than_the_limit_is_passed_over_whatever_the_size_of_pieces(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.sampled_from((0, 5, 98, 99, 100, 101, 250)), max_size=8))
    path = placed(
        tmp_path_factory.mktemp("reader"), b"".join(b"x" * size + b"\n" for size in sizes)
    )
    size = data.draw(st.integers(1, 50))  # a limit is always of two pieces and more
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "MAX_LINE_BYTES", 100)
        pieces = read(path, size=size)
    kept = b"".join(piece.data for piece in pieces)
    assert kept == b"".join(b"x" * size + b"\n" for size in sizes if size + 1 <= 100)
    spans = [span for piece in pieces for span in piece.too_long]
    assert [length for _, length in spans] == [size + 1 for size in sizes if size + 1 > 100]
    content = path.read_bytes()
    for offset, length in spans:
        assert content[offset : offset + length].strip(b"x") == b"\n"
    assert not pieces or pieces[-1].checkpoint.offset == len(content)


def test_a_long_line_that_is_not_finished_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_LINE_BYTES", 100)
    path = placed(tmp_path, b"a\n" + b"x" * 300)
    (piece,) = read(path, size=50)
    assert (piece.data, piece.too_long) == (b"a\n", ())
    with path.open("ab") as file:
        file.write(b"\nb\n")
    (piece,) = read(path, piece.checkpoint, size=50)
    assert (piece.data, piece.too_long) == (b"b\n", ((2, 301),))


@pytest.mark.parametrize("size", [10, 4096, 5000, 20_000])
def test_a_file_that_grew_is_continued_and_one_that_was_replaced_is_not(
    tmp_path: Path, size: int
) -> None:
    data = random.Random(size).randbytes(size).replace(b"\n", b" ") + b"\n"
    path = placed(tmp_path, data)
    checkpoint = read(path)[-1].checkpoint
    path.write_bytes(data + b"more\n")
    assert continued(path, checkpoint)
    replaced = [
        data[: size // 2],  # shorter
        b"#" + data[1:],  # equal in size, another head
        data[:-2] + b"#\n",  # equal in size, another end
        b"#" + data[1:] + b"more\n",
    ]
    for other in replaced:
        path.write_bytes(other)
        assert not continued(path, checkpoint)


@given(lines)
def test_nothing_read_yet_is_continued_by_anything(
    tmp_path_factory: pytest.TempPathFactory, whole: list[bytes]
) -> None:
    path = placed(tmp_path_factory.mktemp("reader"), b"".join(whole))
    assert continued(path, Checkpoint())


def test_what_is_no_regular_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(placed(tmp_path, b"x\n"))
    for name in ("fifo", "folder", "link", "none"):
        with pytest.raises(OSError), opened(str(tmp_path / f"{name}.jsonl")):
            pass


def test_reading_closes_what_it_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = placed(tmp_path, b"x\n")
    closed: list[int] = []
    close = os.close

    def noted(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    monkeypatch.setattr(os, "close", noted)
    with opened(str(path)) as descriptor:
        pass
    assert closed == [descriptor]


@pytest.mark.parametrize(
    ("tail", "is_taken"),
    [
        (b'{"a": 1}', True),
        (b'{"a": 1', False),
        (b'{"a": 1}{"b": 2}', False),
        (b"[1]", False),
        (b"", False),
        (b"\0" * 9, False),
        (b'{"a": "' + b"x" * 9000 + b'"}', True),
        (b"[" * 100_000, False),
    ],
)
def test_a_tail_that_is_a_whole_object_is_a_line_up_to_its_end(
    tmp_path: Path, tail: bytes, is_taken: bool
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"first": 1}\n' + tail)
    with reader.opened(str(path)) as descriptor:
        (piece,) = reader.read_pieces(descriptor, Checkpoint())
        found = reader.read_tail(descriptor, piece.checkpoint)
        assert (found is not None) is is_taken
        if found is not None:
            assert (found.data, found.offset) == (tail + b"\n", 13)
            assert found.checkpoint.offset == 13 + len(tail)
            assert reader.is_continued(descriptor, found.checkpoint)
