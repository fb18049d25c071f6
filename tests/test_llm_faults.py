"""Tags by a model when something goes wrong: with a real llama.cpp server that is made to fail."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import PROGRAM, run
from llama_server import LlamaServer, Recorder, free_port, running
from llm_runs import stored, tag, tasks_of, write_prompts

from agentpprof.runs import llm_tagging
from agentpprof.store.database import default_path, write_lock


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
    llama_server: LlamaServer, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    write_prompts(isolated_machine, 2)
    assert tag(llama_server).code == 0
    assert len(stored(default_path())) == 2


@pytest.mark.slow
def test_killing_the_server_loses_no_tag_it_gave(llama_model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 200)
    server = LlamaServer(llama_model, slots=2).wait()
    door = Recorder(server.url)
    door.on_chat = lambda number: server.kill() if number == 120 else None
    ran = tag(door)
    assert ran.code == 0
    assert "pending" in ran.err or "the next run asks for them" in ran.err
    kept = len(stored(default_path()))
    assert kept == door.answered
    assert 115 <= kept < 120
    assert sum(tasks_of(ran).values()) == 400
    with running(llama_model, slots=2) as again:
        second_door = Recorder(again.url)
        # Another port is another server; the model is the same, so its tags hold.
        ran = tag(second_door)
        assert ran.code == 0
        assert len(second_door.chats()) == 200 - kept
        second_door.close()
    assert len(stored(default_path())) == 200
    door.close()


def test_a_server_that_loads_is_waited_for(llama_model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 2)
    server = LlamaServer(llama_model)
    until = time.monotonic() + 20
    while time.monotonic() < until:  # its port is open before its model is there
        ran = tag(server)
        if "nobody answers" not in ran.err:
            break
    assert len(stored(default_path())) == 2
    server.stop()


def test_a_key_is_read_from_the_environment_or_a_file(
    llama_model: Path, isolated_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_prompts(isolated_machine, 2)
    key_file = tmp_path / "key"
    key_file.write_text("s3cr3tkey\n")
    key_file.chmod(0o600)
    with running(llama_model, key="s3cr3tkey") as server:
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


def test_a_server_that_hangs_is_given_up(llama_model: Path, isolated_machine: Path) -> None:
    write_prompts(isolated_machine, 6)
    with running(llama_model) as server:
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
    llama_model: Path, isolated_machine: Path
) -> None:
    log = ClaudeSession("long")
    log.user("Überlege, warum die Prüfung fehlschlägt. " * 60)
    log.write(isolated_machine / ".claude")
    with running(llama_model, slots=1, context=1024) as server:
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
    llama_server: LlamaServer, isolated_machine: Path
) -> None:
    write_prompts(isolated_machine, 200)
    door = Recorder(llama_server.url)
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
