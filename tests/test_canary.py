"""Nothing that people or models wrote leaves in a default output: marks in every field of a log.

Allowed are the well-formed values that docs/security.md lets through; they are named here.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import builders_codex as codex
import pytest
from builders import (
    ClaudeSession,
    Record,
    api_error,
    interrupt,
    progress_copy,
    rejection,
    system,
    text,
    thinking,
    tool_block,
    write_log,
)
from canary import Marks, marked, with_one_marked
from command_line import installed, run

from agentpprof.encoders import ENCODERS
from agentpprof.profile.fields import FIELDS
from agentpprof.profile.views import VIEWS

# Values that are shown on purpose, if they are well-formed names. Ids stand in JSON's session list
# and in the frames session_id and source_session, which a person asks for.
SHOWN = frozenset(
    {
        "model",
        "tool name",
        "skill",
        "agent type",
        "project folder",
        "path group",
        "program",
        "host",
        "mcp",
        "sessionId",
        "session_id",
        "agentId",
        "thread id",
        "file name",  # a log without ids is called by its file
    }
)
FRAMES = [name for name, field in FIELDS.items() if field.may_be_frame]


def claude_records(marks: Marks) -> list[Record]:
    """Return records of every kind, with usual values where structure is and marks elsewhere."""
    log = ClaudeSession("11111111-0000-4000-8000-000000000001", cwd="/home/dev/shop")
    log.user("Fix it")
    log.user([text("Fix it too"), {"type": "image", "source": {"type": "base64", "data": "x"}}])
    call = log.respond([thinking("hm"), text("Let me see"), tool_block("Bash", {"command": "ls"})])
    log.tool_result(call[-1], "a.txt", tool_use_result={"stdout": "a", "stderr": "b"})
    for name, value in (
        ("Read", {"file_path": "/home/dev/shop/a", "note": "x"}),
        ("Edit", {"file_path": "/home/dev/shop/a", "old_string": "a", "new_string": "b"}),
        ("Grep", {"pattern": "secret", "path": "/home/dev"}),
        ("WebSearch", {"query": "secret"}),
        ("Task", {"description": "d", "prompt": "p"}),
        ("TodoWrite", {"todos": [{"content": "c", "activeForm": "f"}]}),
        ("AskUserQuestion", {"questions": [{"question": "q", "options": [{"label": "l"}]}]}),
    ):
        log.call(name, value, [{"type": "text", "text": "result"}])
    failed = log.tool_use("Bash", {"command": "false", "description": "d"})
    log.tool_result(failed, "Exit code 1\nboom", is_error=True)
    refused = log.tool_use("Write", {"file_path": "/x", "content": "c"})
    log.add(rejection(refused, at=log.clock.tick()))
    log.add(api_error("API Error: 500", at=log.clock.tick()))
    log.add(interrupt(at=log.clock.tick()))
    log.add(system("compact_boundary", at=log.clock.tick(), content="c"))
    log.user("<command-name>/review</command-name><command-args>args</command-args>")
    log.side("summary", summary="s", leafUuid="x")
    log.side("queue-operation", operation="enqueue", content="q", timestamp=log.clock.tick())
    log.side("file-history-snapshot", snapshot={"trackedFileBackups": {"a": {"n": "x"}}})
    log.side("ai-title", aiTitle="t")
    log.side("last-prompt", lastPrompt="p")
    log.side("never-seen", anything="x")
    inner = ClaudeSession("11111111-0000-4000-8000-000000000001", agent_id="abc")
    inner.assistant("from within")
    task = log.tool_use("Task", {"description": "d", "prompt": "p"})
    log.add(progress_copy(inner.records[0], "abc", task))
    log.assistant("Done.")
    return [marked(record, marks, f"claude {record['type']}") for record in log.records]


def codex_records(marks: Marks) -> list[Record]:
    """The same for Codex."""
    log = codex.CodexThread("22222222-0000-7000-8000-000000000002", cwd="/home/dev/shop")
    log.turn("Fix it")
    log.add(codex.reasoning("hm"))
    log.shell("ls", "a.txt")
    log.patch("*** Add File: a.txt\n+b")
    log.add(codex.web_search("secret"))
    log.add(codex.message("agents", role="user"))
    log.answer("Done.")
    log.abort()
    records = [marked(record, marks, f"codex {record['type']}") for record in log.records]
    for record in records:
        payload = record["payload"]
        if payload.get("type") == "function_call":
            secret = marks.text("codex function_call.arguments")
            payload["arguments"] = json.dumps({"cmd": f"ls '{secret}'", "justification": secret})
        if payload.get("type") == "custom_tool_call":
            secret = marks.text("codex custom_tool_call.input")
            payload["input"] = f"*** Begin Patch\n*** Add File: a.txt\n+{secret}\n*** End Patch"
    return records


def plain_claude(number: int) -> list[Record]:
    log = ClaudeSession(f"33333333-0000-4000-8000-{number:012}", cwd="/home/dev/shop")
    log.user("Fix the test", promptId="p1")
    log.call("Bash", {"command": "pytest -q"}, "ok")
    log.assistant("Done.")
    return log.records


def plain_codex(number: int) -> list[Record]:
    log = codex.CodexThread(f"44444444-0000-7000-8000-{number:012}", cwd="/home/dev/shop")
    log.turn("Fix the test")
    log.shell("pytest -q", "ok")
    log.answer("Done.")
    return log.records


CLAUDE_KEYS = [
    "uuid",
    "parentUuid",
    "version",
    "gitBranch",
    "userType",
    "stop_reason",
    "requestId",
    "type",
    "role",
    "promptId",
    "tool_use_id",
    "id",
    "name",
    "model",
    "timestamp",
]
CODEX_KEYS = [
    "id",
    "type",
    "role",
    "name",
    "call_id",
    "turn_id",
    "model",
    "phase",
    "source",
    "originator",
    "cli_version",
    "branch",
    "effort",
    "approval_policy",
    "timestamp",
]


def write_structure(home: Path, marks: Marks) -> None:
    """Write a log for each key of structure, with a text in it that is no well-formed name."""
    for number, key in enumerate(CLAUDE_KEYS):
        end = f"@{marks.new(f'claude structure {key}')}"
        path = home / ".claude" / "projects" / "p" / f"{number}.jsonl"
        write_log(path, with_one_marked(plain_claude(number), key, end))
    for number, key in enumerate(CODEX_KEYS):
        end = f"@{marks.new(f'codex structure {key}')}"
        path = home / ".codex" / "sessions" / f"rollout-{number}.jsonl"
        write_log(path, with_one_marked(plain_codex(number), key, end))


def write_hostile_names(home: Path, marks: Marks) -> None:
    """Write calls whose names are shown if they are well-formed: these are not."""
    log = ClaudeSession("55555555-0000-4000-8000-000000000005", cwd="/home/dev/shop")

    def bad(where: str) -> str:
        return f"me@{marks.new(where)}"

    log.user("Do it")
    log.call(bad("tool"), {"a": "b"})
    log.call("mcp__a@b__" + marks.new("mcp tool"), {})
    log.call("Skill", {"skill": bad("skill")})
    log.call("Task", {"subagent_type": bad("agent type"), "prompt": "p"})
    log.call("Read", {"file_path": f"/home/dev/shop/{bad('path')}/x"})
    log.call("Read", {"file_path": f"/home/{marks.new('other home')}/x/y"})
    log.call("Read", {"file_path": f"/srv/{marks.new('outside path')}/x/y"})
    log.call("Read", {"file_path": f"/home/dev/shop/a/b/{marks.new('deep path')}"})
    log.call(
        "WebFetch", {"url": f"https://u:{marks.new('password')}@example.org/{marks.new('url')}"}
    )
    log.call(
        "Bash", {"command": f"TOKEN={marks.new('variable')} pytest -k {marks.new('argument')}"}
    )
    log.call("Bash", {"command": f"cat <<EOF > a.txt\n{marks.new('here-document')}\nEOF"})
    log.call("Bash", {"command": f"echo {marks.new('echo')} | grep {marks.new('grep')}"})
    log.call("Bash", {"command": f"git commit -m '{marks.new('message')}'"})
    log.write(home / ".claude")
    path = (
        home / ".claude" / "projects" / marks.new("log folder") / f"{marks.new('file name')}.jsonl"
    )
    write_log(path, plain_claude(77))
    write_log(path.with_name(f"bad-{marks.new('bad file')}.jsonl"), [], tail=b"{no json\n")
    path.with_name(f"line-{marks.new('bad line file')}.jsonl").write_text(
        f'{{"type":"{marks.text("bad line")}\n', "utf-8"
    )
    path.with_name(f"dir-{marks.new('folder')}.jsonl").mkdir()
    (home / ".codex" / "sessions" / f"rollout-{marks.new('codex file')}.jsonl").write_bytes(b"\0\n")


@pytest.fixture
def planted(isolated_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Marks:
    """Give marks that stand in every field of the logs of this home, and in the environment."""
    marks = Marks()
    home = isolated_machine / marks.new("home folder")
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("USER", "LOGNAME", "HOSTNAME", "API_TOKEN", "EDITOR", "PWD"):
        monkeypatch.setenv(name, marks.new(f"environment {name}"))
    folder = home / ".claude" / "projects" / "-home-dev-shop"
    write_log(folder / "11111111-0000-4000-8000-000000000001.jsonl", claude_records(marks))
    write_log(home / ".codex" / "sessions" / "rollout-1.jsonl", codex_records(marks))
    write_structure(home, marks)
    write_hostile_names(home, marks)
    return marks


def check_clean(marks: Marks, *outputs: bytes) -> None:
    for output in outputs:
        leaked = set(marks.found_in(output).values())
        assert leaked == set()


def every_output(folder: Path) -> Iterator[tuple[list[str], Path]]:
    """Yield the arguments of a run of each view and format, with few and with all frames."""
    for view in VIEWS:
        for encoder in ENCODERS.values():
            output = folder / f"{view}{encoder.extensions[0]}"
            yield ["-o", str(output), "--view", view], output
            frames = ["--stack", ",".join(FRAMES)]
            labels = [each for name in FRAMES for each in ("--label", name)]
            yield ["-o", str(output), "--view", view, *frames, *labels], output


@pytest.mark.slow
def test_no_output_shows_a_mark(planted: Marks, tmp_path: Path) -> None:
    for loudness in ("-v", "--debug"):
        ran = run("index", loudness)
        assert ran.code == 0, ran.err
        check_clean(planted, ran.out, ran.err.encode())
    for arguments, output in every_output(tmp_path):
        ran = run("-v", "--debug", "--all-projects", *arguments)
        assert ran.code == 0, ran.err
        check_clean(planted, ran.out, ran.err.encode(), output.read_bytes())
        output.unlink()


FAILURES = [
    ("--project-root", "/nowhere"),
    ("--session-id", "nothing"),
    ("--since", "2099-01-01"),
    ("--all-projects", "--session-tag", "zebra"),
    ("--all-projects", "--prompt-tag", "zebra"),
    ("--all-projects", "--where", "op=nothing"),
    ("--all-projects", "--where", "command=["),
    ("--all-projects", "--stack", "command"),
    ("--session-file", "/dev/null"),
    ("--db", "/proc/none/x.db"),
]


@pytest.mark.parametrize("arguments", FAILURES)
@pytest.mark.parametrize("loudness", ["-v", "--debug"])
def test_no_failure_shows_a_mark(
    planted: Marks, tmp_path: Path, arguments: tuple[str, ...], loudness: str
) -> None:
    ran = run("-o", tmp_path / "a.svg", loudness, *arguments)
    assert ran.code in (1, 2)
    check_clean(planted, ran.out, ran.err.encode())


@pytest.mark.parametrize(
    "command",
    [
        "audit --all-projects",
        "status",
        "doctor",
        "demo -o demo",
        "top --all-projects",
        "sessions --all-projects",
        "tags --all-projects",
        "diff since=2026-01-01 since=2026-02-01 --all-projects",
    ],
)
def test_no_other_command_shows_a_mark(
    planted: Marks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("index").code == 0
    ran = run(*command.split())
    assert ran.code in (0, 1), ran.err
    check_clean(planted, ran.out, ran.err.encode())


def test_no_fault_of_ours_shows_a_mark(
    planted: Marks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentpprof.profile import gather

    secret = planted.text("text of an exception")

    def fail(*_: object) -> None:
        raise ValueError(secret)

    monkeypatch.setattr(gather, "build_profile", fail)
    ran = run("--debug", "-o", tmp_path / "a.svg", "--all-projects")
    assert ran.code == 1
    assert "ValueError inside agentpprof" in ran.err
    check_clean(planted, ran.out, ran.err.encode())


def test_the_installed_program_is_as_silent(planted: Marks, tmp_path: Path) -> None:
    ran = installed("-v", "-o", tmp_path / "a.svg", "--all-projects", cwd=tmp_path)
    assert ran.code == 0, ran.err
    check_clean(planted, ran.out, ran.err.encode(), (tmp_path / "a.svg").read_bytes())


@pytest.mark.slow
def test_well_formed_names_are_shown_on_purpose_and_nothing_else(
    isolated_machine: Path, tmp_path: Path
) -> None:
    marks = Marks()
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
    log.write(isolated_machine / ".claude")
    found: set[str] = set()
    for arguments, output in every_output(tmp_path):
        assert run("--all-projects", *arguments).code == 0
        found |= set(marks.found_in(output.read_bytes()).values())
    assert found <= SHOWN
    assert {"model", "tool name", "project folder", "path group", "program", "host"} <= found


def test_the_same_search_finds_what_a_person_asks_for(planted: Marks, tmp_path: Path) -> None:
    output = tmp_path / "a.json"
    assert run("-o", output, "--all-projects", "--include-previews").code == 0
    found = set(planted.found_in(output.read_bytes()).values())
    assert "claude user.message.content" in found
    assert any(place.startswith("claude assistant.message.content[].text") for place in found)
    assert "claude assistant.message.content[].input.command" in found or "echo" in found
    assert "echo" in found


def test_marks_are_found_in_every_wrapping() -> None:
    import base64
    import gzip

    marks = Marks()
    mark = marks.new("x")
    wrapped = (
        mark.upper().encode(),
        gzip.compress(mark.encode()),
        b"data:" + base64.b64encode(b"a" + mark.encode()),
        "".join(f"%{ord(letter):02X}" for letter in mark).encode(),
        "".join(f"&#{ord(letter)};" for letter in mark).encode(),
        b'{"a": "' + "".join(f"\\u{ord(letter):04x}" for letter in mark).encode() + b'"}',
    )
    for data in wrapped:
        assert marks.found_in(data) == {mark: "x"}
    assert marks.found_in(b"nothing here") == {}


def test_the_home_is_isolated(isolated_machine: Path) -> None:
    with contextlib.suppress(KeyError):
        assert os.environ["HOME"] == str(isolated_machine)
