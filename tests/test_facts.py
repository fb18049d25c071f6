"""What the facts of all agents share: times, and the hashes that stored states hold."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec import Raw

from agentpprof.agents import codex_calls
from agentpprof.agents.facts import signature_of
from agentpprof.agents.times import to_ms

PWD = b'{"command":"pwd"}'


def test_signatures_stay_those_of_stored_states() -> None:
    assert signature_of(PWD) == signature_of(Raw(PWD)) == 15_495_046_648_675_745_060
    assert codex_calls.signed_signature_of(PWD) == -2_951_697_425_033_806_556


@pytest.mark.parametrize(
    ("time", "milliseconds"),
    [
        (None, None),
        (datetime(1970, 1, 1, 0, 0, 1), 1000),  # as some logs have it
        (datetime(1970, 1, 1, 0, 0, 0, 1600, tzinfo=UTC), 2),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0),
    ],
)
def test_a_time_is_whole_milliseconds_of_utc(
    time: datetime | None, milliseconds: int | None
) -> None:
    assert to_ms(time) == milliseconds
