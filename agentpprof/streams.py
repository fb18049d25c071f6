"""Standard streams: always open, and what their encoding lacks is told in ASCII.

Importing this module registers the error handler `READABLE` for encodings.
"""

import codecs
import io
import os
import sys
from typing import Final, Literal, TextIO

READABLE: Final = "agentpprof_readable"
# Signs of ours, and those that people's texts hold most; other characters become escapes.
_SIGNS: Final = {
    "…": "...",
    "·": "-",
    "—": "-",
    "–": "-",
    "−": "-",
    "→": "->",
    "×": "x",
    "›": ">",
    "µ": "u",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
}


def _told_in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Handle what an encoding lacks: a sign by its ASCII look, anything else by its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    told = (_SIGNS.get(sign) or _escape(sign) for sign in lacking)
    return "".join(told), error.end


def _escape(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")


codecs.register_error(READABLE, _told_in_ascii)


def ready_streams() -> None:
    """Open what was closed when the program started, and let no text fail on its way out.

    A closed stream is a reader that is gone. Left closed, its number would be given to the next
    file that is opened, and what is told would be written into that.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = _nowhere("r")
    if sys.stdout is None:
        sys.stdout = _nowhere("w")
    if sys.stderr is None:
        sys.stderr = _nowhere("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=READABLE)


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")


def encoding_of(stream: TextIO) -> str:
    """Return the encoding of a stream; UTF-8 where it has none or one that nobody knows."""
    name = getattr(stream, "encoding", None) or "utf-8"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def readable(text: str, encoding: str) -> str:
    """Return the text as a stream of that encoding can show it."""
    return text.encode(encoding, READABLE).decode(encoding)
