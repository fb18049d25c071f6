"""Days are counted in one zone, stored when the database was made."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from agentpprof.moments import moment

_DAY_MS = 86_400_000


def zone_named(name: str) -> ZoneInfo:
    """Return a zone; UTC where this machine does not know the name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def is_zone(name: str) -> bool:
    """Say whether this machine knows a zone of that name."""
    return name == "UTC" or zone_named(name).key == name


def zone_spans(name: str, span: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
    """Yield (from, offset) in milliseconds for each stretch of a span with one offset.

    The first begins at the beginning of time, so every time falls into one.
    """
    zone = zone_named(name)
    if span is None:
        yield -(2**62), 0
        return
    at = _clamped(span[0])
    end = _clamped(span[1])
    offset = _offset_ms(zone, at)
    yield -(2**62), offset
    while at <= end:
        at += timedelta(hours=1) if _changes_within_a_week(zone, at) else timedelta(days=7)
        here = _offset_ms(zone, at)
        if here != offset:
            offset = here
            start = at.replace(minute=0, second=0, microsecond=0)
            yield int(start.timestamp() * 1000), offset


def time_text(time_ms: int | None, zone: str, form: str) -> str:
    """Return a time in a zone, written by a strftime form; empty for one that can't be told."""
    at = moment(time_ms, zone_named(zone))
    return at.strftime(form) if at else ""


def day_name(day: int | None) -> str:
    """Return `2026-05-17` from a number of days since 1970; empty for an unknown time."""
    return "" if day is None else _day_name(day)


@lru_cache(maxsize=4096)
def _day_name(day: int) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
    except OverflowError:
        return ""


def _clamped(time_ms: int) -> datetime:
    """Return a time between 1970 and 2100; clocks may be anything."""
    day = min(max(time_ms // _DAY_MS, 0), 47_482)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)


def _offset_ms(zone: ZoneInfo, at: datetime) -> int:
    offset = at.astimezone(zone).utcoffset() or timedelta()
    return int(offset.total_seconds() * 1000)


def _changes_within_a_week(zone: ZoneInfo, at: datetime) -> bool:
    return _offset_ms(zone, at) != _offset_ms(zone, at + timedelta(days=7))
