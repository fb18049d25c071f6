"""Read what is new in one log file, by bytes, up to its last newline; a dead end on request.

Opened read-only and never waiting (a FIFO may be named like a log), closed at once, never locked.
What the checkpoint remembers of head and tail tells a grown file from a replaced one
(docs/reliability.md, "How").
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import NamedTuple

from agentpprof.models import Checkpoint

PIECE_BYTES = 4 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024
_SAMPLE_BYTES = 4096


class Piece(NamedTuple):
    """Whole lines from byte `offset` on, and the checkpoint behind them."""

    data: bytes
    offset: int
    checkpoint: Checkpoint
    too_long: tuple[tuple[int, int], ...] = ()  # (offset, length) of lines that were passed over
    is_last: bool = True  # of this read: nothing whole stood behind it


class NotALogError(OSError):
    """The path is no regular file any more."""


@contextmanager
def opened(path: str) -> Iterator[int]:
    """Open a log for reading; raises OSError when it can't be, or is no regular file."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotALogError("not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def read_small_file(path: str) -> bytes | None:
    """Return the first 64 KiB of a file beside a log; None when it can't be read."""
    try:
        with opened(path) as descriptor:
            return os.read(descriptor, 65536)
    except OSError:
        return None


def is_continued(descriptor: int, checkpoint: Checkpoint) -> bool:
    """Say whether the file still begins, and goes up to the offset, as it did when it was read."""
    if checkpoint.offset == 0:
        return True
    if os.fstat(descriptor).st_size < checkpoint.offset:
        return False
    head = os.pread(descriptor, checkpoint.head_length, 0)
    return _hash(head) == checkpoint.head_hash and _tail_hash(descriptor, checkpoint.offset) == (
        checkpoint.tail_hash
    )


def read_pieces(
    descriptor: int, checkpoint: Checkpoint, piece_bytes: int = PIECE_BYTES
) -> Iterator[Piece]:
    """Yield the whole lines behind a checkpoint, in pieces; an unfinished line stays unread.

    A line longer than a piece is not kept while its end is looked for, but read again from there;
    one above 64 MiB is passed over.
    """
    held: Piece | None = None
    for piece in _whole_lines(descriptor, checkpoint, piece_bytes):
        if held is not None:
            yield held._replace(is_last=False)
        held = piece
    if held is not None:
        yield held


def read_tail(descriptor: int, checkpoint: Checkpoint) -> Piece | None:
    """Return what stands behind the last newline as a line, where it is a whole JSON object.

    The checkpoint of the piece stands at the end of the object: a newline, or a record that is
    written right behind it, is read later.
    """
    size = os.fstat(descriptor).st_size - checkpoint.offset
    data = os.pread(descriptor, size, checkpoint.offset) if 0 < size <= MAX_LINE_BYTES else b""
    if b"\n" in data or not _is_object(data):
        return None
    behind = _behind(descriptor, checkpoint, checkpoint.offset, data)
    return Piece(data + b"\n", checkpoint.offset, behind)


def _is_object(data: bytes) -> bool:
    import msgspec  # 20 ms, and most passes find nothing to read

    try:
        return isinstance(msgspec.json.decode(data), dict)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False


def _whole_lines(descriptor: int, checkpoint: Checkpoint, piece_bytes: int) -> Iterator[Piece]:
    offset, rest, is_long = checkpoint.offset, b"", False
    skipped: list[tuple[int, int]] = []
    at = offset
    while chunk := os.pread(descriptor, piece_bytes, at):
        at += len(chunk)
        if is_long and (end := chunk.find(b"\n") + 1):
            length = at - len(chunk) + end - offset
            if length > MAX_LINE_BYTES:
                skipped.append((offset, length))
                offset, is_long, chunk = offset + length, False, chunk[end:]
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            is_long = is_long or bool(rest)
            rest = b"" if is_long else chunk
            continue
        if is_long:
            data = os.pread(descriptor, at - len(chunk) + cut - offset, offset)
            if not data.endswith(b"\n"):
                return  # the file was cut while it was read; the next pass sees what is left
        else:
            data = rest + chunk[:cut] if rest else chunk[:cut]
        rest, is_long = chunk[cut:], False
        checkpoint = _behind(descriptor, checkpoint, offset, data)
        yield Piece(data, offset, checkpoint, tuple(skipped))
        offset += len(data)
        skipped.clear()
    if skipped:
        yield Piece(b"", offset, _behind(descriptor, checkpoint, offset, b""), tuple(skipped))


def _behind(descriptor: int, before: Checkpoint, offset: int, data: bytes) -> Checkpoint:
    """Return the checkpoint after `data`, hashing what was read where that is enough."""
    end = offset + len(data)
    head_length, head_hash = before.head_length, before.head_hash
    if head_length < _SAMPLE_BYTES:
        head_length = min(end, _SAMPLE_BYTES)
        head = data[:head_length] if offset == 0 else os.pread(descriptor, head_length, 0)
        head_hash = _hash(head)
    tail = data[-_SAMPLE_BYTES:]
    if len(tail) < min(_SAMPLE_BYTES, end):
        return Checkpoint(end, head_length, head_hash, _tail_hash(descriptor, end))
    return Checkpoint(end, head_length, head_hash, _hash(tail))


def _tail_hash(descriptor: int, offset: int) -> bytes:
    start = max(offset - _SAMPLE_BYTES, 0)
    return _hash(os.pread(descriptor, offset - start, start))


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()
