"""Counted things in words: one session, two sessions."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with the word for what is counted; `many` where it is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def counted_sessions(every: int, subagents: int) -> str:
    """Return how many sessions there are, and how many sub-agents beside them.

    `every` counts both, as a profile does; lists of sessions show those alone that are no
    sub-agents.
    """
    alone = every - subagents
    if not subagents:
        return counted(alone, "session")
    beside = counted(subagents, "sub-agent")
    return f"{counted(alone, 'session')}, {beside}" if alone else beside
