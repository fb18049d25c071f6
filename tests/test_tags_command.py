"""`agentpprof tags`: the report, the list, tags by hand; odd prompts from a log to a tag."""

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from builders import ClaudeSession, text
from command_line import PROGRAM, database, run, stacks

from agentpprof.store.database import default_path
from agentpprof.vocabulary import TAGS, UNTAGGED

SHOP = "aaaa1111-0000-4000-8000-000000000001"
REPOSITORY = Path(__file__).parents[1]
SECRET = "zanzibar"
PROMPTS = {"debug": 1, "docs": 1, "explain": 1, "review": 1}


def told(*arguments: str | Path) -> dict[str, Any]:
    """Return the JSON of one command that must succeed, over all projects."""
    ran = run("tags", *arguments, "--json", "--all-projects")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    return ran.summary


def rows(*arguments: str | Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told("list", *arguments)["rows"]
    return found


# ------------------------------------------------------------------ the report


def test_the_report_counts_every_kind(indexed_history: Path) -> None:
    document = told()
    assert set(document) == {
        "status", "coverage_pct", "kinds", "sessions_without_prompts", "warnings",
    }  # fmt: skip
    kinds = document["kinds"]
    assert kinds["prompt"]["tags"] == PROMPTS
    assert kinds["session"]["tags"] == {"debug": 1, "docs": 1, "explain": 1}
    assert kinds["llm"]["total"] == sum(kinds["llm"]["tags"].values()) > 4
    assert document["coverage_pct"] == 100
    assert "the prompts have only 4 tags (fewer than 5): too coarse" in document["warnings"]


def test_the_report_agrees_with_the_profile(indexed_history: Path) -> None:
    by_next_step = stacks("--no-sync", "--stack", "llm", "--where", "op=^llm$")
    assert told("--no-sync")["kinds"]["llm"]["tags"] == {
        stack.removeprefix("llm:"): value for stack, value in by_next_step.items()
    }
    assert {"llm:answer", "llm:edit", "llm:explore"} <= set(by_next_step)


def test_people_read_lines(indexed_history: Path) -> None:
    ran = run("tags", "--all-projects")
    assert ran.code == 0
    lines = ran.out.decode().splitlines()
    assert lines[0] == "sessions: 3 of 3 have a tag (100.0 %)"
    assert any(line.startswith("warning: ") for line in lines)


def test_rules_can_be_tried(indexed_history: Path) -> None:
    rules = ("--tag-rule", "all:cart=(?i)cart", "--tag-rule", "llm:done=(?i)written")
    kinds = told(*rules)["kinds"]
    assert kinds["prompt"]["tags"]["cart"] == 1
    assert kinds["session"]["tags"]["cart"] == 1
    assert kinds["llm"]["tags"]["done"] == 1
    alone = told(*rules, "--no-builtin-tags")
    assert alone["kinds"]["prompt"]["unmatched"] == 3
    assert "3 of 4 prompts have no tag (75.0 %, the target is below 5 %)" in alone["warnings"]
    assert told()["kinds"]["prompt"]["tags"] == PROMPTS


def test_configured_rules_count(indexed_history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTPPROF_TAG_RULES", "prompt:cart=cart")
    assert told()["kinds"]["prompt"]["tags"]["cart"] == 1


def test_unwise_rules_are_warned_about_on_stderr(indexed_history: Path) -> None:
    ran = run("tags", "--all-projects", "--tag-rule", "prompt:misc=.*")
    assert ran.code == 0
    assert "says little" in ran.err
    assert "matches every text" in ran.err


def test_texts_are_shown_only_if_asked_for(indexed_history: Path) -> None:
    rules = ("--no-builtin-tags", "--tag-rule", "prompt:cart=cart")
    assert "README" not in json.dumps(told(*rules))
    assert "README" not in json.dumps(told("list", *rules))
    document = told(*rules, "--include-previews")
    previews = {sample["preview"] for sample in document["unmatched_samples"]}
    assert "Write the README of this project" in previews
    assert "/home/dev/docs" in previews
    assert document["hint"]
    for hint in document["hint"]:
        rule = hint["rule"].removeprefix("--tag-rule '").removesuffix("'")
        assert told(*rules, "--tag-rule", rule)["kinds"]["prompt"]["unmatched"] < 3
    shown = run("tags", "--all-projects", *rules, "--include-previews").out.decode()
    assert "untagged prompt in" in shown
    assert "try --tag-rule 'prompt:" in shown
    assert rows(*rules, "--include-previews")[0]["preview"]


def test_previews_cannot_drive_a_terminal(isolated_machine: Path) -> None:
    log = ClaudeSession("eeee", cwd="/home/dev/shop")
    log.user("\x1b[31mred\x1b]0;title\x07 \u202eright to left " + "long " * 100)
    log.write(isolated_machine / ".claude")
    ran = run("tags", "--all-projects", "--no-builtin-tags", "--include-previews")
    assert ran.code == 0
    assert not set(ran.out) & {0x1B, 0x07}
    assert "\u202e" not in ran.out.decode()
    assert max(map(len, ran.out.decode().splitlines())) < 250


def test_the_selection_of_a_profile_holds(indexed_history: Path) -> None:
    assert told("--agent", "codex")["kinds"]["prompt"]["total"] == 1
    assert told("--since", "2026-05-06", "--agent", "claude")["kinds"]["prompt"]["total"] == 1
    assert told("--session-id", "aaaa")["kinds"]["prompt"]["total"] == 2
    assert told("--max-sessions", "1")["kinds"]["session"]["total"] == 1
    ran = run("tags", "--json", "--project-root", "/home/dev/docs", "--no-sync")
    assert ran.summary["kinds"]["prompt"]["tags"] == {"docs": 1}


def test_foreign_logs_go_into_a_temporary_database(indexed_history: Path, tmp_path: Path) -> None:
    log = ClaudeSession("ffff", cwd="/home/dev/other")
    log.user("Commit this")
    log.write(tmp_path)
    assert told("--claude-root", tmp_path)["kinds"]["prompt"]["tags"] == {"git": 1}
    assert told("--no-sync")["kinds"]["prompt"]["total"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tag-rule", "tool:debug=x"], "unknown kind"),
        (["--tag-rule", "prompt:ab=x"], "too short"),
        (["--tag-rule", "prompt:abcdefghijklm=x"], "too long"),
        (["--tag-rule", "prompt:web2=x"], "other characters than a-z"),
        (["--tag-rule", "prompt:debug=(?=x)"], "look-ahead is not supported"),
        (["--tag-rule", "prompt:debug="], "the pattern is empty"),
        (["--session-tag", "debug"], "this command is about all"),
        (["list", "--tag", "ab"], "too short"),
        (["list", "--json", "--json"], "only once"),
        (["--json", "list"], "agentpprof tags list"),
        (["nonsense"], "no such command 'nonsense': there are report, list"),
        (["set", "x"], "Missing argument"),
        (["set", "x", "ab"], "too short"),
        (["set", "x", "abcdefghijklm"], "too long"),
        (["set", "x", "web2"], "other characters than a-z"),
        (["set", "", "debug"], "the id is empty"),
        (["unset"], "Missing argument"),
        (["unset", "x", "--quiet", "--verbose"], "contradict"),
    ],
)
def test_what_is_wrong_is_said(indexed_history: Path, arguments: list[str], message: str) -> None:
    ran = run("tags", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == b""


def test_nothing_selected_says_what_there_is(indexed_history: Path) -> None:
    ran = run("tags", "--project-root", "/nowhere")
    assert ran.code == 1
    assert "/home/dev/shop" in ran.err


# ------------------------------------------------------------------ the list, and tags by hand


def test_the_list_shows_who_gave_each_tag(indexed_history: Path) -> None:
    listed = rows("--tag-rule", "prompt:cart=cart")
    assert [row["kind"] for row in listed].count("session") == 3
    by = {(row["kind"], row["tag"]): row["by"] for row in listed}
    assert by["prompt", "cart"] == "rule"
    assert by["prompt", "docs"] == "built-in"
    assert by["session", "docs"] == "prompts"
    starts = [row["started_at"] for row in listed if row["kind"] == "session"]
    assert starts == sorted(starts, reverse=True)
    assert {row["tag"] for row in rows("--tag", "docs")} == {"docs"}
    nobody = rows("--no-builtin-tags", "--tag", UNTAGGED)
    assert {row["by"] for row in nobody} == {None}


def test_a_tag_set_by_hand_is_listed_and_taken_away(indexed_history: Path) -> None:
    docs = next(row["id"] for row in rows("--tag", "docs") if row["kind"] == "prompt")
    assert told_change("set", docs[:12], "manual") == ("prompt", docs, None, "manual")
    assert told_change("set", SHOP[:4], "shopping") == ("session", SHOP, None, "shopping")
    listed = rows("--by-hand", "--tag-rule", "all:ruled=[a-z]")
    assert [(row["id"], row["tag"], row["by"]) for row in listed] == [
        (docs, "manual", "hand"),
        (SHOP, "shopping", "hand"),
    ]
    assert told()["kinds"]["prompt"]["tags"]["manual"] == 1
    assert told()["kinds"]["session"]["tags"]["shopping"] == 1
    assert told_change("unset", docs) == ("prompt", docs, "manual", None)
    assert [row["id"] for row in rows("--by-hand")] == [SHOP]


def told_change(*arguments: str) -> tuple[str, str, str | None, str | None]:
    ran = run("tags", *arguments, "--json")
    assert ran.code == 0, ran.err
    found = ran.summary
    assert found["status"] == "ok"
    return found["kind"], found["id"], found["before"], found["tag"]


def test_ids_that_name_nothing_or_too_much(indexed_history: Path) -> None:
    ran = run("tags", "set", "nothing", "debug")
    assert (ran.code, ran.out) == (1, b"")
    assert SHOP in ran.err
    log = ClaudeSession("aaaa9999", cwd="/home/dev/shop")
    log.user(f"A {SECRET}")
    log.write(indexed_history / ".claude")
    assert run("index", "-q").code == 0
    ran = run("tags", "set", "aaaa", "debug")
    assert ran.code == 2
    assert SHOP in ran.err
    assert "aaaa9999" in ran.err
    assert SECRET not in ran.err
    assert run("tags", "unset", SHOP).code == 1


def test_a_tag_may_have_the_name_of_a_command(indexed_history: Path) -> None:
    assert run("tags", "set", SHOP, "list").out.decode() == f"session {SHOP}: list\n"
    assert run("tags", "unset", SHOP).out.decode() == f"session {SHOP}: left to the taggers\n"
    assert run("tags", "set", SHOP, "list", "-q").out == b""


def test_without_a_database_nothing_is_set(isolated_machine: Path) -> None:
    ran = run("tags", "set", "x", "debug")
    assert ran.code == 1
    assert "no database yet" in ran.err
    assert not default_path().exists()


# ------------------------------------------------------------------ odd prompts


ODD = {
    "emoji": "🚀🎉👩‍👩‍👧",
    "nulls": "fix\0the\0bug\0",
    "right to left": "\u202eاشرح لي كيف يعمل هذا\u202c תקן את הבאג",
    "mixed scripts": "исправь bug в カート 결제 模块 please",
    "lone surrogate": "fix \udcff this",
    "blanks": " \t \u3000 \n",
    "one letter": "k",
    "combining": "e" + "\u0301" * 500,
}


@pytest.mark.parametrize("prompt", ODD.values(), ids=list(ODD))
def test_odd_prompts_get_a_tag(isolated_machine: Path, prompt: str) -> None:
    log = ClaudeSession("odd", cwd="/home/dev/shop")
    log.user(prompt)
    log.user("Fix the failing test")
    log.write(isolated_machine / ".claude")
    tags = told()["kinds"]["prompt"]["tags"]
    assert set(tags) <= {*TAGS, UNTAGGED}
    assert told("--include-previews", "--no-builtin-tags")["kinds"]["prompt"]["matched"] == 0
    assert stacks("--stack", "task")


def test_a_prompt_that_is_only_an_image(isolated_machine: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A"}}
    log = ClaudeSession("image", cwd="/home/dev/shop")
    log.user([image])
    log.user([image, text("Fix the failing test")])
    log.write(isolated_machine / ".claude")
    tags = told()["kinds"]["prompt"]["tags"]
    assert tags.get("debug", 0) >= 1
    assert set(tags) <= {*TAGS, UNTAGGED}


def test_a_prompt_of_five_megabytes(isolated_machine: Path) -> None:
    log = ClaudeSession("huge", cwd="/home/dev/shop")
    log.user("Why does this fail?\n" + "2026-05-04T09:00:00 INFO all is well\n" * 140_000)
    log.user("a" * 5_000_000)
    log.write(isolated_machine / ".claude")
    started = time.process_time()
    document = told("--include-previews", "--tag-rule", "prompt:slow=(a*)*b$")
    assert time.process_time() - started < 5
    assert document["kinds"]["prompt"]["total"] == 2
    assert all(len(each["preview"]) <= 120 for each in document["unmatched_samples"])


def test_many_prompts_and_rules_are_tagged_in_time(isolated_machine: Path) -> None:
    log = ClaudeSession("many", cwd="/home/dev/shop")
    for number in range(3_000):
        log.user(f"Fix the failing test number {number} of the cart, it says {number * 7}")
    log.write(isolated_machine / ".claude")
    rules = [part for at in range(50) for part in ("--tag-rule", f"prompt:slow=(x+x+)+y{at}$")]
    started = time.process_time()
    assert told(*rules)["kinds"]["prompt"]["tags"] == {"debug": 3_000}
    assert time.process_time() - started < 8


# ------------------------------------------------------------------ the guide


def test_the_commands_of_the_guide_run(tmp_path: Path) -> None:
    guide = (REPOSITORY / "docs" / "tagging.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", guide, re.S | re.M)
    assert len(blocks) >= 7
    (tmp_path / "agentpprof").symlink_to(REPOSITORY / "agentpprof")
    script = "set -eu\n" + "\n".join(blocks)
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert "try --tag-rule" in done.stdout
    assert "hand" in done.stdout
    assert (tmp_path / "tasks.svg").stat().st_size > 1000
    with database(tmp_path / "demo.db") as connection:
        assert connection.execute("select count(*) from manual_tag").fetchone() == (0,)
