"""Runs with a model's tags, for tests: histories of prompts, and what was kept of the answers."""

import sqlite3
from pathlib import Path

from builders import ClaudeSession
from command_line import Ran, run
from llama_server import LlamaServer, Recorder


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
