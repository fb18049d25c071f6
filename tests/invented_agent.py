"""The decoder of an agent that nobody has: a line is `{"say": "…"}` or `{"do": "…", "id": "…"}`."""

import json
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from agentpprof.agents.facts import CallFact, Fact, PromptFact, Where, signature_of

RECORD_KINDS = {"say": "counted: prompt", "do": "counted: tool call"}


class State(Struct):
    """Nothing is carried from one read to the next."""


def looks_like(head: bytes) -> bool:
    """Say whether a file is one of its logs."""
    return head.startswith((b'{"say"', b'{"do"'))


def initial_state(path: str) -> State:
    """Return the state at byte 0."""
    return State()


def decode(data: bytes, offset: int, path: str, state: State) -> tuple[list[Fact], State]:
    """Decode whole lines."""
    where = Where(PurePath(path).stem, cwd="/home/dev/shop")
    facts: list[Fact] = []
    for line in data.splitlines(keepends=True):
        facts.append(_fact(json.loads(line), where, offset))
        offset += len(line)
    return facts, state


def _fact(record: dict[str, Any], where: Where, offset: int) -> Fact:
    if "say" in record:
        natural_id = f"{where.session_id}/{offset}"
        return PromptFact(where, offset, 1000, natural_id, "typed", record["say"])
    given = {"command": record["do"]}
    return CallFact(where, offset, 2000, record["id"], "shell", given, signature_of(b"1"))


def sidecar_path(path: str) -> str | None:
    """Return None: there is no such file."""
    return None


def decode_sidecar(data: bytes, path: str) -> list[Fact]:
    """Return nothing."""
    return []
