"""Write an output: whole or not at all, private, never through a link."""

import os
import re
import sys
from pathlib import Path

from agentpprof.errors import OutputError

STDOUT = "-"
_STDOUT_NUMBER = 1
_STREAMS = {"/dev/stdout": _STDOUT_NUMBER, "/dev/stderr": 2}
_OPEN_FILE = re.compile(r"(?:/dev|/proc/(?:self|thread-self))/fd/(\d{1,6})")


def write_output(data: bytes, path: str) -> None:
    """Write `data` to a file, making the folders its path names, or to stdout for `-`.

    A file appears complete under its name or not at all; a link at that place is replaced, not
    followed. Names of open files, as /dev/stdout, are written into. Raises OutputError with what
    to do.
    """
    number = stream_of(path)
    if number == _STDOUT_NUMBER:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        if number is not None:
            with os.fdopen(os.dup(number), "wb") as stream:
                stream.write(data)
            return
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{path} can't be written ({reason}): choose another place with -o"
        ) from None


def stream_of(path: str) -> int | None:
    """Return the number of the open file that `-` or a name of the system's stands for.

    Such a name is a link that all programs share, and stands for a file where a shell redirects:
    replacing it would take stdout away from everybody.
    """
    if path == STDOUT:
        return _STDOUT_NUMBER
    whole = os.path.abspath(path)  # noqa: PTH100 # links stay as they are
    named = _OPEN_FILE.fullmatch(whole)
    return int(named[1]) if named else _STREAMS.get(whole)


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    is_device_link = target.is_symlink() and os.path.realpath(target.parent) == "/dev"
    if target.exists() and (is_device_link or not target.is_file()):
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
