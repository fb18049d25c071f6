"""Times of logs as people read them; logs may name any time, calendars end in the year 9999."""

from datetime import UTC, datetime, tzinfo


def moment(time_ms: int | None, zone: tzinfo = UTC) -> datetime | None:
    """Return UTC milliseconds as a time in a zone.

    None for an unknown time and for one that lies beyond the calendar there.
    """
    if time_ms is None:
        return None
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None
