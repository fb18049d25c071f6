"""Finished outputs, kept in the user's cache folder so that asking again is instant.

An entry is one file: a line of JSON (the summary), then the output's bytes. Its name is a hash of
everything that the output depends on, the database's generation included, so nothing is ever out
of date. Safe to delete. Outputs with people's texts are never kept.
"""

import json
import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof import __version__
from agentpprof.errors import NoHomeError, OutputError
from agentpprof.output import write_output
from agentpprof.places import user_folder

_MAX_ENTRIES = 64
_MAX_BYTES = 64 * 1024 * 1024  # a larger output is made anew

_LAYOUT = 2  # of the summary: a number more for every change


class CachedOutput(NamedTuple):
    """An output with the summary that is printed beside it."""

    data: bytes
    summary: dict[str, Any]


def cache_folder() -> Path:
    """Return where finished outputs are kept; raises NoHomeError."""
    return user_folder("cache") / "profiles"


def cache_key(database: Path, state: Sequence[object], parts: Iterable[object]) -> str:
    """Return the name of an entry: what was asked for, of which state of which database."""
    text = repr((__version__, _LAYOUT, os.fspath(database.absolute()), state, *parts))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def read_cached(key: str) -> CachedOutput | None:
    """Return an entry; None when there is none, or it can't be read whole."""
    try:
        path = cache_folder() / key
        header, _, data = path.read_bytes().partition(b"\n")
        described = json.loads(header)
        if described["bytes"] != len(data):
            return None
        os.utime(path)
        return CachedOutput(data, described["summary"])
    except (NoHomeError, OSError, ValueError, KeyError, TypeError):
        return None


def write_cached(key: str, output: CachedOutput) -> None:
    """Keep an output; a cache that can't be written is done without."""
    if len(output.data) > _MAX_BYTES:
        return
    header = json.dumps({"bytes": len(output.data), "summary": output.summary})
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _drop_oldest(folder)
        write_output(header.encode() + b"\n" + output.data, str(folder / key))
    except (NoHomeError, OSError, OutputError):
        return


def clear_cache() -> None:
    """Drop all entries: what was forgotten may be named in them."""
    try:
        folder = cache_folder()
    except NoHomeError:
        return  # then nothing was ever kept
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink(missing_ok=True)


def _drop_oldest(folder: Path) -> None:
    entries = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for path in entries[: max(len(entries) - _MAX_ENTRIES + 1, 0)]:
        path.unlink(missing_ok=True)
