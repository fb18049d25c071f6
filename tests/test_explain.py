"""Rules of `agentpprof explain`: it says what the index would say, and why."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran, run
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.encoders.fitting import cells
from agentpprof.explain import (
    Explanation,
    as_plain,
    explain_call,
    explain_command,
    explain_line,
    explain_path,
    explain_prompt,
    explain_url,
)
from agentpprof.semantics.tools import describe_call, known_tools
from agentpprof.tagging.builtin import tag_prompt
from agentpprof.text.explain_text import explanation_lines
from agentpprof.vocabulary import PHASE_OF

COMMANDS = tomllib.loads((Path(__file__).parent / "data" / "commands.toml").read_text())


def values(explanation: Explanation) -> dict[str, str]:
    """The derived fields."""
    return {finding.field: finding.value for finding in explanation.findings}


def rules(explanation: Explanation) -> dict[str, str]:
    """The rule of each field."""
    return {finding.field: finding.rule for finding in explanation.findings}


def told(*arguments: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    """Run the command with --json; it must succeed."""
    ran = run("explain", *arguments, "--json", stdin=stdin)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def refused(*arguments: str, stdin: bytes = b"") -> str:
    """Run the command, which must end with an error of use; return what it says."""
    ran: Ran = run("explain", *arguments, stdin=stdin)
    assert (ran.code, ran.out) == (2, b"")
    return ran.err


# --------------------------------------------------------------------------------- commands


def test_one_segment_of_a_command_tells_most_and_the_others_say_why_not() -> None:
    found = explain_command("cd app && ruff check . && pytest -q | tail -3", "/home/dev/shop")
    assert [(part.program, part.is_telling, part.rule) for part in found.segments] == [
        ("cd", False, "only looks, prints or filters: counts when nothing else is there"),
        ("ruff", False, "test goes before lint"),
        ("pytest", True, "tells most"),
        ("tail", False, "only looks, prints or filters: counts when nothing else is there"),
    ]
    assert rules(found)["action"] == "segment 3 of 4 tells most"
    assert values(found)["phase"] == "test"


def test_equal_segments_and_values_of_variables_say_so() -> None:
    found = explain_command("X=$(go env GOPATH) && grep a $X/b && grep c d")
    assert [(part.program, part.rule) for part in found.segments] == [
        ("go", "search goes before what only prepares or gives a variable its value"),
        ("grep", "tells most"),
        ("grep", "a segment before it tells as much"),
    ]


@pytest.mark.parametrize(
    ("command", "thing", "rule"),
    [
        ("cat a.py", "/w/a.py", "the only path"),
        ("cat a.py b.py", "cat", "the telling program"),
        ("echo x > a.py", "/w/a.py", "the first path that is changed"),
        ("curl https://a.example/x", "a.example", "the first host"),
        ("./tool help", "tool", "the telling program"),
        ("$X", "Bash", "the tool, as no program is named"),
    ],
)
def test_the_object_of_a_command_names_its_rule(command: str, thing: str, rule: str) -> None:
    found = explain_command(command, "/w")
    assert (values(found)["object"], rules(found)["object"]) == (thing, rule)


def test_places_have_an_access_and_a_group() -> None:
    found = explain_command(
        "cp src/a/b/c.py /tmp/x && curl -d @y https://a.example", "/home/dev/shop", "/home/dev"
    )
    assert [(place.name, place.access, place.group) for place in found.places] == [
        ("/home/dev/shop/src/a/b/c.py", "read", "shop/src"),
        ("/tmp/x", "create", "external/tmp"),
        ("/home/dev/shop/y", "read", "shop/y"),
        ("a.example", "write", "a.example"),
    ]


def test_what_limits_an_answer_is_noted() -> None:
    assert explain_command("echo " + "a" * 10_000).notes == (
        "only the first 6,144 of 10,005 characters are parsed",
    )
    assert len(explain_command("a\0b").notes) == 1


def test_every_command_of_the_table_has_one_telling_segment() -> None:
    rows = [row for rows in COMMANDS.values() for row in rows.strip().splitlines()]
    assert len(rows) > 400
    for row in rows:
        found = explain_command(row.rpartition(" => ")[0].replace("\u23ce", "\n"), "/w")
        telling = [part.action for part in found.segments if part.is_telling]
        assert telling == [values(found)["action"]] or not found.segments, row
        assert all(part.rule for part in found.segments), row


# ------------------------------------------------------------------- calls, paths, URLs, prompts


@pytest.mark.parametrize("tool_input", [None, [], [1, None], "x", 7, {}, {"command": None}])
@pytest.mark.parametrize("name", [*known_tools(), "mcp__a__get_b", "Zork", ""])
def test_any_call_is_told_as_the_index_tells_it_each_field_with_a_rule(
    name: str, tool_input: Any
) -> None:
    meaning = describe_call(name, tool_input, "/w")
    found = explain_call(name, tool_input, "/w")
    assert values(found)["object"] == meaning.object
    assert values(found)["action"] == meaning.action
    assert values(found)["phase"] == PHASE_OF[meaning.action]
    assert all(rules(found).values())


def test_a_path_has_one_form_and_a_group_with_a_reason() -> None:
    found = explain_path("../x/./y.py", "/home/dev/shop/src", "/home/dev/shop")
    assert values(found) == {"path": "/home/dev/shop/x/y.py", "group": "x/y.py"}
    outside = explain_path("/home/dev/.claude/x", "/home/dev/shop")
    assert rules(outside)["group"] == "outside the root, below a folder .claude or .codex"


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://U:P@A.example:1/x?q", "a.example"), ("git@b.example:x/y", "b.example"), ("x", "")],
)
def test_a_url_means_its_host(url: str, host: str) -> None:
    assert values(explain_url(url)) == {"domain": host}


def test_a_prompt_has_the_tag_with_the_highest_score() -> None:
    found = explain_prompt("Fix the failing test and commit it")
    assert (
        values(found)["prompt"]
        == found.scores[0][0]
        == tag_prompt("Fix the failing test and commit it")
    )
    assert [score for _, score in found.scores] == sorted(dict(found.scores).values(), reverse=True)


def test_a_prompt_that_nothing_speaks_for_says_so() -> None:
    assert rules(explain_prompt("\0"))["prompt"]


@given(st.text(max_size=60))
def test_any_text_ends_in_an_answer_that_shows_in_one_line_a_cell(text: str) -> None:
    for found in (
        explain_command(text),
        explain_path(text),
        explain_url(text),
        explain_prompt(text),
    ):
        json.dumps(as_plain(found))
        assert all(line.isprintable() for line in explanation_lines(found))


def test_columns_stay_in_line_behind_wide_characters() -> None:
    lines = explanation_lines(explain_command("cat /tmp/日本/a.md /tmp/notes.md"))
    places = [line for line in lines if "external/tmp" in line]
    assert len({cells(line.split("external/tmp")[0]) for line in places}) == 1
    assert len(places) == 2


# ----------------------------------------------------------------------------- command line


def test_lines_on_stdin_are_commands_lists_of_words_or_calls() -> None:
    lines = [
        "ls -la",
        '["bash", "-lc", "make test"]',
        '{"tool": "Read", "input": {"file_path": "a.py"}, "cwd": "/w"}',
        "",
        "{ make; }",
        "[ -f x ]",
        "null",
    ]
    found = told(stdin="\n".join(lines).encode())
    assert [one["fields"]["action"]["value"] for one in found] == [
        "list", "test", "read", "build", "run", "run",
    ]  # fmt: skip
    assert found[2]["fields"]["object"]["value"] == "/w/a.py"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--command", "pytest -q"),
        ("--path", "a.py", "--cwd", "/w"),
        ("--url", "https://a.example"),
        ("--prompt", "yes"),
        ("--tool", "Read", "--input", '{"file_path": "a.py"}'),
        ("--tool", "Read"),
        ("--tool", "Read", "--input", "null"),
        ("--tool", "Bash", "--input", "[1, null]"),
    ],
)
def test_each_way_gives_text_and_json(arguments: tuple[str, ...]) -> None:
    (plain,) = told(*arguments)
    ran = run("explain", *arguments)
    assert (ran.code, ran.err) == (0, "")
    for finding in plain["fields"].values():
        assert finding["rule"] in ran.out.decode()


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ((), b"", "stdin is empty"),
        ((), b'{"a": 1}\n', "line 1: a JSON line needs a text"),
        ((), b'{"tool": 7}\n', "line 1"),
        (("--command", "a", "--url", "b"), b"", "one thing at a time"),
        (("--command", " "), b"", "--command is empty"),
        (("--input", "{}"), b"", "--input belongs to --tool"),
        (("--tool", "Read", "--input", "{"), b"", "--input is no JSON"),
        (("--tool", "Read", "--input", "[" * 100_000), b"", "--input is no JSON"),
    ],
)
def test_what_can_t_be_explained_says_what_to_give(
    arguments: tuple[str, ...], stdin: bytes, message: str
) -> None:
    assert message in refused(*arguments, stdin=stdin)


@pytest.mark.parametrize(
    "line",
    [
        b"a" * 1_000_000,
        b"\xff\xfe \x00\x1b[2J",
        b"(" * 10_000,
        b"[" * 100_000,
        b'{"tool": "Bash", "input": ' + b"[" * 100_000,
    ],
)
def test_hostile_lines_end_in_a_short_answer(line: bytes) -> None:
    ran = run("explain", stdin=line)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out) < 20_000
    assert b"\x1b" not in ran.out
    assert explain_line(line.decode("utf-8", "replace")).findings
