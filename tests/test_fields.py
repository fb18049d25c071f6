"""Fields of an operation: their values, and those of the Rust tool."""

from pathlib import Path

import pytest
from cell_builders import numbered_cells

from agentpprof.models import Bag
from agentpprof.profile.fields import (
    FIELDS,
    LABELS,
    MATCHED_FIELDS,
    SINGLE,
    TEXT_FIELDS,
    Cell,
    Parts,
    PromptGroup,
    SessionGroup,
    values_of,
)
from agentpprof.vocabulary import LLM, PROMPT, RESULT_CODE, TOOL

PROMPTS = PromptGroup("debug", "follow", "answered", "typed", "go on please", "00ff")
SESSION = SessionGroup("shop", "claude", "docs", "", "id-1")


def cell(op: int, result: str = "ok", **fields: str) -> Cell:
    kind = {PROMPT: "prompt", LLM: "model", TOOL: "path"}[op]
    tool = ("Bash", "shell", "make", "test", "bash make") if op == TOOL else ("", "", "", "", "")
    action = {PROMPT: "request", LLM: "", TOOL: "test"}[op]
    phase = {PROMPT: "prompt", LLM: "model", TOOL: "test"}[op]
    bag = Bag(op, op, phase, action, kind, "", "again", *tool, "opus" if op == LLM else "", "")
    plain = Cell(bag, RESULT_CODE[result], PROMPTS, SESSION, "/p/shop/a.py", "src/a", "", "")
    return plain._replace(**fields)


CALL = cell(TOOL, command="cd x && make ci")
FAILED = cell(TOOL, "error")
ANSWER = cell(LLM, "final", answer="It is " * 60, answer_tag="answer")
THOUGHT = cell(LLM, "tool-use", answer_tag="plan")
REQUEST = cell(PROMPT)


@pytest.mark.parametrize(
    ("name", "where", "expected"),
    [
        ("op", CALL, "tool"),
        ("source_kind", ANSWER, "llm"),
        ("status", CALL, "ok"),
        ("status", FAILED, "fail"),
        ("status", cell(TOOL, "unknown"), "observed"),
        ("status", REQUEST, "observed"),
        ("category", CALL, "shell"),
        ("cmd", CALL, "make"),
        ("effect", CALL, "test"),
        ("tool", CALL, "Bash"),
        ("path", CALL, "src/a"),
        ("domain", CALL, None),
        ("object", CALL, "src/a"),
        ("object", REQUEST, None),
        ("file", CALL, "/p/shop/a.py"),
        ("command", CALL, "cd x && make ci"),
        ("command", ANSWER, None),
        ("llm", ANSWER, "answer"),
        ("llm", THOUGHT, "plan"),
        ("llm", CALL, None),
        ("call", THOUGHT, "llm/plan"),
        ("call", CALL, None),
        ("response_phase", ANSWER, "final_answer"),
        ("response_phase", THOUGHT, "assistant_message"),
        ("response_phase", CALL, None),
        ("llm_preview", ANSWER, ("It is " * 30)),
        ("prompt", CALL, "follow"),
        ("task", CALL, "debug"),
        ("prompt_hash", CALL, "00ff"),
        ("prompt_text", CALL, "go on please"),
        ("prompt_preview", CALL, "go on please"),
        ("session", CALL, "docs"),
        ("session_id", CALL, "id-1"),
        ("source_session", CALL, "id-1"),
        ("action", ANSWER, "answer"),
        ("action", THOUGHT, "think"),
        ("result", REQUEST, None),
        ("result", FAILED, "error"),
        ("repeat", CALL, "again"),
        ("skill", CALL, None),
        ("subagent", CALL, None),
    ],
)
def test_values(name: str, where: Cell, expected: str | None) -> None:
    assert values_of(name, where, "operations") == (() if expected is None else (expected,))


def test_a_list_gives_a_value_each() -> None:
    assert values_of("process", CALL, "operations") == ("bash", "make")


@pytest.mark.parametrize(
    ("name", "view"), [("token", "tokens"), ("part", "time"), ("access", "files")]
)
def test_detail_says_nothing_in_other_views(name: str, view: str) -> None:
    where = CALL._replace(detail="x")
    assert values_of(name, where, view) == ("x",)
    assert values_of(name, where, "operations") == ()


def test_every_field_of_the_rust_tool_has_a_value_or_a_reason() -> None:
    theirs = [
        "project",
        "agent",
        "session",
        "source_session",
        "task",
        "skill",
        "prompt",
        "prompt_hash",
        "prompt_preview",
        "op",
        "phase",
        "action",
        "object",
        "result",
        "repeat",
        "outcome",
        "status",
        "timestamp_ms",
        "source_kind",
        "evidence_id",
        "tool",
        "category",
        "command",
        "effect",
        "call_id",
        "cmd",
        "process",
        "path",
        "domain",
        "call",
        "llm",
        "llm_preview",
        "model",
        "response_phase",
        "response_hash",
        "token",
    ]
    assert [name for name in theirs if name not in FIELDS and name not in SINGLE] == []


def test_every_field_stands_in_the_page_for_people_of_the_rust_tool() -> None:
    page = Path(__file__).parent.parent / "docs" / "coming-from-the-rust-tool.md"
    words = page.read_text(encoding="utf-8")
    assert [name for name in (*FIELDS, *SINGLE) if f"`{name}`" not in words] == []


def test_rules_see_fields_in_alphabetical_order_and_no_texts_ids_or_hashes() -> None:
    assert list(MATCHED_FIELDS) == sorted(MATCHED_FIELDS)
    hidden = {*TEXT_FIELDS, "session_id", "source_session", "prompt_hash", "day"}
    assert hidden.isdisjoint(MATCHED_FIELDS)
    assert set(MATCHED_FIELDS) <= set(FIELDS)
    assert set(LABELS) <= set(FIELDS)


def test_a_text_names_what_to_show_instead() -> None:
    for name in TEXT_FIELDS:
        assert FIELDS[FIELDS[name].instead].may_be_frame


def test_a_value_depends_on_what_it_is_remembered_by() -> None:
    others = (cell(TOOL, group="src/b", detail="write"), cell(LLM, "final", answer_tag="plan"))
    cells = numbered_cells((each, 1) for each in (CALL, FAILED, ANSWER, THOUGHT, REQUEST, *others))
    for name, field in FIELDS.items():
        known: dict[object, object] = {}
        for numbers in cells.weights:
            parts = Parts(*numbers)
            key = tuple(getattr(parts, part) for part in field.depends_on)
            value = field.read(cells.cell(numbers))
            assert known.setdefault(key, value) == value, name
