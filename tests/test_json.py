"""JSON: its keys are a contract."""

import json
from collections.abc import Callable

from encoder_samples import profile, small

from agentpprof.encoders.json_ import encode
from agentpprof.models import OutputOptions

Golden = Callable[[str, str | bytes], None]


def test_small(golden: Golden) -> None:
    golden("small.json", encode(small(), OutputOptions()).decode())


def test_no_samples(golden: Golden) -> None:
    golden("empty.json", encode(profile({}), OutputOptions()).decode())


def test_stacks_stand_largest_first_then_by_name() -> None:
    rows = {"task:b": 2, "task:a": 2, "task:c": 9, "task:none": 0}

    document = json.loads(encode(profile(rows), OutputOptions()))

    stacks = document["profile"]["stacks"]
    assert [each["stack"] for each in stacks] == [["task:c"], ["task:a"], ["task:b"]]
    summary = document["profile"]["summary"]
    assert summary["total_weight"] == 13
    assert summary["unique_stacks"] == 3
    assert summary["max_stack_reuse"] == 9
    assert summary["top"][0] == {"stack": ["task:c"], "weight": 9}


def test_a_summary_lists_twenty_stacks() -> None:
    rows = {f"task:{number}": number for number in range(1, 50)}

    document = json.loads(encode(profile(rows), OutputOptions()))

    assert len(document["profile"]["summary"]["top"]) == 20
    assert len(document["profile"]["stacks"]) == 49


def test_text_that_is_not_unicode_stays_json() -> None:
    sessions = ({"session_id": "a\udc80\u2028b"},)

    data = encode(profile({"task:a": 1}, sessions=sessions), OutputOptions())

    assert json.loads(data)["sessions"][0]["session_id"] == "a\udc80\u2028b"
