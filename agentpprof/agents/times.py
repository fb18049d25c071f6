"""Times as logs write them, in the unit of the store."""

from datetime import UTC, datetime


def to_ms(time: datetime | None) -> int | None:
    """Return UTC milliseconds; a time without a zone is UTC, none where it can't be told."""
    if time is None:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    try:
        return int(time.timestamp() * 1000 + 0.5)
    except (OverflowError, ValueError):  # the years 1 and 9999 may leave the range in UTC
        return None
