"""The cookbook: every question runs, is told about, and is in the docs."""

import json
from pathlib import Path

import pytest
from builders import ClaudeSession, claude_usage
from command_line import run, write_history
from conftest import REPOSITORY

from agentpprof.cookbook import datasette_metadata, parse_recipe, read_recipe, recipe_names
from agentpprof.errors import UsageError

NAMES = recipe_names()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example history, indexed."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    logs = REPOSITORY / "agentpprof" / "data" / "demo"
    roots = ("--claude-root", logs / "claude/.claude", "--codex-root", logs / "codex/.codex")
    assert run("index", *roots, "--db", path).code == 0
    return path


def test_there_are_twenty_questions_and_more() -> None:
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_question_is_answered_with_its_defaults(demo: Path, name: str) -> None:
    ran = run("ask", name, "--db", demo, "--json")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["cut"] is None
    assert answer["rows"] or name in ("damaged-lines", "deleted-soon")


@pytest.mark.parametrize("name", NAMES)
def test_question_names_itself_and_its_parameters(name: str) -> None:
    recipe = read_recipe(name)
    assert "?" in recipe.question
    assert all(parameter.meaning for parameter in recipe.parameters)
    for parameter in recipe.parameters:
        assert f":{parameter.name}" in recipe.sql


@pytest.mark.parametrize("name", [name for name in NAMES if ":project" in read_recipe(name).sql])
def test_question_can_be_asked_of_one_project(demo: Path, name: str) -> None:
    every = json.loads(run("ask", name, "--db", demo, "--json").out)["rows"]
    none = json.loads(run("ask", name, "--db", demo, "--json", "-p", "project=no-such").out)
    assert every
    assert not none["rows"]


def test_no_question_shows_a_text_that_was_not_asked_for(demo: Path) -> None:
    texts = (
        "select text from prompts union all select command from operations where category = 'shell'"
    )
    rows = json.loads(run("sql", texts, "--db", demo, "--json").out)["rows"]
    said = [row["text"][:24] for row in rows if row["text"] and len(row["text"]) >= 24]
    for name in NAMES:
        told = run("ask", name, "--db", demo, "--csv").out.decode()
        assert not [text for text in said if text in told], name

    asked = run("ask", "prompts-by-tokens", "--db", demo, "--csv", "-p", "preview=48")
    assert sum(text in asked.out.decode() for text in said) >= 8


def test_times_of_answers_are_those_of_the_sessions(
    isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    write_history(isolated_machine)

    sessions = run("sessions", "--all-projects").out.decode()
    rows = json.loads(run("ask", "prompts-by-tokens", "--json").out)["rows"]

    assert "2026-05-06 15:30" in sessions
    assert "2026-05-06 15:30:01" in [row["started_at"] for row in rows]


def test_sub_agents_count_under_the_prompt_of_a_person(demo: Path) -> None:
    ran = run("ask", "prompts-by-tokens", "--db", demo, "--json", "-p", "limit=100")
    rows = json.loads(ran.out)["rows"]
    total = json.loads(
        run("sql", "select sum(total_tokens) as n from responses", "--db", demo, "--jsonl").out
    )
    assert sum(row["tokens"] for row in rows) == total["n"]
    assert sum(row["subagent_tokens"] for row in rows) > 0


def test_list_holds_all(demo: Path) -> None:
    ran = run("ask", "--json")
    assert [row["name"] for row in json.loads(ran.out)["rows"]] == NAMES


def test_unknown_question_names_the_nearest() -> None:
    ran = run("ask", "prompt-by-token")
    assert ran.code == 2
    assert "prompts-by-tokens" in ran.err


def test_unknown_parameter_names_those_that_there_are() -> None:
    ran = run("ask", "loops", "-p", "x=1")
    assert ran.code == 2
    assert "project, limit" in ran.err


def test_statement_can_be_shown() -> None:
    assert run("ask", "loops", "--show-sql").out.decode() == read_recipe("loops").sql


def test_recipe_is_taken_apart() -> None:
    recipe = parse_recipe(
        "x", "-- How\n-- many?\n-- :n = 3  so many\n-- :p = null  any\nselect :n\n"
    )
    assert recipe.question == "How many?"
    assert [tuple(parameter) for parameter in recipe.parameters] == [
        ("n", 3, "so many"),
        ("p", None, "any"),
    ]
    assert recipe.filled({"n": 5}) == {"n": 5, "p": None}
    with pytest.raises(UsageError):
        recipe.filled({"q": 1})


def test_history_in_the_home_is_asked(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    assert run("ask", "failing-commands", "-q", "--csv").out.startswith(b"cmd,")


def test_roots_alone_are_asked_in_a_temporary_database(tmp_path: Path) -> None:
    write_history(tmp_path)
    ran = run("ask", "tasks", "--claude-root", tmp_path / ".claude", "-q", "--json")
    assert json.loads(ran.out)["rows"]


def test_datasette_has_the_same_questions(bless: bool) -> None:
    path = REPOSITORY / "docs" / "datasette-metadata.json"
    text = json.dumps(datasette_metadata(), indent=2, ensure_ascii=False) + "\n"
    if bless:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_every_question_is_in_the_docs() -> None:
    page = (REPOSITORY / "docs" / "sql-cookbook.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"\n## {name}\n" in page


def test_a_sub_agent_that_no_call_started_counts_under_the_prompt_before_it(
    isolated_machine: Path,
) -> None:
    log = ClaudeSession()
    log.user("Do much", promptId="p1")
    log.assistant("Much is done", usage=claude_usage(10, 10, cache_read=0, cache_write_5m=0))
    agent = ClaudeSession(agent_id="acompact-1", start="2026-05-04T09:00:05.000Z")
    agent.user("Summarise")
    agent.assistant("In short", usage=claude_usage(100, 7, cache_read=0, cache_write_5m=0))
    for each in (log, agent):
        each.write(isolated_machine / ".claude")
    (row,) = json.loads(run("ask", "prompts-by-tokens", "--json").out)["rows"]
    assert (row["tokens"], row["subagent_tokens"]) == (127, 107)
