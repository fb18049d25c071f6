"""Finding log files: every layout, each file once, links not followed, nothing opened."""

import os
from pathlib import Path

import pytest

from agentpprof.ingest.discover import Root, default_roots, find_log_files, roots_in


def touched(folder: Path, *names: str) -> None:
    """Make empty files below a folder."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(*roots: Path, agent: str = "claude", unreadable: list[str] | None = None) -> list[str]:
    """Names of the logs below some roots, relative to the first."""
    noted: list[str] = [] if unreadable is None else unreadable
    logs = find_log_files([Root(agent, str(root)) for root in roots], noted)
    return sorted(os.path.relpath(log.path, roots[0]) for log in logs)


def test_sessions_and_sub_agents_of_every_layout_are_found_and_other_files_are_not(
    tmp_path: Path,
) -> None:
    logs = [
        "-home-dev-shop/s1.jsonl",
        "-home-dev-shop/agent-0a1b2c3d.jsonl",
        "-home-dev-shop/s1/subagents/agent-a1.jsonl",
        "-home-dev-shop/s1/subagents/workflows/run-1/agent-a2.jsonl",
    ]
    touched(
        tmp_path,
        *logs,
        "-home-dev-shop/s1/subagents/workflows/run-1/journal.jsonl",
        "-home-dev-shop/s1/subagents/agent-a1.meta.json",
        "-home-dev-shop/s1/tool-results/toolu_1.txt",
        "-home-dev-shop/sessions-index.json",
        "history.jsonl",
        "-home-dev-shop/.jsonl",
    )
    assert found(tmp_path) == sorted(logs)


def test_codex_rollouts_are_found_and_a_plain_one_beside_its_packed_form_wins(
    tmp_path: Path,
) -> None:
    day = "2026/05/04/rollout-2026-05-04T09-00-00"
    touched(tmp_path, f"{day}-a.jsonl", f"{day}-a.jsonl.zst", f"{day}-b.jsonl.zst", "notes.jsonl")
    assert found(tmp_path, agent="codex") == [f"{day}-a.jsonl", f"{day}-b.jsonl.zst"]


def test_one_file_shown_by_two_roots_or_two_hard_links_is_one(tmp_path: Path) -> None:
    touched(tmp_path, "real/p/s1.jsonl")
    os.link(tmp_path / "real/p/s1.jsonl", tmp_path / "real/p/s2.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert len(found(tmp_path / "real", tmp_path / "link", tmp_path / "real/p")) == 1


def test_a_root_may_be_a_link_but_links_below_it_are_not_followed(tmp_path: Path) -> None:
    touched(tmp_path, "real/p/s1.jsonl", "outside/s2.jsonl")
    (tmp_path / "real/p/loop").symlink_to(tmp_path / "real")
    (tmp_path / "real/p/out").symlink_to(tmp_path / "outside")
    (tmp_path / "real/p/s3.jsonl").symlink_to(tmp_path / "outside/s2.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert found(tmp_path / "link") == ["p/s1.jsonl"]


def test_what_only_is_named_like_a_log_is_passed_over(tmp_path: Path) -> None:
    touched(tmp_path, "p/s1.jsonl", "p/s2.jsonl/inside.txt")
    os.mkfifo(tmp_path / "p/fifo.jsonl")
    assert found(tmp_path) == ["p/s1.jsonl"]


def test_names_may_hold_any_bytes(tmp_path: Path) -> None:
    touched(tmp_path, "p/new\nline.jsonl", os.fsdecode(b"p/\xff\x1b.jsonl"))
    assert len(found(tmp_path)) == 2


def test_a_root_that_is_not_there_is_no_error_and_one_that_is_no_folder_is_told(
    tmp_path: Path,
) -> None:
    touched(tmp_path, "file")
    noted: list[str] = []
    assert found(tmp_path / "none", unreadable=noted) == []
    assert noted == []
    assert found(tmp_path / "file", unreadable=noted) == []
    assert noted == [str(tmp_path / "file")]


def test_finding_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touched(tmp_path, "p/s1.jsonl")
    for name in ("open", "read", "pread"):
        monkeypatch.setattr(os, name, None)
    assert found(tmp_path) == ["p/s1.jsonl"]


@pytest.mark.parametrize(
    ("environment", "claude"),
    [
        ({}, ["{home}/.claude/projects", "{home}/.config/claude/projects"]),
        ({"CLAUDE_CONFIG_DIR": "/a, ~/b"}, ["/a/projects", "{home}/b/projects"]),
        ({"CLAUDE_CONFIG_DIR": "/a/projects"}, ["/a/projects"]),
        ({"CLAUDE_CONFIG_DIR": ""}, ["{home}/.claude/projects", "{home}/.config/claude/projects"]),
    ],
)
def test_the_environment_replaces_the_usual_homes(
    environment: dict[str, str], claude: list[str]
) -> None:
    home = os.environ["HOME"]
    roots = [root.path for root in default_roots(environment) if root.agent == "claude"]
    assert roots == [place.format(home=home) for place in claude]


def test_codex_keeps_old_logs_in_a_second_folder() -> None:
    roots = [root.path for root in default_roots({"CODEX_HOME": "/c"}) if root.agent == "codex"]
    assert roots == ["/c/sessions", "/c/archived_sessions"]


def test_an_option_may_name_a_home_or_its_folder_of_logs(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    assert roots_in("claude", str(tmp_path)) == [Root("claude", str(tmp_path / "projects"))]
    below = str(tmp_path / "projects")
    assert roots_in("claude", below) == [Root("claude", below)]


def test_logs_are_known_by_whole_paths_from_wherever_a_root_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home" / "projects").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    whole = [Root("claude", str(tmp_path / "home" / "projects"))]
    assert roots_in("claude", "home") == whole
    assert roots_in("claude", "home/../home") == whole
    assert default_roots({"CLAUDE_CONFIG_DIR": "home"})[:1] == whole
