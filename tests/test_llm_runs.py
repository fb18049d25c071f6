"""Tags by a model, with a real llama.cpp server: whole runs of the command line."""

import stat
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import run
from llama_server import Recorder, free_port
from llm_runs import stored, tag, tasks_of, write_prompts

from agentpprof.store.database import default_path

CHOICES = ("--task-choice", "bugs=finding faults", "--task-choice", "words=writing texts")
SECRET = "ghp_" + "aB3dE6fG9hJ2kL5mN8pQ1rS4tU7vW0xYzA1b"


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
