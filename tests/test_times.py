"""Times as people write them."""

from datetime import UTC, datetime

import pytest

from agentpprof.errors import UsageError
from agentpprof.profile.times import parse_span, parse_time

NOW = datetime(2026, 5, 17, 1, 30, tzinfo=UTC)
HOUR_MS = 3_600_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-01", "2026-05-01T00:00+00:00"),
        ("2026-05-01T14:00", "2026-05-01T14:00+00:00"),
        ("2026-05-01T14:00:00Z", "2026-05-01T14:00+00:00"),
        ("2026-05-01T14:00+02:00", "2026-05-01T12:00+00:00"),
        ("30m", "2026-05-17T01:00+00:00"),
        ("24h", "2026-05-16T01:30+00:00"),
        ("7d", "2026-05-10T01:30+00:00"),
        ("2w", "2026-05-03T01:30+00:00"),
        ("today", "2026-05-17T00:00+00:00"),
        ("yesterday", "2026-05-16T00:00+00:00"),
    ],
)
def test_a_time_is_a_date_a_moment_or_a_span_back(text: str, expected: str) -> None:
    assert parse_time(text, "UTC", NOW) == ms(expected)


def test_days_begin_in_the_zone() -> None:
    assert parse_time("2026-05-01", "Asia/Tokyo", NOW) == ms("2026-05-01T00:00+09:00")
    # In New York it is still the day before.
    assert parse_time("today", "America/New_York", NOW) == ms("2026-05-16T00:00-04:00")


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_hours_back_are_hours_also_where_clocks_are_set(day: str) -> None:
    now = datetime.fromisoformat(f"{day}T01:30+00:00")
    for text, hours in (("30m", 0.5), ("1h", 1), ("24h", 24)):
        assert parse_time(text, "Europe/Berlin", now) == ms(f"{day}T01:30+00:00") - hours * HOUR_MS


def test_a_day_back_is_the_same_time_of_the_day_before() -> None:
    now = datetime.fromisoformat("2026-03-29T12:00+02:00")
    assert parse_time("1d", "Europe/Berlin", now) == ms("2026-03-28T12:00+01:00")


def test_nothing_is_no_time() -> None:
    assert parse_time(None, "UTC") is None


@pytest.mark.parametrize(
    "text", ["", "7", "d", "7y", "-7d", "soon", "2026-13-01", "2026-02-30", "999999w", "0000-01-01"]
)
def test_anything_else_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(UsageError, match=r"--since.* is no time: write 2026-05-17"):
        parse_time(text, "UTC", NOW, "--since")


def test_a_span_must_hold_something() -> None:
    assert parse_span("2d", "1d", "UTC", NOW) == (
        ms("2026-05-15T01:30+00:00"),
        ms("2026-05-16T01:30+00:00"),
    )
    for since, until in (("2026-05-02", "2026-05-01"), ("1d", "2d"), ("today", "today")):
        with pytest.raises(UsageError, match="is not before --until"):
            parse_span(since, until, "UTC", NOW)
