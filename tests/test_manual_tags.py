"""Tags set by hand: found by ids, stronger than every tagger, outliving re-reads."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import database, run, stacks, write_history

from agentpprof.errors import NothingFoundError, StoreError, UsageError
from agentpprof.store.database import default_path, opened_for_reading
from agentpprof.store.forgetting import Wish, forget
from agentpprof.store.manual_tags import find_named, set_tag, unset_tag
from agentpprof.store.queries import read_meta

SHOP = "aaaa1111-0000-4000-8000-000000000001"
DOCS = "bbbb2222-0000-4000-8000-000000000002"


@pytest.fixture
def path(isolated_machine: Path) -> Iterator[Path]:
    """Give an indexed database of some sessions, one with a sub-agent."""
    write_history(isolated_machine)
    log = ClaudeSession("cccc3333", cwd="/home/dev/shop", start="2026-05-07T10:00:00.000Z")
    log.user("Compare three date libraries")
    call = log.tool_use("Agent", {"subagent_type": "scout", "prompt": "look around"})
    log.side("user", agentId="a1", message={"role": "user", "content": "look around"})
    log.tool_result(call, "seen", toolUseResult={"agentId": "a1"})
    log.assistant("Take the second one.")
    log.write(isolated_machine / ".claude")
    agent = ClaudeSession("cccc3333", cwd="/home/dev/shop", agentId="a1", isSidechain=True)
    agent.user("look around")
    agent.call("Read", {"file_path": "/home/dev/shop/dates.md"}, "three")
    place = isolated_machine / ".claude/projects/-home-dev-shop/cccc3333/subagents/agent-a1.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(agent.write(isolated_machine / "elsewhere").read_bytes())
    assert run("index", "-q").code == 0
    yield default_path()


def prompt_id(path: Path, beginning: str) -> str:
    with database(path) as connection:
        row = connection.execute(
            "select prompt_id from prompts where text glob ? || '*'", (beginning,)
        ).fetchone()
    return str(row[0])


def of_views(path: Path) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Return session -> tag, and prompt's text -> (tag, task), as the views say."""
    with database(path) as connection:
        sessions = dict(connection.execute("select session_id, tag from sessions"))
        rows = connection.execute("select text, tag, task from prompts")
        return sessions, {text: (tag, task) for text, tag, task in rows}


def generation(path: Path) -> int:
    with opened_for_reading(path) as connection:
        return int(read_meta(connection, "generation") or 0)


# ------------------------------------------------------------------ finding


def found(path: Path, text: str) -> tuple[str, str]:
    with opened_for_reading(path) as connection:
        named = find_named(connection, text)
    return named.kind, named.id


def test_ids_and_unique_beginnings_are_found(path: Path) -> None:
    fix = prompt_id(path, "Fix")
    assert found(path, SHOP) == found(path, "aaaa1111") == ("session", SHOP)
    assert found(path, fix) == found(path, fix[:-1]) == ("prompt", fix)


def test_a_session_is_not_mistaken_for_its_sub_agents(path: Path) -> None:
    assert found(path, "cccc") == ("session", "cccc3333")
    assert found(path, "cccc3333/") == ("session", "cccc3333/a1")


def test_prompts_that_an_agent_wrote_are_no_targets(path: Path) -> None:
    with database(path) as connection:
        ids = [row[0] for row in connection.execute(
            "select natural_id from operation where op = 0 and origin = 4"
        )]  # fmt: skip
    assert ids
    with pytest.raises(NothingFoundError):
        found(path, ids[0])


def test_an_ambiguous_beginning_lists_the_candidates(path: Path) -> None:
    log = ClaudeSession("aaaa9999", cwd="/home/dev/shop")
    log.user("Another one")
    log.write(Path.home() / ".claude")
    assert run("index", "-q").code == 0
    with pytest.raises(UsageError) as raised:
        found(path, "aaaa")
    assert "2 ids" in str(raised.value)
    assert f"session {SHOP}" in str(raised.value)
    assert "session aaaa9999" in str(raised.value)
    assert "Another one" not in str(raised.value)


@pytest.mark.parametrize("text", ["zzz", "aaaa%", "aaaa_", "AAAA", "\udcff", "x" * 9999])
def test_an_unknown_id_names_some_that_there_are(path: Path, text: str) -> None:
    with pytest.raises(NothingFoundError) as raised:
        found(path, text)
    assert f"session {SHOP}" in str(raised.value)


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_id_is_refused(path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        found(path, text)


# ------------------------------------------------------------------ what it changes


def test_a_prompt_tagged_by_hand_beats_the_tagger_everywhere(path: Path) -> None:
    set_tag(path, prompt_id(path, "Write the README"), "manual")
    _, prompts = of_views(path)
    assert prompts["Write the README of this project"] == ("manual", "manual")
    assert prompts["Fix the failing test of the cart"][0] == "debug"
    found = stacks("--no-sync", "--stack", "task")
    assert found["task:manual"] == 4
    assert found == stacks("--no-sync", "--stack", "task", "--tag-rule", "prompt:ruled=README")
    assert stacks("--no-sync", "--stack", "prompt")["prompt:manual"] == 4
    assert stacks("--no-sync", "--stack", "task", "--prompt-tag", "manual") == {"task:manual": 4}


def test_a_session_tagged_by_hand_beats_the_tagger_everywhere(path: Path) -> None:
    set_tag(path, "cccc", "choice")
    sessions, _ = of_views(path)
    assert sessions["cccc3333"] == "choice"
    assert sessions[SHOP] == "debug"
    found = stacks("--no-sync", "--stack", "session,subagent")
    assert "session:choice;subagent:scout" in found, "a sub-agent goes with its session"
    ruled = ("--tag-rule", "session:ruled=.")
    assert "session:choice" in stacks("--no-sync", "--stack", "session", *ruled)
    assert set(stacks("--no-sync", "--stack", "session", "--session-tag", "choice")) == {
        "session:choice"
    }
    ran = run("-o", "-", "--format", "json", "--all-projects", "--no-sync", "-q")
    told = {each["session_id"]: each["session_tag"] for each in json.loads(ran.out)["sessions"]}
    assert told["cccc3333"] == told["cccc3333/a1"] == "choice"


def test_what_goes_on_behind_a_prompt_goes_with_its_tag(isolated_machine: Path) -> None:
    log = ClaudeSession("dddd", cwd="/home/dev/shop")
    log.user("Fix the failing test of the cart")
    log.user("yes, go on")
    log.write(isolated_machine / ".claude")
    assert run("index", "-q").code == 0
    path = default_path()
    set_tag(path, prompt_id(path, "Fix"), "cart")
    assert of_views(path)[1]["yes, go on"] == ("follow", "cart")
    assert stacks("--no-sync", "--stack", "task") == {"task:cart": 2}
    set_tag(path, prompt_id(path, "yes"), "answer")
    assert of_views(path)[1]["yes, go on"] == ("answer", "answer")
    assert stacks("--no-sync", "--stack", "task") == {"task:answer": 1, "task:cart": 1}


def test_unset_gives_the_taggers_their_say_again(path: Path) -> None:
    before = of_views(path)
    fix = prompt_id(path, "Fix")
    assert set_tag(path, fix, "manual").before is None
    assert set_tag(path, fix, "other").before == "manual"
    change = unset_tag(path, fix)
    assert (change.before, change.after) == ("other", None)
    assert of_views(path) == before
    with pytest.raises(NothingFoundError, match="no tag set by hand"):
        unset_tag(path, fix)


def test_every_change_moves_the_generation(path: Path) -> None:
    numbers = [generation(path)]
    for change in (lambda: set_tag(path, SHOP, "manual"), lambda: unset_tag(path, SHOP)):
        change()
        numbers.append(generation(path))
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
    with pytest.raises(NothingFoundError):
        unset_tag(path, SHOP)
    assert generation(path) == numbers[-1], "what failed changed nothing"


def test_a_cached_output_is_not_used_after_a_change(path: Path) -> None:
    first = stacks("--no-sync", "--stack", "task")
    assert stacks("--no-sync", "--stack", "task") == first
    set_tag(path, prompt_id(path, "Write"), "manual")
    assert stacks("--no-sync", "--stack", "task") != first


# ------------------------------------------------------------------ how long it lasts


def test_tags_by_hand_outlive_reading_everything_anew(path: Path) -> None:
    set_tag(path, prompt_id(path, "Fix"), "manual")
    set_tag(path, DOCS, "writing")
    before = of_views(path)
    with closing(sqlite3.connect(path)) as connection:
        for table in ("operation", "session", "log_file_state", "log_file", "usage_line"):
            connection.execute(f"delete from {table}")
        connection.commit()
    assert run("index", "-q").code == 0
    assert of_views(path) == before
    assert before[0][DOCS] == "writing"


def test_forgetting_takes_tags_by_hand_along(path: Path) -> None:
    set_tag(path, prompt_id(path, "Fix"), "manual")
    set_tag(path, SHOP, "shopping")
    set_tag(path, DOCS, "writing")
    forget(path, Wish(SHOP))
    with database(path) as connection:
        assert connection.execute("select tag from manual_tag").fetchall() == [("writing",)]


def test_without_a_database_there_is_nothing_to_set(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database yet"):
        set_tag(tmp_path / "no.db", "x", "manual")
    assert not list(tmp_path.iterdir())
