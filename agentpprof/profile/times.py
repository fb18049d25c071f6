"""Times as people write them on a command line."""

import re
from datetime import UTC, datetime, time, timedelta

from agentpprof.errors import UsageError
from agentpprof.zones import zone_named

_SPAN = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_time(
    text: str | None, zone: str, now: datetime | None = None, option: str = "time"
) -> int | None:
    """Return UTC milliseconds of `2026-05-17`, a full ISO time, `7d`, `24h`, today or yesterday.

    Days begin in `zone`, and times without a zone are in it. Raises UsageError for anything else,
    naming `option`.
    """
    if text is None:
        return None
    here = zone_named(zone)
    now = (now or datetime.now(UTC)).astimezone(here)
    found = _SPAN.fullmatch(text.strip())
    try:
        if found:
            at = _ago(now, int(found.group(1)), found.group(2))
        elif text in ("today", "yesterday"):
            day = now.date() - timedelta(days=text == "yesterday")
            at = datetime.combine(day, time(), here)
        else:
            at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            at = at.replace(tzinfo=here)
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{option}: {text!r} is no time: write 2026-05-17, 2026-05-17T14:00, 7d, 24h, today "
            "or yesterday"
        ) from None


def _ago(now: datetime, count: int, unit: str) -> datetime:
    """Return the time `count` units before `now`, which is in the zone.

    Hours and minutes have one length; a day back is the same time of the day before, whatever
    happened to the clocks since: Python subtracts on the wall clock of an aware time.
    """
    span = timedelta(**{_UNITS[unit]: count})
    return now.astimezone(UTC) - span if unit in "mh" else now - span


def parse_span(
    since: str | None, until: str | None, zone: str, now: datetime | None = None
) -> tuple[int | None, int | None]:
    """Return both ends of a span; raises UsageError for one that holds nothing."""
    now = now or datetime.now(UTC)
    since_ms = parse_time(since, zone, now, "--since")
    until_ms = parse_time(until, zone, now, "--until")
    if since_ms is not None and until_ms is not None and since_ms >= until_ms:
        raise UsageError(
            f"--since {since} is not before --until {until}: nothing can lie between them"
        )
    return since_ms, until_ms
