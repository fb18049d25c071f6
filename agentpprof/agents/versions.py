"""Versions of the agents' programs, as their logs write them."""

import re
from functools import lru_cache

# Parts are bounded: a log may hold any text, and Python refuses to read a number of 5,000 digits.
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)


@lru_cache(maxsize=512)
def version_of(text: str) -> tuple[int, ...]:
    """Return a program's version as three numbers, zeros for what is none."""
    found = _VERSION.match(text)
    return tuple(map(int, found.groups())) if found else (0, 0, 0)
