"""Results of Codex tools by how their outputs begin (docs/formats.md, "Outputs of tools")."""

import json
from typing import Any

import msgspec
import pytest

from agentpprof.agents.codex_outputs import agent_of, read_output

OLD = '{"output":"%s","metadata":{"exit_code":%d,"duration_seconds":0.1}}'


def read(output: Any) -> tuple[str, int | None, str]:
    """Result, exit code and session of an output."""
    result, _, exit_code, session = read_output(msgspec.Raw(json.dumps(output).encode()))
    return result, exit_code, session


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        (OLD % ("fine", 0), ("ok", 0, "")),
        (OLD % ("bad", 127), ("error", 127, "")),
        (OLD % ("long " * 500, 2), ("error", 2, "")),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx", ("ok", 0, "")),
        ("Exit code: -1\nWall time: 0.1 seconds\nOutput:\nx", ("error", -1, "")),
        ("Wall time: 0.0523 seconds\nProcess exited with code 3\nOutput:\n", ("error", 3, "")),
        (
            "Chunk ID: ab12cd\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n",
            ("ok", 0, ""),
        ),
        (
            "Wall time: 10.0 seconds\nProcess running with session ID 42\nOutput:\n",
            ("unknown", None, "42"),
        ),
        ("Wall time: 0.1234 seconds\nOutput:\nProcess exited with code 9", ("ok", None, "")),
        ([{"type": "input_text", "text": "Wall time: 1 seconds\nOutput:\n"}], ("ok", None, "")),
        ([{"type": "input_text", "text": "Exit code: 4\n"}], ("error", 4, "")),
        ("aborted by user after 3.2s", ("interrupted", None, "")),
        ("Wall time: 3.2 seconds\naborted by user", ("interrupted", None, "")),
        ("exec command rejected by user", ("rejected", None, "")),
        ("patch rejected by user", ("rejected", None, "")),
        ("rejected by user", ("rejected", None, "")),
        ("command timed out after 10000 milliseconds", ("error", None, "")),
        ("failed in sandbox None with execution error: x", ("error", None, "")),
        ("Script completed\nWall time 1.2 seconds", ("ok", None, "")),
        ("Script failed\nWall time 1.2 seconds", ("error", None, "")),
        ("Script running with cell ID c7\nWall time 1 seconds", ("unknown", None, "cell:c7")),
        ({"content": "x", "success": False}, ("error", None, "")),
        ({"content": "x", "success": True}, ("ok", None, "")),
        ("a.txt\n", ("ok", None, "")),
        ("", ("ok", None, "")),
        (None, ("ok", None, "")),
        ([], ("ok", None, "")),
        ("Output:\nExit code: 5", ("ok", None, "")),
    ],
)
def test_the_head_of_an_output_says_how_it_went(
    output: Any, wanted: tuple[str, int | None, str]
) -> None:
    assert read(output) == wanted


def test_the_size_is_that_of_the_log() -> None:
    assert read_output(msgspec.Raw(b'"a\\nb"'))[1] == 4
    assert read_output(msgspec.Raw(b""))[:2] == ("ok", 0)


@pytest.mark.parametrize(
    ("answer", "thread"),
    [
        (json.dumps({"agent_id": "019f-1", "nickname": "Ada"}), "019f-1"),
        (json.dumps({"task_name": "/root/x"}), ""),
        ("collab spawn failed", ""),
    ],
)
def test_the_answer_to_a_spawn_may_name_the_child(answer: str, thread: str) -> None:
    assert agent_of(msgspec.Raw(json.dumps(answer).encode())) == thread
