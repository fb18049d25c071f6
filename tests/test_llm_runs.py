"""Tags by a model, with a real llama.cpp server: whole runs of the command line."""

import os
import signal
import sqlite3
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import PROGRAM, Ran, run
from llama_server import LlamaServer, Recorder, free_port, running, write_model

from agentpprof.commands import llm_tagging
from agentpprof.store.database import default_path, write_lock

CHOICES = ("--task-choice", "bugs=finding faults", "--task-choice", "words=writing texts")
SECRET = "ghp_" + "aB3dE6fG9hJ2kL5mN8pQ1rS4tU7vW0xYzA1b"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a model of random weights."""
    return write_model(tmp_path_factory.mktemp("model") / "random.gguf")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[LlamaServer]:
    """Give a server with two slots for the whole module."""
    with running(model, slots=2, context=16384) as started:
        yield started


@pytest.fixture
def door(server: LlamaServer) -> Iterator[Recorder]:
    """Give a door before it that remembers every request."""
    recorder = Recorder(server.url)
    yield recorder
    recorder.close()


def write_prompts(home: Path, count: int, *, name: str = "s", per_session: int = 50) -> None:
    """Write sessions of distinct prompts below the home folder."""
    for first in range(0, count, per_session):
        log = ClaudeSession(
            f"{name}-{first}", start=f"2026-05-0{1 + first // per_session % 9}T10:00:00Z"
        )
        for number in range(first, min(first + per_session, count)):
            log.user(f"Rename the variable number {number} in module {name}")
            log.assistant(f"Variable {number} is renamed.")
        log.write(home / ".claude")


def tag(
    door: Recorder | LlamaServer,
    *arguments: str | Path,
    stack: str = "task",
    view: str = "operations",
) -> Ran:
    """Profile all projects with a model's tags."""
    return run(
        "-o", "-", "--format", "folded", "--all-projects", "--view", view, "--stack", stack,
        "--tagger", "llm", "--llama-url", door.url, *arguments,
    )  # fmt: skip


def tasks_of(ran: Ran) -> dict[str, int]:
    """Return task -> operations of a folded output."""
    lines = [line.rpartition(" ") for line in ran.out.decode().splitlines()]
    return {stack.removeprefix("task:"): int(count) for stack, _, count in lines}


def stored(database: Path) -> list[tuple[str, str, str]]:
    """Return (definition, kind, tag) of every tag of a model that is kept."""
    with sqlite3.connect(database) as connection:
        return connection.execute(
            "select tagger.definition, tag.kind, tag.tag from tag "
            "inner join tagger on tag.tagger_id = tagger.id where tagger.name = 'llm'"
        ).fetchall()


def test_a_word_for_each_prompt_and_none_asked_twice(
    door: Recorder, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 20)
    first = tag(door)
    assert first.code == 0, first.err
    assert len(door.chats()) == 20
    assert all(len(word) in range(3, 13) and word.isalpha() for word in tasks_of(first))
    assert {kind for _, kind, _ in stored(default_path())} == {"prompt"}
    before = len(door.requests)
    second = tag(door)
    assert second.out == first.out
    assert len(door.requests) == before  # not even a look whether the server is there


def test_nothing_is_asked_again_when_the_server_has_gone(
    door: Recorder, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 5)
    first = tag(door)
    door.close()
    second = tag(door)
    assert (second.code, second.out) == (0, first.out)
    assert "nobody answers" not in second.err


def test_a_request_is_what_the_server_needs(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 1)
    tag(door, "--model", "mine")
    (body,) = door.chats()
    assert body["temperature"] == 0
    assert body["max_tokens"] <= 16
    assert body["model"] == "mine"
    assert body["grammar"].startswith("root ::= [a-z] [a-z] [a-z] [a-z]?")
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert [path for method, path, *_ in door.requests if method == "GET"] == [
        "/health", "/v1/models", "/props",
    ]  # fmt: skip


def test_declared_tasks_are_the_tasks_in_every_view(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 12)
    ran = tag(door, *CHOICES)
    assert set(tasks_of(ran)) <= {"bugs", "words"}
    assert 'root ::= "bugs" | "words"' in door.chats()[0]["grammar"]
    asked = len(door.requests)
    for view in ("tokens", "time"):
        assert tasks_of(tag(door, *CHOICES, view=view)).keys() == tasks_of(ran).keys()
    assert len(door.requests) == asked
    assert not set(tasks_of(tag(door))) & {"bugs", "words"}  # another question, another tag
    assert len(door.chats()) == 24


def test_sessions_are_named_once_they_are_looked_at(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 12, per_session=10)
    ran = tag(door, stack="session")
    assert len(door.chats()) == 12 + 2
    names = {line.partition(":")[2].split(" ")[0] for line in ran.out.decode().splitlines()}
    assert names <= {tag for _, kind, tag in stored(default_path()) if kind == "session"}


@pytest.mark.parametrize(("before", "sessions_asked"), [(3, 1), (7, 1), (8, 0), (20, 0)])
def test_a_session_that_grows_is_asked_about_until_it_has_eight_prompts(
    door: Recorder, isolated_machine: Path, before: int, sessions_asked: int
) -> None:
    write_prompts(isolated_machine, before)
    tag(door, stack="session")
    assert len(door.chats()) == before + 1
    write_prompts(isolated_machine, before + 1)
    tag(door, stack="session")
    new = [body["messages"][1]["content"] for body in door.chats()[before + 1 :]]
    assert len(new) == 1 + sessions_asked
    assert sum("first prompts" in text for text in new) == sessions_asked


def test_what_a_model_did_stands_in_the_summary(
    door: Recorder, isolated_machine: Path, tmp_path: Path
) -> None:
    write_prompts(isolated_machine, 5)
    ran = run(
        "-o", tmp_path / "a.folded", "--all-projects", "--tagger", "llm", "--llama-url", door.url,
        "--max-uncached-tags", "3",
    )  # fmt: skip
    found = ran.summary["tagging"]["llm"]
    assert found == {
        "model": "random.gguf", "known": 0, "tagged": 3, "untagged": 0, "pending": 2,
        "requests": 3, "error": "",
    }  # fmt: skip
    assert any("2 texts" in warning for warning in ran.summary["warnings"])
    top = run("top", "--all-projects", "--tagger", "llm", "--llama-url", door.url, "--by", "task")
    assert (top.code, len(door.chats())) == (0, 5)


def test_tags_wait_while_somebody_else_writes(
    door: Recorder, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_prompts(isolated_machine, 40)
    assert run("index").code == 0
    monkeypatch.setattr(llm_tagging, "_LAST_WAIT_SECONDS", 0.1)
    with write_lock(default_path(), 1.0) as is_held:
        assert is_held
        ran = tag(door, "--no-sync")
    assert ran.code == 0
    assert "another agentpprof is writing" in ran.err
    assert stored(default_path()) == []
    monkeypatch.undo()


def test_a_proxy_of_the_environment_is_not_used(
    server: LlamaServer, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    write_prompts(isolated_machine, 2)
    assert tag(server).code == 0
    assert len(stored(default_path())) == 2


def test_answers_are_asked_about_only_if_something_names_them(
    door: Recorder, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 4)
    tag(door)
    assert len(door.chats()) == 4
    ran = tag(door, stack="op,llm")
    assert len(door.chats()) == 8
    assert {kind for _, kind, _ in stored(default_path())} == {"prompt", "llm"}
    words = {tag for _, kind, tag in stored(default_path()) if kind == "llm"}
    assert {f"op:llm;llm:{word}".encode() for word in words} <= {
        line.rpartition(b" ")[0] for line in ran.out.splitlines()
    }


def test_a_prompt_that_only_goes_on_is_not_asked_about(
    door: Recorder, isolated_machine: Path
) -> None:
    log = ClaudeSession("on")
    log.user("Fix the parser of dates")
    log.user("yes, go on")
    log.user("Fix the parser of dates")
    log.write(isolated_machine / ".claude")
    ran = tag(door)
    assert len(door.chats()) == 1
    assert list(tasks_of(ran).values()) == [3]


@pytest.mark.slow
def test_killing_the_server_loses_no_tag_it_gave(model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 200)
    server = LlamaServer(model, slots=2).wait()
    door = Recorder(server.url)
    door.on_chat = lambda number: server.kill() if number == 120 else None
    ran = tag(door)
    assert ran.code == 0
    assert "pending" in ran.err or "the next run asks for them" in ran.err
    kept = len(stored(default_path()))
    assert kept == door.answered
    assert 115 <= kept < 120
    assert sum(tasks_of(ran).values()) == 400
    with running(model, slots=2) as again:
        second_door = Recorder(again.url)
        # Another port is another server; the model is the same, so its tags hold.
        ran = tag(second_door)
        assert ran.code == 0
        assert len(second_door.chats()) == 200 - kept
        second_door.close()
    assert len(stored(default_path())) == 200
    door.close()


def test_no_secret_reaches_the_server(door: Recorder, isolated_machine: Path) -> None:
    log = ClaudeSession("secret")
    log.user(f"Deploy with the token {SECRET} and tell dora@example.com in /home/dora/work")
    log.user("x" * 1190 + f" password: hunter{SECRET} " + "y" * 5000)
    log.assistant(f"I used {SECRET}.")
    log.write(isolated_machine / ".claude")
    assert tag(door, stack="session,llm").code == 0
    assert len(door.chats()) == 4
    seen = b"".join(body for _, _, body, _ in door.requests)
    for hidden in (SECRET, SECRET[:20], SECRET[-20:], "dora"):
        assert hidden.encode() not in seen
    assert b"[secret]" in seen
    assert max(len(body["messages"][1]["content"]) for body in door.chats()) < 2500


def test_a_limit_tags_so_many_and_leaves_the_rest(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 10)
    ran = tag(door, "--max-uncached-tags", "4")
    assert (ran.code, len(door.chats())) == (0, 4)
    assert "6 texts" in ran.err
    assert "refactor" in tasks_of(ran)  # the rule's tag
    tag(door, "--max-uncached-tags", "100")
    assert len(door.chats()) == 10
    assert tag(door, "--max-uncached-tags", "0").code == 0
    assert len(door.chats()) == 10


def test_no_cache_uses_what_is_known_and_keeps_nothing(
    door: Recorder, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 3)
    first = tag(door, "--no-cache")
    assert stored(default_path()) == []
    assert tag(door, "--no-cache").out == first.out
    assert len(door.chats()) == 6
    tag(door)
    tag(door, "--no-cache")
    assert len(door.chats()) == 9


def test_tags_of_a_single_log_are_kept_in_the_default_database(
    door: Recorder, isolated_machine: Path, tmp_path: Path
) -> None:
    write_prompts(tmp_path, 3)
    (log,) = tmp_path.glob(".claude/projects/*/*.jsonl")
    for _ in range(2):
        ran = run(
            "-o", "-", "--format", "folded", "--stack", "task", "--session-file", log,
            "--tagger", "llm", "--llama-url", door.url,
        )  # fmt: skip
        assert ran.code == 0, ran.err
    assert len(door.chats()) == 3
    assert len(stored(default_path())) == 3
    assert stat.S_IMODE(default_path().stat().st_mode) == 0o600


def test_another_database_for_tags(door: Recorder, isolated_machine: Path, tmp_path: Path) -> None:
    write_prompts(isolated_machine, 3)
    tags = tmp_path / "deep" / "tags.db"
    for _ in range(2):
        assert tag(door, "--cache", tags).code == 0
    assert len(door.chats()) == 3
    assert (len(stored(tags)), len(stored(default_path()))) == (3, 0)


def test_a_server_that_loads_is_waited_for(model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 2)
    server = LlamaServer(model)
    until = time.monotonic() + 20
    while time.monotonic() < until:  # its port is open before its model is there
        ran = tag(server)
        if "nobody answers" not in ran.err:
            break
    assert len(stored(default_path())) == 2
    server.stop()


def test_a_key_is_read_from_the_environment_or_a_file(
    model: Path, isolated_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_prompts(isolated_machine, 2)
    key_file = tmp_path / "key"
    key_file.write_text("s3cr3tkey\n")
    key_file.chmod(0o600)
    with running(model, key="s3cr3tkey") as server:
        ran = tag(server)
        assert ran.code == 0
        assert "wants a key (HTTP 401): put it into AGENTPPROF_LLM_KEY" in ran.err
        monkeypatch.setenv("AGENTPPROF_LLM_KEY", "wrongkey")
        ran = tag(server, "--debug")
        assert "refuses the key (HTTP 401)" in ran.err
        assert "wrongkey" not in ran.err + ran.out.decode()
        assert stored(default_path()) == []
        ran = tag(server, "--llm-key-file", key_file, "--verbose", "--debug")
        assert "s3cr3tkey" not in ran.err
        assert len(stored(default_path())) == 2
    key_file.chmod(0o644)
    assert tag(server, "--llm-key-file", key_file).code == 2


def test_nobody_at_the_port(isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 2)
    ran = run(
        "-o", "-", "--format", "folded", "--all-projects", "--stack", "task", "--tagger", "llm",
        "--llama-url", f"http://127.0.0.1:{free_port()}",
    )  # fmt: skip
    assert ran.code == 0
    assert "nobody answers at" in ran.err
    assert "llama-server -m model.gguf" in ran.err
    assert b"task:refactor" in ran.out


def test_a_server_that_hangs_is_given_up(model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 6)
    with running(model) as server:
        tag(server, "--max-uncached-tags", "2")
        server.pause()
        started = time.monotonic()
        ran = tag(server, "--timeout", "0.5")
        server.go_on()
        assert time.monotonic() - started < 10
        assert ran.code == 0
        assert "gave no answer within 0.5 s" in ran.err
        assert "4 texts" in ran.err
        assert len(stored(default_path())) == 2


def test_a_context_that_is_too_small_gets_a_shorter_text(
    model: Path, isolated_machine: Path
) -> None:
    log = ClaudeSession("long")
    log.user("Überlege, warum die Prüfung fehlschlägt. " * 60)
    log.write(isolated_machine / ".claude")
    with running(model, slots=1, context=1024) as server:
        door = Recorder(server.url)
        ran = tag(door)
        assert ran.code == 0, ran.err
        sizes = [len(body["messages"][1]["content"]) for body in door.chats()]
        assert len(sizes) > 1
        assert sizes == sorted(sizes, reverse=True)
        assert len(stored(default_path())) == 1
        door.close()


@pytest.mark.slow
def test_a_run_that_is_broken_off_keeps_what_it_has(
    server: LlamaServer, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 200)
    door = Recorder(server.url)
    door.on_chat = lambda number: time.sleep(0.02)
    process = subprocess.Popen(
        [
            PROGRAM, "tags", "run", "--tagger", "llm", "--llama-url", door.url,
            "--all-projects", "--kind", "prompt",
        ],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ},
    )  # fmt: skip
    until = time.monotonic() + 30
    while len(door.chats()) < 60 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    asked = len(door.chats())
    kept = len(stored(default_path()))
    assert asked - 2 <= kept <= asked < 200
    ran = run(
        "tags", "run", "--tagger", "llm", "--llama-url", door.url, "--all-projects",
        "--kind", "prompt",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert f"{200 - kept} new tags, {kept} known before" in ran.out.decode()
    assert len(door.chats()) == asked + 200 - kept
    door.close()


def test_a_dry_run_sends_nothing(isolated_machine: Path) -> None:
    log = ClaudeSession("dry")
    log.user(f"Deploy with {SECRET}, mail to a@example.com")
    log.user("Write the docs")
    log.write(isolated_machine / ".claude")
    url = f"http://127.0.0.1:{free_port()}"
    ran = run(
        "tags", "run", "--tagger", "llm", "--llama-url", url, "--dry-run", "--json",
        "--all-projects",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = ran.summary
    assert found["texts"] == 3
    assert found["kinds"] == {"session": 1, "prompt": 2, "llm": 0}
    assert (found["secrets"], found["emails"]) == (2, 2)
    assert 0 < found["text_bytes"] < found["request_bytes"]


def test_two_taggers_are_compared(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 8)
    choices = ("--task-choice", "refactor=changing code", "--task-choice", "docs=writing")
    ran = run("tags", "compare", "--all-projects", *choices)
    assert ran.code == 1
    assert "agentpprof tags run --tagger llm" in ran.err
    server = ("--llama-url", door.url)
    run("tags", "run", "--tagger", "llm", *server, "--all-projects", *choices)
    ran = run("tags", "compare", "--all-projects", "--json", *server, *choices)
    assert ran.code == 0, ran.err
    found = ran.summary
    assert found["texts"] == 8
    matrix = found["matrix"]["refactor"]
    assert found["agreed"] == matrix.get("refactor", 0)
    assert sum(matrix.values()) == 8
    assert "Rename" not in ran.out.decode()
    shown = run("tags", "compare", "--all-projects", "--include-previews", *server, *choices)
    assert shown.out.decode().count("Rename the variable") == 8 - found["agreed"]


def test_a_watcher_tags_what_comes(door: Recorder, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 5)
    ran = run("watch", "--once", "--tagger", "llm", "--llama-url", door.url)
    assert ran.code == 0, ran.err
    assert [kind for _, kind, _ in stored(default_path())].count("prompt") == 5
    asked = len(door.requests)
    assert tag(door).code == 0
    assert len(door.requests) == asked
    free = f"http://127.0.0.1:{free_port()}"
    write_prompts(isolated_machine, 6, name="t")
    ran = run("watch", "--once", "--tagger", "llm", "--llama-url", free)
    assert (ran.code, "nobody answers" in ran.err) == (0, True)


def test_the_server_may_stand_in_the_configuration(
    door: Recorder, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTPPROF_LLAMA_URL", door.url)
    write_prompts(isolated_machine, 3)
    assert run("tags", "run", "--tagger", "llm", "--all-projects").code == 0
    assert len(door.chats()) == 4
    assert run("tags", "compare", "--all-projects").code == 0
    assert run("watch", "--once", "--tagger", "llm").code == 0
    assert len(door.chats()) == 4
