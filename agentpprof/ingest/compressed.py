"""Compressed logs, read as the plain ones they were: offsets are those of the plain bytes.

A log is unpacked into an unnamed private file, so that the reader can treat both alike. What a
damaged archive still gives is kept, and the damage is noted; it is read again when it changes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from agentpprof.ingest import reader
from agentpprof.models import COMPRESSED_SUFFIX

_CHUNK = 1 << 20
_MAX_WINDOW = 1 << 27  # what Codex and the zstd program write by default stays well below
_FREE_BYTES = 1 << 28  # up to here any ratio is believed
_MAX_RATIO = 400  # logs pack 5 to 30 times; an archive that claims more is a bomb


class Plain(NamedTuple):
    """An open file with plain bytes, and what was wrong with its archive, if anything."""

    descriptor: int
    damage: str | None = None


@contextmanager
def opened_plain(path: str) -> Iterator[Plain]:
    """Open a log for reading, unpacked where it is compressed; raises OSError as `opened` does."""
    with reader.opened(path) as descriptor:
        if not path.endswith(COMPRESSED_SUFFIX):
            yield Plain(descriptor)
            return
        import tempfile  # few logs are compressed

        with tempfile.TemporaryFile() as unpacked:
            damage = _unpack(descriptor, unpacked)
            unpacked.flush()
            yield Plain(unpacked.fileno(), damage)


@contextmanager
def opened_logical(path: str) -> Iterator[Plain]:
    """Open a log by its logical path, whether it lies there plain or compressed; raises OSError."""
    with opened_plain(path if os.path.lexists(path) else path + COMPRESSED_SUFFIX) as plain:
        yield plain


def _unpack(source: int, target: BinaryIO) -> str | None:
    """Unpack as much as there is; returns what was wrong."""
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).decompressobj()
    taken = written = 0
    try:
        while chunk := os.read(source, _CHUNK):
            taken += len(chunk)
            for start in range(0, len(chunk), _CHUNK // 16):
                data = unpacker.decompress(chunk[start : start + _CHUNK // 16])
                written += len(data)
                target.write(data)
                if written > max(_FREE_BYTES, taken * _MAX_RATIO):
                    return "unpacks to too much"
    except zstandard.ZstdError:
        return "damaged archive"
    return None if unpacker.eof else "cut archive"
