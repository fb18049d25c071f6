"""Write an output: whole or not at all, private, never through a link."""

import os
import sys
from pathlib import Path

from agentpprof.errors import OutputError

STDOUT = "-"


def write_output(data: bytes, path: str) -> None:
    """Write `data` to a file, making the folders its path names, or to stdout for `-`.

    A file appears complete under its name or not at all; a link at that place is replaced, not
    followed. Raises OutputError with what to do.
    """
    if path == STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{path} can't be written ({reason}): choose another place with -o"
        ) from None


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:  # a device or a pipe that somebody named on purpose
            stream.write(data)
        return
    temporary = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
