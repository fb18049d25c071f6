"""Which logs a profile reads, and into which database."""

import os
import time
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import folded, run, stacks

from agentpprof.store.database import default_path


def test_single_logs_are_known_by_their_content(history: Path, tmp_path: Path) -> None:
    for number, path in enumerate(sorted(history.rglob("*.jsonl"))):
        path.rename(tmp_path / f"run{number}.dat")
    names = [each for n in range(3) for each in ("--session-file", tmp_path / f"run{n}.dat")]
    assert set(stacks("--stack", "agent,project", *names)) == {
        "agent:claude;project:shop",
        "agent:claude;project:docs",
        "agent:codex;project:shop",
    }
    assert not default_path().exists()
    assert stacks("--stack", "agent", *names[4:]).keys() == {"agent:codex"}


def test_a_single_log_counts_whatever_its_project(history: Path) -> None:
    path = next((history / ".codex").rglob("*.jsonl"))
    arguments = ("-o", "-", "--format", "folded", "--stack", "project", "--session-file", path)
    assert set(folded(run(*arguments).out)) == {"project:shop"}
    named = run(*arguments, "--project-root", "/elsewhere/mine")
    assert set(folded(named.out)) == {"project:mine"}


def test_a_log_named_twice_counts_once(history: Path, tmp_path: Path) -> None:
    path = next((history / ".codex").rglob("*.jsonl"))
    (tmp_path / "link").symlink_to(path)
    once = stacks("--session-file", path)
    assert stacks("--session-file", path, "--session-file", tmp_path / "link") == once


def test_a_log_may_come_through_stdin(history: Path) -> None:
    data = next((history / ".codex").rglob("*.jsonl")).read_bytes()
    arguments = ("-o", "-", "--format", "folded", "--stack", "agent", "--session-file", "-")
    assert set(folded(run(*arguments, stdin=data).out)) == {"agent:codex"}
    assert not default_path().exists()


@pytest.mark.parametrize("name", ["run.jsonl.zst", "run.bin", "-"])
def test_a_compressed_log_is_unpacked(history: Path, tmp_path: Path, name: str) -> None:
    import zstandard

    data = next((history / ".codex").rglob("*.jsonl")).read_bytes()
    packed = zstandard.compress(data)
    (tmp_path / name).write_bytes(packed)
    place = name if name == "-" else str(tmp_path / name)
    arguments = ("-o", "-", "--format", "folded", "--stack", "agent", "--session-file", place)
    assert set(folded(run(*arguments, stdin=packed).out)) == {"agent:codex"}


def test_a_log_goes_into_a_named_database_and_is_told_from_what_is_there(
    history: Path, tmp_path: Path
) -> None:
    store = tmp_path / "my.db"
    run("index", "--db", store, "--claude-root", history / ".claude")
    path = next((history / ".codex").rglob("*.jsonl"))
    found = stacks("--stack", "agent", "--session-file", path, "--db", store)
    assert set(found) == {"agent:codex"}
    assert len(stacks("--stack", "session_id", "--db", store, "--no-sync")) == 3


def test_roots_go_into_a_temporary_database(history: Path) -> None:
    claude = stacks("--stack", "agent", "--claude-root", history / ".claude" / "projects")
    codex = stacks("--stack", "agent", "--codex-root", history / ".codex")
    assert (set(claude), set(codex)) == ({"agent:claude"}, {"agent:codex"})
    assert not default_path().exists()


def test_the_database_may_be_named(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stacks("--db", tmp_path / "one.db")
    monkeypatch.setenv("AGENTPPROF_DB", str(tmp_path / "two.db"))
    stacks()
    assert (tmp_path / "one.db").is_file()
    assert (tmp_path / "two.db").is_file()
    assert not default_path().parent.joinpath("agentpprof.db").exists()


def test_without_a_sync_nothing_new_is_seen_and_the_age_is_told(history: Path) -> None:
    before = stacks()
    log = ClaudeSession("eeee5555-0000-4000-8000-000000000005", cwd="/home/dev/shop")
    log.user("More")
    log.write(history / ".claude")
    arguments = ("-o", "-", "--format", "folded", "--view", "operations", "--all-projects")
    ran = run(*arguments, "--no-sync")
    assert folded(ran.out) == before
    assert "not synced: the database was last written less than a minute ago" in ran.err
    assert "its newest session ended" in ran.err
    assert sum(stacks().values()) == sum(before.values()) + 1


def test_transcripts_about_to_go_are_told(history: Path) -> None:
    old = time.time() - 28 * 86_400
    for path in (history / ".claude").rglob("*.jsonl"):
        os.utime(path, (old, old))
    run("index")
    log = ClaudeSession("eeee5555-0000-4000-8000-000000000005", cwd="/home/dev/shop")
    log.user("More")
    path = log.write(history / ".claude")
    run_it = ("-o", "-", "--format", "folded", "--all-projects", "--no-sync")
    assert "will be deleted" not in run(*run_it).err
    os.utime(path, (old, old))
    assert "1 transcript is not indexed yet and will be deleted" in run(*run_it).err
    (history / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 60}')
    assert "will be deleted" not in run(*run_it).err
    for odd in ('{"cleanupPeriodDays": "many"}', "[" * 100_000):
        (history / ".claude" / "settings.json").write_text(odd)
        assert "will be deleted" in run(*run_it).err
    assert "will be deleted" not in run("-q", *run_it).err
