"""speedscope's JSON: all views of the same sessions, in the form that its importer asks for."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from command_line import run, stacks, write_history
from encoder_samples import nasty, profile, small

from agentpprof.encoders.speedscope import encode
from agentpprof.models import OutputOptions
from agentpprof.profile.views import VIEWS


def decoded(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data)
    return found


def stacks_of(document: dict[str, Any], number: int) -> Counter[str]:
    names = [frame["name"] for frame in document["shared"]["frames"]]
    only = document["profiles"][number]
    pairs = zip(only["samples"], only["weights"], strict=True)
    return Counter({";".join(names[n] for n in stack): weight for stack, weight in pairs})


def test_small() -> None:
    document = decoded(encode(small(), OutputOptions()))

    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    (only,) = document["profiles"]
    assert (only["type"], only["unit"], only["startValue"], only["endValue"]) == (
        "sampled", "none", 0, small().total,
    )  # fmt: skip
    assert sum(only["weights"]) == small().total


def test_seconds_keep_their_unit() -> None:
    document = decoded(encode(small("seconds", "duration"), OutputOptions()))

    assert document["profiles"][0]["unit"] == "seconds"


def test_nasty_names_and_nothing_at_all() -> None:
    document = decoded(encode(nasty(), OutputOptions()))
    assert sum(document["profiles"][0]["weights"]) == nasty().total
    assert decoded(encode(profile({}), OutputOptions()))["profiles"][0]["weights"] == []


def test_all_views_stand_in_one_file(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    output = tmp_path / "a.speedscope.json"
    ran = run("-o", output, "--all-projects", "--view", "time")

    assert ran.summary["format"] == "speedscope"
    document = decoded(output.read_bytes())
    views = [each["name"].split(" ")[0] for each in document["profiles"]]
    assert views[0] == "time"
    assert sorted(views) == sorted(VIEWS)
    for number, view in enumerate(views):
        assert stacks_of(document, number) == Counter(stacks(view=view)), view


def test_a_named_stack_holds_for_all_views_and_empty_views_are_left_out(
    isolated_machine: Path, tmp_path: Path
) -> None:
    write_history(isolated_machine)
    output = tmp_path / "a.speedscope.json"
    run("-o", output, "--all-projects", "--stack", "task,object", "--where", "tool=Edit", "--view",
        "files")  # fmt: skip

    document = decoded(output.read_bytes())
    assert [each["name"].split(" ")[0] for each in document["profiles"]] == [
        "files", "operations", "time",
    ]  # fmt: skip
    assert all(stack.count(";") == 1 for stack in stacks_of(document, 0))
