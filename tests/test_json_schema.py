"""JSON outputs are what docs/json-schema.json says, in every view, with and without texts."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run, write_history
from encoder_samples import nasty, profile
from jsonschema import Draft202012Validator

from agentpprof.encoders.json_ import SCHEMA_VERSION, encode
from agentpprof.models import OutputOptions
from agentpprof.profile.views import VIEWS
from agentpprof.vocabulary import ORIGINS

PLACE = Path(__file__).parents[1] / "docs" / "json-schema.json"
SCHEMA: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))


def check(document: Any) -> None:
    problems = [error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)]
    assert problems == []


def test_the_schema_is_one_and_of_this_version() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == SCHEMA_VERSION
    assert str(SCHEMA_VERSION) in SCHEMA["title"]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("more", [(), ("--include-previews",)])
def test_every_view(
    isolated_machine: Path, tmp_path: Path, view: str, more: tuple[str, ...]
) -> None:
    write_history(isolated_machine)
    output = tmp_path / "a.json"
    assert run("-o", output, "--view", view, "--all-projects", *more).code == 0

    check(json.loads(output.read_bytes()))


def test_nasty_names_and_nothing_at_all() -> None:
    check(json.loads(encode(nasty(), OutputOptions())))
    check(json.loads(encode(profile({}), OutputOptions())))


def test_the_lists_are_those_of_the_code() -> None:
    found = SCHEMA["properties"]["profile"]["properties"]
    assert found["view"]["enum"] == list(VIEWS)
    assert found["sample_type"]["enum"] == [view.sample_type for view in VIEWS.values()]
    assert set(found["unit"]["enum"]) == {view.unit for view in VIEWS.values()}
    assert SCHEMA["$defs"]["operation"]["properties"]["origin"]["enum"] == [*ORIGINS, None]


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_a_missing_key_is_found(key: str) -> None:
    document = json.loads(encode(profile({"task:a": 1}), OutputOptions()))
    del document[key]

    assert not Draft202012Validator(SCHEMA).is_valid(document)
