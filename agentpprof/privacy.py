"""What may leave the machine: `PublicText` is the only text an encoder accepts.

Default outputs are fit for a colleague (docs/security.md): generated words, names of tools,
programs, models and projects, and path groups. Prompt, command and response texts never pass
through here.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import takewhile

MAX_LENGTH = 60
OTHER = "other"
_CUT = "..."
_UNSAFE = re.compile(r"[^\w.:/+\-]+")
_AT = re.compile("[@\uff20\ufe6b]")  # with its wide and small forms
_MOST_MARKS = 3  # on one letter; more only draw over the lines around
_INVISIBLE_MARK = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


class PublicText(str):
    """A text that is safe to show; made by `PublicText(text)` or, for a frame, by `frame`.

    At most 60 characters of letters (with their accents and vowel signs) and digits of any script
    and `._:/+-`; every other run of characters is one `_`, at the ends nothing. A text with an
    `@`, or that is longer or empty, is `other`.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> "PublicText":
        """Clean `text`; a `PublicText` passes unchanged."""
        if type(text) is cls:
            return text
        return super().__new__(cls, _clean(text))


def _clean(text: str) -> str:
    """Return the safe form of `text`."""
    if _AT.search(text):
        return OTHER
    if not text.isascii():
        # One form per name: macOS spells é as a letter and an accent.
        text = unicodedata.normalize("NFC", text)
    clean = _UNSAFE.sub(_replacement, text)
    return clean if 0 < len(clean) <= MAX_LENGTH else OTHER


def shortened(text: str) -> PublicText:
    """Return a text that people chose, such as a filter, by its beginning where it is too long.

    Nothing else may be shortened: the beginning of a prompt would be a prompt.
    """
    clean = _UNSAFE.sub(_replacement, unicodedata.normalize("NFC", text))
    whole = PublicText(text)
    if whole != OTHER or len(clean) <= MAX_LENGTH or _AT.search(text):
        return whole
    return PublicText(clean[: MAX_LENGTH - len(_CUT)] + _CUT)


def _replacement(run: re.Match[str]) -> str:
    """Return what stands for a run of characters that are neither letter, digit nor allowed.

    Marks right behind a letter belong to it; many scripts can't be read without them.
    """
    if not run.start():
        return ""
    marks = "".join(takewhile(_is_mark, run[0]))
    inside = len(marks) < len(run[0]) and run.end() < len(run.string)
    return marks[:_MOST_MARKS] + "_" * inside


def _is_mark(character: str) -> bool:
    """Tell whether a character is a visible mark on the letter before it."""
    return unicodedata.category(character) in ("Mn", "Mc") and not _INVISIBLE_MARK.match(character)


# `typed`, since a frame may be the value of a frame and then passes at any length.
@lru_cache(maxsize=65536, typed=True)
def frame(kind: str, value: str) -> PublicText:
    """Return the frame `kind:value`; the limit of length holds for the value alone."""
    return str.__new__(PublicText, f"{PublicText(kind)}:{PublicText(value)}")
