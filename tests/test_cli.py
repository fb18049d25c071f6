"""Every option of the profile: what it does.

Which logs it reads: test_cli_logs.py; wrong values: test_bad_options.py.
"""

import gzip
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import PROGRAM, database, folded, installed, run, stacks

from agentpprof.encoders.check import check_pprof, decode_pprof
from agentpprof.store.database import default_path


def only(found: dict[str, int]) -> str:
    (stack,) = found
    return stack


def profile_of(*arguments: str) -> object:
    ran = run("-o", "-", "--format", "pprof", "--all-projects", *arguments)
    assert ran.code == 0, ran.err
    assert check_pprof(ran.out) == []
    return decode_pprof(ran.out)


# ------------------------------------------------------------------ output


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.pb.gz", b"\x1f\x8b"),
        ("a.pb", b"\x0a"),
        ("a.folded", b"task:"),
        ("a.svg", b"<"),
        ("a.json", b"{"),
        ("A.SVG", b"<"),
    ],
)
def test_the_name_decides_the_format(
    history: Path, tmp_path: Path, name: str, start: bytes
) -> None:
    ran = run("-o", tmp_path / "new" / name, "--all-projects")
    assert ran.code == 0, ran.err
    assert (tmp_path / "new" / name).read_bytes().startswith(start)
    assert (tmp_path / "new" / name).stat().st_mode & 0o777 == 0o600
    assert ran.summary["output"] == str(tmp_path / "new" / name)


def test_a_format_is_named_where_the_name_says_none(history: Path, tmp_path: Path) -> None:
    assert run("-o", tmp_path / "x", "--format", "json", "--all-projects").code == 0
    assert json.loads((tmp_path / "x").read_bytes())["profile"]["view"] == "tokens"
    assert run("-o", tmp_path / "y", "--all-projects").code == 0
    assert check_pprof((tmp_path / "y").read_bytes()) == []


def test_stdout_takes_the_profile_and_stderr_the_summary(history: Path) -> None:
    ran = run("-o", "-", "--format", "folded", "--all-projects")
    assert sum(folded(ran.out).values()) == json.loads(ran.err[ran.err.index("{") :])["samples"]


def test_the_summary_has_the_keys_of_the_rust_tool(history: Path, tmp_path: Path) -> None:
    summary = run("-o", tmp_path / "a.svg", "--all-projects", "--view", "time").summary
    assert {key: summary[key] for key in ("status", "format", "view", "sample_type", "unit")} == {
        "status": "ok",
        "format": "svg",
        "view": "time",
        "sample_type": "duration",
        "unit": "seconds",
    }
    assert summary["sessions"] == 3
    assert summary["warnings"] == []
    assert summary["tagging"]["prompts"] == {"total": 4, "matched": 4, "unmatched": 0}


def test_svg_width_and_previews(history: Path, tmp_path: Path) -> None:
    run("-o", tmp_path / "a.svg", "--all-projects", "--svg-width", "640")
    assert b"640" in (tmp_path / "a.svg").read_bytes()[:2000]
    run("-o", tmp_path / "a.json", "--all-projects")
    assert b"failing test" not in (tmp_path / "a.json").read_bytes()
    run("-o", tmp_path / "a.json", "--all-projects", "--include-previews")
    assert b"failing test" in (tmp_path / "a.json").read_bytes()


def test_idle_and_waiting_are_shown_on_request(history: Path) -> None:
    without = stacks("--stack", "part", view="time")
    with_idle = stacks("--stack", "part", "--include-idle", view="time")
    assert set(without) <= {"part:tool", "part:model"}
    assert "part:user" in with_idle


def test_labels_are_added(history: Path) -> None:
    found = profile_of("--label", "cmd", "--view", "operations")
    keys = {found.string_table[label.key] for sample in found.sample for label in sample.label}
    assert {"project", "agent", "session", "day", "cmd"} <= keys


# ------------------------------------------------------------------ which sessions


def test_the_project_of_this_folder_is_the_default(history: Path, tmp_path: Path) -> None:
    place = tmp_path / "shop"
    place.mkdir()
    log = ClaudeSession("dddd4444-0000-4000-8000-000000000004", cwd=str(place))
    log.user("Explain this")
    log.assistant("So it is.")
    log.write(history / ".claude")
    ran = installed("-o", "-", "--format", "folded", "--stack", "project", cwd=place)
    assert set(folded(ran.out)) == {"project:shop"}
    assert json.loads(ran.err[ran.err.index("{") :])["sessions"] == 1


def test_a_project_need_not_exist_here_and_takes_what_lies_below(history: Path) -> None:
    ran = run("-o", "-", "--format", "folded", "--project-root", "/home/dev", "--stack", "project")
    assert set(folded(ran.out)) == {"project:dev"}
    named = ("--project-name", "mine", "--project-root", "/home/dev/docs", "--stack", "project")
    assert set(folded(run("-o", "-", "--format", "folded", *named).out)) == {"project:mine"}


def test_all_projects_keep_their_names(history: Path) -> None:
    assert set(stacks("--stack", "project")) == {"project:shop", "project:docs"}


@pytest.mark.parametrize("prefix", ["codex", "cod"])
def test_an_agent_is_named_by_its_beginning(history: Path, prefix: str) -> None:
    assert only(stacks("--stack", "agent", "--agent", prefix)) == "agent:codex"


def test_session_ids_by_a_part(history: Path) -> None:
    assert only(stacks("--stack", "session_id", "--session-id", "b2222")).startswith(
        "session_id:bbbb2222"
    )


def test_session_and_prompt_tags(history: Path) -> None:
    of_session = stacks("--stack", "session,task", "--session-tag", "docs")
    assert set(of_session) == {"session:docs;task:docs"}
    of_prompt = stacks("--stack", "task", "--prompt-tag", "review")
    assert set(of_prompt) == {"task:review"}


def test_since_and_until(history: Path) -> None:
    assert set(stacks("--stack", "day", "--since", "2026-05-05")) == {"day:2026-05-06"}
    assert set(stacks("--stack", "day", "--until", "2026-05-05")) == {"day:2026-05-04"}
    ran = run("-o", "-", "--format", "svg", "--all-projects", "--since", "1d")
    assert ran.code == 1
    assert "--since" in ran.err


def test_the_newest_sessions_after_all_other_filters(history: Path) -> None:
    one = stacks("--stack", "session_id", "--max-sessions", "1")
    assert only(one).startswith("session_id:bbbb2222")
    of_agent = stacks("--stack", "session_id", "--max-sessions", "1", "--agent", "codex")
    assert only(of_agent).startswith("session_id:019ec5aa")
    of_tag = stacks("--stack", "session_id", "--max-sessions", "1", "--prompt-tag", "review")
    assert only(of_tag).startswith("session_id:aaaa1111")


def test_the_newest_files_of_each_agent(history: Path) -> None:
    for age, path in enumerate(sorted((history / ".claude").rglob("*.jsonl"), reverse=True)):
        os.utime(path, (1_780_000_000 - age, 1_780_000_000 - age))
    newest = max((history / ".claude").rglob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    found = stacks("--stack", "session_id", "--scan-files", "1")
    assert found.keys() == {
        f"session_id:{newest.stem}",
        "session_id:019ec5aa-0000-7000-8000-000000000003",
    }
    with database(default_path()) as connection:
        assert connection.execute("select count(*) from log_file").fetchone()[0] == 2
    # What the database knows already is not what this run is about.
    assert len(stacks("--stack", "session_id")) == 3
    assert stacks("--stack", "session_id", "--scan-files", "1") == found
    assert stacks("--stack", "session_id", "--scan-files", "1", "--no-sync") == found


# ------------------------------------------------------------------ stacks, rules, tags


def test_the_reference_s_examples_of_rules_run(history: Path, tmp_path: Path) -> None:
    verify = ("--op-map", "task:verify=effect=test", "--op-map", "phase:gate=task=verify")
    found = stacks(*verify, "--stack", "task,phase")
    assert "task:verify;phase:gate" in found
    rules = tmp_path / "rules"
    rules.write_text("# two\ntask:verify=effect=test\n\nphase:gate=task=verify\n")
    assert stacks("--op-map-file", rules, "--stack", "task,phase") == found
    assert "session:x" in stacks("--op-map", "session:x=agent=codex", "--stack", "session")


def test_rules_may_come_through_a_pipe(history: Path) -> None:
    rules = b"task:verify=effect=test\n"
    ran = installed(
        "-o", "-", "--format", "folded", "--view", "operations", "--all-projects",
        "--stack", "task", "--op-map-file", "/dev/stdin", stdin=rules,
    )  # fmt: skip
    assert "task:verify" in folded(ran.out)


def test_the_guides_examples_of_tag_rules_run(history: Path) -> None:
    found = stacks(
        "--tagger",
        "regex",
        "--tag-rule",
        "prompt:review=(?i)review|diff|regression",
        "--tag-rule",
        "prompt:cart=(?i)cargo test|pytest|cart",
        "--stack",
        "task",
    )
    assert {"task:review", "task:cart"} <= set(found)


def test_tag_rules_of_each_kind(history: Path) -> None:
    sessions = stacks("--tag-rule", "session:papers=/dev/docs", "--stack", "session")
    assert "session:papers" in sessions
    answers = stacks("--tag-rule", "llm:wrong=total was", "--stack", "llm", "--where", "op=llm")
    assert answers["llm:wrong"] == 1
    everything = stacks("--tag-rule", "all:mine=(?i)cart", "--stack", "session,task,llm")
    assert "session:mine;task:mine" in everything


def test_own_rules_alone(history: Path) -> None:
    found = stacks("--no-builtin-tags", "--tag-rule", "prompt:cart=cart", "--stack", "task")
    assert set(found) == {"task:cart", "task:untagged"}


def test_a_runs_own_rules_never_change_what_the_database_shows(history: Path) -> None:
    run("index")
    for arguments in (("--tag-rule", "prompt:cart=cart"), ("--no-builtin-tags",), ("--preset",)):
        stacks(*arguments)
    with database(default_path()) as connection:
        tags = {row[0] for row in connection.execute("select tag from prompts")}
    assert {"cart", "untagged"}.isdisjoint(tags)


def test_tags_are_saved_unless_forbidden(history: Path) -> None:
    run("index")

    def count() -> int:
        with database(default_path()) as connection:
            return int(connection.execute("select count(*) from tag").fetchone()[0])

    before = count()
    stacks("--tag-rule", "prompt:cart=cart", "--no-cache")
    assert count() == before
    stacks("--tag-rule", "prompt:cart=cart")
    assert count() > before


def test_the_preset_is_the_default_now(history: Path) -> None:
    ran = run("-o", "-", "--format", "folded", "--all-projects", "--preset")
    assert "--preset: the built-in rules are the default now" in ran.err
    assert folded(ran.out) == stacks(view="tokens")


def test_stack_where_and_stack_rule(history: Path) -> None:
    found = stacks(
        "--stack", "action,object", "--where", "op=tool", "--where", "result!=error",
        "--stack-rule", "object:docs=path=README",
    )  # fmt: skip
    assert found["action:create;object:docs"] == 1
    assert "action:test;object:pytest" in found


def test_texts_can_be_matched(history: Path) -> None:
    assert set(stacks("--where", "command=make ci", "--stack", "cmd")) == {"cmd:make"}
    of_file = stacks("--where", r"file=total\.py", "--stack", "tool")
    assert set(of_file) == {"tool:Read", "tool:Edit"}
    assert set(stacks("--where", "prompt_text=README", "--stack", "task")) == {"task:docs"}
    mapped = stacks("--op-map", "phase:ci=command=make ci", "--stack", "phase")
    assert mapped["phase:ci"] == 1


def test_path_depth(history: Path) -> None:
    depths = [stacks("--stack", "path", "--path-depth", n, view="files") for n in "123"]
    assert ["path:src" in found for found in depths] == [True, False, False]
    assert ["path:src/cart/total.py" in found for found in depths] == [False, False, True]


def test_flags_that_change_nothing_are_told(history: Path) -> None:
    ran = run(
        "-o", "-", "--format", "folded", "--all-projects", "--include-previews", "--include-idle",
        "--label", "cmd", "--stack", "task", "--stack-rule", "skill:x=op=tool",
        "--llama-url", "http://127.0.0.1:1", "--timeout", "5",
    )  # fmt: skip
    assert ran.code == 0
    for told in (
        "--include-previews: without effect",
        "--include-idle: without effect",
        "--label: without effect",
        "--stack-rule skill: it does nothing",
        "--llama-url, --timeout: without effect",
    ):
        assert told in ran.err


# ------------------------------------------------------------------ telling


def test_quiet_says_nothing_and_verbose_says_what_was_read(history: Path, tmp_path: Path) -> None:
    ran = run("-q", "-o", tmp_path / "a.svg", "--all-projects")
    assert (ran.code, ran.out, ran.err) == (0, b"", "")
    ran = run("-v", "-o", tmp_path / "a.svg", "--all-projects")
    assert "0 of 3 log files read" in ran.err
    assert "3 of 3 log files read" in run("index", "-v", "--db", tmp_path / "other.db").err


def test_a_debug_flag_shows_files_and_lines_only(tmp_path: Path) -> None:
    ran = run("--debug", "-o", tmp_path / "a.svg", "--session-tag", "x")
    assert ran.code == 2
    assert "rules.py:" in ran.err


def test_help_is_whole_and_the_same_twice() -> None:
    assert run("-h").out == run("--help").out
    text = run("-h").out.decode()
    for word in ("--op-map-file", "--task-choice", "--session-file", "Which sessions:", "index"):
        assert word in text
    assert "--tag-rule prompt:review='(?i)review|diff|regression'" in text
    assert "--op-map task:verify=effect=test --op-map phase:gate=task=verify" in text
    assert run("profile", "-h").code == run("index", "-h").code == run("demo", "-h").code == 0


def test_help_is_short_whatever_was_asked_before(tmp_path: Path) -> None:
    assert run("demo", "-o", tmp_path / "demo").code == 0  # it reads the profile's own defaults
    assert run("profile", "-h").code == 0


def test_the_version_is_told() -> None:
    assert run("-V").out == run("--version").out
    assert run("-V").out.startswith(b"agentpprof")


def test_the_command_may_be_named_or_not(history: Path) -> None:
    arguments = ("-o", "-", "--format", "folded", "--all-projects")
    assert run(*arguments).out == run("profile", *arguments).out


def test_no_project_lists_those_there_are(history: Path, tmp_path: Path) -> None:
    ran = run("-o", tmp_path / "a.svg", "--project-root", "/nowhere")
    assert ran.code == 1
    assert "/home/dev/shop" in ran.err
    assert "agentpprof -o agent.pb.gz --project-root /home/dev/docs" in ran.err


def test_a_reader_that_goes_away_is_no_error(history: Path) -> None:
    run("index")
    command = f"{PROGRAM} -o - --format svg --all-projects | head -c 1; echo _ ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert done.stdout.split()[-1] == b"0"
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_a_bar_is_drawn_on_a_terminal_only(history: Path) -> None:
    words = "word " * 4000
    log = ClaudeSession("ffff6666-0000-4000-8000-000000000006", cwd="/home/dev/shop")
    log.user(words)
    path = log.write(history / ".claude")
    line = path.read_bytes()
    for number in range(4):
        with path.with_name(f"{number}.jsonl").open("wb") as stream:
            uuid = log.records[0]["uuid"].encode()
            for turn in range(1000):
                stream.write(line.replace(uuid, b"%d-%d" % (number, turn)))
    leader, follower = pty.openpty()
    process = subprocess.Popen([PROGRAM, "index"], stderr=follower, stdout=subprocess.PIPE)
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
    process.communicate(timeout=60)
    os.close(leader)
    assert process.returncode == 0
    assert b"reading logs" in seen
    assert b"MB/s" in seen
    assert "reading logs" not in run("index").err


def test_gzip_has_no_time_in_it(history: Path, tmp_path: Path) -> None:
    for name in ("a.pb.gz", "b.pb.gz"):
        run("-o", tmp_path / name, "--all-projects")
    assert (tmp_path / "a.pb.gz").read_bytes() == (tmp_path / "b.pb.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.pb.gz").read_bytes())
