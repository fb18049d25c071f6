"""`--anonymize`: an output that is fit to publish, with names numbered."""

import json
from pathlib import Path

import pytest
from builders import ClaudeSession
from canary import Marks
from cell_builders import named_cells, numbered_cells
from command_line import run, stacks, write_history

from agentpprof.models import Bag
from agentpprof.profile.anonymize import anonymized, first_level
from agentpprof.profile.fields import FIELDS, Cell, PromptGroup, SessionGroup, values_of
from agentpprof.profile.views import VIEWS
from agentpprof.vocabulary import LLM, OBJECT_KINDS, RESULT_CODE, TOOL

EVERY_FIELD = ",".join(name for name, field in FIELDS.items() if field.may_be_frame)


def published(cells: list[tuple[Cell, int]]) -> list[tuple[Cell, int]]:
    return named_cells(anonymized(numbered_cells(cells)))


def marked_cell(marks: Marks, object_kind: str, op: int = TOOL) -> Cell:
    words = [marks.new(f"bag {name}") for name in ("skill", "tool", "cmd", "model", "tier")]
    skill, tool, cmd, model, tier = words
    bag = Bag(
        1, op, "run", "run", object_kind, skill, "", tool, "shell", cmd, "process",
        f"{cmd} {marks.new('process')}", model, tier,
    )  # fmt: skip
    prompt = PromptGroup(
        marks.new("task"), marks.new("tag"), "answered", "typed", marks.new("text"), marks.new("h")
    )
    session = SessionGroup(
        marks.new("project"),
        "claude",
        marks.new("session tag"),
        marks.new("subagent"),
        marks.new("session id"),
        marks.new("root"),
    )
    return Cell(
        bag,
        RESULT_CODE["ok"],
        prompt,
        session,
        marks.new("object"),
        f"{marks.new('group')}/{marks.new('group')}",
        "",
        "2026-05-06",
        marks.new("command"),
        marks.new("answer"),
        marks.new("answer tag"),
    )


@pytest.mark.parametrize("op", [LLM, TOOL])
@pytest.mark.parametrize("kind", [*OBJECT_KINDS, "of-tomorrow"])
def test_no_field_holds_what_a_person_named(kind: str, op: int) -> None:
    marks = Marks()
    (cell, value), = published([(marked_cell(marks, kind, op), 7)])  # fmt: skip
    assert value == 7
    told = [text for name in FIELDS for text in values_of(name, cell, "operations")]
    assert marks.found_in("\n".join(told).encode()) == {}
    assert "2026-05-06" not in told


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["a.pb.gz", "a.folded", "a.svg", "a.json"])
def test_no_format_holds_what_a_person_named(
    isolated_machine: Path, tmp_path: Path, view: str, name: str
) -> None:
    marks = Marks()
    write_marked(isolated_machine / ".claude", marks)
    output = tmp_path / name
    chosen = ("--view", view, "--all-projects", "--stack", EVERY_FIELD, "-o", output)
    assert run(*chosen, "--label", "prompt_hash", "--where", "project=.", "--anonymize").code == 0
    assert marks.found_in(output.read_bytes()) == {}
    if name != "a.svg":  # its script holds numbers of all kinds
        assert b"2026" not in output.read_bytes()
    assert run(*chosen).code == 0
    assert marks.found_in(output.read_bytes())


def write_marked(claude: Path, marks: Marks) -> None:
    """Write a session with a mark in all names that people choose."""
    log = ClaudeSession(marks.new("sessionId"), cwd=f"/home/dev/{marks.new('project folder')}")
    log.model = f"claude-{marks.new('model')}"
    log.user(marks.text("prompt"))
    log.call(marks.new("tool name"), {"a": marks.text("input")})
    log.call(f"mcp__{marks.new('mcp')}__find", {})
    log.call("Skill", {"skill": marks.new("skill")})
    log.call("Task", {"subagent_type": marks.new("agent type"), "prompt": marks.text("prompt")})
    log.call("Read", {"file_path": f"{log.fields['cwd']}/{marks.new('path group')}/x.py"})
    log.call("Bash", {"command": f"{marks.new('program')} {marks.new('argument')}"})
    log.call("WebFetch", {"url": f"https://{marks.new('host')}.example.org/x", "prompt": "p"})
    log.assistant(marks.text("answer"))
    log.write(claude)


def test_what_everybody_knows_stays(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    found = stacks("--anonymize", "--stack", "project,tool,cmd,path")
    assert "project:project-2;tool:Read;path:src" in found
    assert any(stack.endswith("tool:Bash;cmd:pytest") for stack in found)
    assert sum(found.values()) == sum(stacks("--stack", "project").values())


def test_a_filter_sees_the_names_as_they_are(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    assert set(stacks("--anonymize", "--stack", "project", "--where", "project=docs")) == {
        "project:project-1"
    }


def test_json_names_no_session_and_no_time(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    ran = run("--all-projects", "-o", "-", "--format", "json", "--anonymize")
    document = json.loads(ran.out)
    assert document["sessions"] == []
    assert document["profile"]["started_at_ms"] is None
    assert document["profile"]["project"] == "anonymous"


def test_a_plain_run_after_an_anonymous_one_shows_names(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    assert "project:project-1" in stacks("--anonymize", "--stack", "project")
    assert "project:docs" in stacks("--stack", "project")
    assert "project:project-1" in stacks("--anonymize", "--stack", "project")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--op-map", "action:secret=make"), "labels of --op-map and --stack-rule"),
        (("--stack-rule", "action:secret=make"), "labels of --op-map and --stack-rule"),
        (("--include-previews", "-o", "a.json"), "texts are not fit to publish"),
        (("--all-measures", "-o", "a.pb.gz"), "one view a file"),
        (("-o", "a.speedscope.json"), "one view a file"),
    ],
)
def test_what_would_bring_own_words_is_refused(arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments, "--anonymize")
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize("number", ["2026.05.17", "-20260517", "-4915112345678", "-12.34.56.78"])
@pytest.mark.parametrize(("kind", "word"), [("cmd", "git"), ("model", "gpt-4"), ("model", "o3")])
def test_a_number_behind_a_known_name_is_no_version(kind: str, word: str, number: str) -> None:
    cell = marked_cell(Marks(), "path")
    named = cell._replace(bag=cell.bag._replace(**{kind: f"{word}-{number.lstrip('-')}"}))
    (found, _), = published([(named, 1)])  # fmt: skip
    told = getattr(found.bag, kind)
    assert told in {"program-1", "model-1"} or (kind == "model" and number == "-20260517")


@pytest.mark.parametrize("word", ["python3.11", "gcc-12", "git", "base64", "sha256sum"])
def test_a_known_program_keeps_its_short_version(word: str) -> None:
    cell = marked_cell(Marks(), "path")
    (found, _), = published([(cell._replace(bag=cell.bag._replace(cmd=word)), 1)])  # fmt: skip
    assert found.bag.cmd == word


@pytest.mark.parametrize(
    "model", ["claude-opus-4-6", "claude-sonnet-4-5-20250929", "gpt-5.2-codex", "gpt-4o-2024-08-06"]
)
def test_the_vendors_models_keep_their_names(model: str) -> None:
    cell = marked_cell(Marks(), "model", LLM)
    (found, _), = published([(cell._replace(bag=cell.bag._replace(model=model)), 1)])  # fmt: skip
    assert found.bag.model == model


def test_the_summary_names_no_tag(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    own = ("--all-projects", "--tag-rule", "prompt:secret=.")
    ran = run("-o", tmp_path / "a.json", *own, "--anonymize")
    assert ran.code == 0
    assert b"secret" not in ran.out
    assert b"secret" not in (tmp_path / "a.json").read_bytes()


def test_of_a_path_the_first_level_stays() -> None:
    assert first_level("src/api") == "src"
    assert first_level("external/tmp") == "external/tmp"
