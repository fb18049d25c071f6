"""Counted things in words: one session, two sessions."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with the word for what is counted; `many` where it is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
