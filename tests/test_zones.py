"""Days are counted in one zone, whatever zone the machine is in later."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.zones import day_name, zone_named, zone_spans

DAY_MS = 86_400_000
# From 1980, so that no zone has offsets with seconds, to 2090.
times = st.integers(315_532_800_000, 3_786_912_000_000)


def day_of(time_ms: int, spans: list[tuple[int, int]]) -> str:
    """The day of a time, by the offsets of a zone."""
    offset = [offset for start, offset in spans if start <= time_ms][-1]
    return day_name((time_ms + offset) // DAY_MS)


@given(st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]), times, times)
def test_a_day_is_that_of_the_zones_clock(zone: str, one: int, other: int) -> None:
    span = (min(one, other), max(one, other))
    spans = list(zone_spans(zone, (span[1] - min(span[1] - span[0], 400 * DAY_MS), span[1])))
    right = datetime.fromtimestamp(span[1] / 1000, UTC).astimezone(ZoneInfo(zone))
    assert day_of(span[1], spans) == right.date().isoformat()


def test_the_hour_in_which_summer_begins_changes_the_offset() -> None:
    change = int(datetime(2026, 3, 29, 1, tzinfo=UTC).timestamp() * 1000)
    spans = list(zone_spans("Europe/Berlin", (change - 30 * DAY_MS, change + 30 * DAY_MS)))
    assert [offset for _, offset in spans] == [3_600_000, 7_200_000]
    assert spans[1][0] == change


@given(st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=2).map(sorted))
def test_spans_are_in_order_and_begin_at_the_beginning_of_time(span: list[int]) -> None:
    start = max(span[1] - 3000 * DAY_MS, span[0])
    spans = list(zone_spans("America/New_York", (start, span[1])))
    assert spans[0][0] == -(2**62)
    assert [start for start, _ in spans] == sorted({start for start, _ in spans})


def test_without_any_time_there_is_one_span() -> None:
    assert list(zone_spans("Asia/Tokyo", None)) == [(-(2**62), 0)]


@pytest.mark.parametrize("name", ["No/Zone", "", "../etc/passwd", "/etc/localtime", "UTC"])
def test_a_zone_that_is_not_known_is_utc(name: str) -> None:
    assert zone_named(name).key == "UTC"


@pytest.mark.parametrize(
    ("day", "name"), [(0, "1970-01-01"), (20_577, "2026-05-04"), (None, ""), (10**9, "")]
)
def test_days_have_names(day: int | None, name: str) -> None:
    assert day_name(day) == name
