"""`agentpprof top`, and `agentpprof` without an output: flat, cumulative, by field, as a tree."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from command_line import PROGRAM, Ran, run, stacks, write_history
from encoder_samples import small

from agentpprof.encoders.samples import stack_values
from agentpprof.profile.top import TopRow, top_branches, top_rows
from agentpprof.profile.views import VIEWS
from agentpprof.text.top_text import Paper, head_lines, row_lines, tree_lines


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    write_history(isolated_machine)
    return isolated_machine


def text_of(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(piece for piece, _ in line).rstrip() for line in lines]


def document(*arguments: str) -> dict[str, object]:
    ran = run("top", "--all-projects", "--json", *arguments)
    assert ran.code == 0, ran.err
    found: dict[str, object] = json.loads(ran.out)
    return found


# ------------------------------------------------------------------ what is largest


def test_flat_is_of_stacks_that_end_there_and_cum_of_all_that_hold_it() -> None:
    rows = {row.frame: row for row in top_rows(stack_values(small()))}

    assert rows["task:debug"] == TopRow("task:debug", 0, 4900)
    assert rows["result:ok"] == TopRow("result:ok", 6500, 6500)
    assert rows["object:src/api"] == TopRow("object:src/api", 0, 2400)


def test_a_frame_counts_once_in_a_stack_that_holds_it_twice() -> None:
    rows = top_rows({("a:1", "a:1"): 5})  # type: ignore[dict-item] # texts do

    assert rows == [TopRow("a:1", 5, 5)]


def test_the_largest_stands_first_by_cum_or_by_flat() -> None:
    values = stack_values(small())

    assert top_rows(values)[0].cum == max(row.cum for row in top_rows(values))
    by_flat = [row.flat for row in top_rows(values, by_flat=True)]
    assert by_flat == sorted(by_flat, reverse=True)


def test_a_tree_keeps_the_heaviest_nodes_and_all_their_parents() -> None:
    branches, left_out = top_branches(stack_values(small()), 4)

    assert left_out == len(top_branches(stack_values(small()), 99)[0]) - 5 > 0
    assert [(each.level, each.frame) for each in branches] == [
        (0, "all"),
        (1, "task:debug"),
        (1, "task:feature"),
        (2, "phase:edit"),
        (3, "action:create"),
    ]


# ------------------------------------------------------------------ what a person sees


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    paper = Paper(width)
    profile = small()
    rows = top_rows(stack_values(profile))
    lines = [
        *head_lines(profile, 3, paper),
        *row_lines(rows, profile, paper),
        *tree_lines(top_branches(stack_values(profile), 5)[0], profile, paper),
    ]

    assert max(map(len, text_of(lines))) <= width


def test_a_bar_grows_with_the_share_and_has_no_blocks_where_they_cannot_be_shown() -> None:
    profile = small()
    rows = top_rows(stack_values(profile), ("task",))

    blocks = text_of(row_lines(rows, profile, Paper(100)))
    plain = text_of(row_lines(rows, profile, Paper(100, "ascii")))

    assert blocks[1].count("█") >= blocks[2].count("█") > 0
    assert plain[1].count("#") >= plain[2].count("#") > 0
    assert all(line.isascii() for line in plain)


@pytest.mark.parametrize("view", VIEWS)
def test_the_total_is_that_of_the_outputs(history: Path, view: str) -> None:
    found = document("--view", view, "--rows", "0")

    assert found["total"] == sum(stacks(view=view).values())
    assert found["rows"]


def test_by_a_field_the_rows_add_up_to_the_whole(history: Path) -> None:
    found = document("--by", "tool", "--view", "operations", "--rows", "0")

    rows = found["rows"]
    assert isinstance(rows, list)
    assert sum(row["flat"] for row in rows) == found["total"]
    assert {"none", "tool:Read"} <= {row["frame"] for row in rows}


def test_by_a_field_beside_a_stack_is_the_same_table(history: Path) -> None:
    for fields in ("tool", "task", "model"):
        alone = document("--view", "operations", "--by", fields)
        beside = document("--view", "operations", "--by", fields, "--stack", "task,object")
        assert beside == alone


def test_a_tree_says_what_it_leaves_out(history: Path) -> None:
    text = run("top", "--all-projects", "--tree", "--rows", "3").out.decode()
    shown = document("--tree", "--rows", "3")
    assert f"… {shown['branches_left_out']} more branches: agentpprof top --rows 0" in text
    assert document("--tree", "--rows", "0")["branches_left_out"] == 0


def test_rows_are_limited_and_what_is_left_out_is_said(history: Path) -> None:
    ran = run("top", "--all-projects", "--rows", "2")

    assert "more frames: agentpprof top --rows 0 shows all" in ran.out.decode()
    assert document("--rows", "2")["rows_left_out"] != 0


def test_a_tree_as_text_and_json(history: Path) -> None:
    ran = run("top", "--all-projects", "--tree", "--stack", "project,task")
    tree = document("--tree", "--stack", "project,task")["tree"]

    lines = ran.out.decode().splitlines()
    assert any(line.endswith("  project:shop") for line in lines)
    assert any(line.endswith("    task:debug") for line in lines)
    assert isinstance(tree, list)
    assert tree[0]["frame"] == "all"


def test_selection_and_rules_hold(history: Path) -> None:
    found = document("--view", "operations", "--where", "tool=Bash", "--op-map", "task:ci=cmd=make")

    assert found["total"] == 3
    ran = run("top", "--all-projects", "--agent", "codex", "--since", "2020-01-01")
    assert "filter:agent:codex · filter:since:2020-01-01" in ran.out.decode()


def test_a_run_without_an_output_prints_the_same(history: Path) -> None:
    plain, top = run("--all-projects", "-q"), run("top", "--all-projects", "-q")

    assert plain == top
    assert plain.out.startswith(b"tokens of all_projects: ")
    assert plain == Ran(0, plain.out, "")


def test_a_stack_that_is_named_is_shown_with_all_its_frames(history: Path) -> None:
    assert "result:error" in run("--all-projects", "--stack", "task,result", "--view",
                                 "operations").out.decode()  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--format", "folded"), "--format folded needs an output: write -o - for stdout"),
        (("top", "--by", "tool", "--tree"), "--by and --tree contradict each other"),
        (("top", "--sort", "flat", "--tree"), "--sort flat and --tree contradict each other"),
        (("top", "--by", "toool"), "unknown field 'toool' (did you mean tool?)"),
        (("top", "--rows", "-1"), "--rows"),
        (("top", "-o", "x.svg"), "-o"),
        (("top", "--view", "cpu"), "unknown view 'cpu'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    history: Path, arguments: tuple[str, ...], reason: str
) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, b"")
    assert reason in ran.err


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """Return what a terminal 70 columns wide would show."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "70", **variables}
    process = subprocess.Popen([PROGRAM, *arguments], stdout=follower, env=environment)
    os.close(follower)
    seen = b""
    while True:
        try:
            block = os.read(leader, 65536)
        except OSError:
            break
        if not block:
            break
        seen += block
    os.close(leader)
    assert process.wait(timeout=60) == 0
    return seen.decode()


def test_a_terminal_gets_colours_and_its_own_width(history: Path) -> None:
    seen = on_a_terminal("--all-projects", "-q")

    assert "\x1b[34mtask:debug" in seen
    bare = on_a_terminal("--all-projects", "-q", NO_COLOR="1", TERM="dumb")
    assert "\x1b[3" not in bare
    assert max(map(len, bare.splitlines())) <= 70


def test_the_example_is_shown_as_top_shows_a_history(tmp_path: Path) -> None:
    shown = run("demo", "-o", tmp_path / "demo").out.decode()

    for view in VIEWS.values():
        assert f"{view.name} of all_projects: " in shown
        assert f"one unit of width is {view.counts}" in shown
        assert (tmp_path / "demo" / f"{view.name}.svg").exists()
    assert len(re.findall(r"^ *flat  ", shown, re.MULTILINE)) == len(VIEWS)
    assert re.search(r"█. +token:cache_read$", shown, re.MULTILINE)
