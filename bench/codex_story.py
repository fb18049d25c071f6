"""What makes a log of a story that Codex tells, as claude_story.py does for Claude Code."""

import json
import random
from collections.abc import Callable
from typing import Any

import demo_texts
from builders import Record, uuid_of
from builders_codex import (
    CodexThread,
    codex_usage,
    event,
    function_call,
    function_output,
    reasoning,
    web_search,
)


class CodexStory(CodexThread):
    """A thread told step by step."""

    def __init__(self, cwd: str, start: str, *, model: str = "gpt-5.2-codex", **meta: Any) -> None:
        """Begin at `start` (`2026-05-04T08:12`) in the folder `cwd` below the home folder."""
        thread_id = uuid_of("demo-thread", cwd, start, meta.get("thread_source", ""))
        start = start if len(start) > 20 else f"{start}:03.120Z"
        super().__init__(thread_id, cwd=f"/home/dev/{cwd}", start=start, model=model, **meta)
        self.random = random.Random(f"codex {cwd} {start}")
        self.context, self.cached = self.random.randint(9_000, 12_500), 0

    def usage(self, weight: int = 0) -> Record:
        """Counts of the next response; `weight` is what the last answer added to the context."""
        self.context += weight or self.random.randint(300, 2_900)
        output = self.random.randint(60, 900)
        thought = output * self.random.randint(20, 70) // 100
        last = codex_usage(self.context, output, cached=self.cached, reasoning=thought)
        self.cached = self.context // 128 * 128
        self.context += output
        return last

    def think(self, words: str) -> None:
        """A summary of what the model thinks."""
        self.add(reasoning(words), after=3.1)
        self.add(event("agent_reasoning", text=words), after=0.01)

    def run(self, command: str, answer: str = "", *, seconds: float = 0.8, code: int = 0) -> None:
        """A shell command; every third count is logged twice, as the real ones are."""
        is_repeated = self.random.random() < 0.35
        self.shell(command, answer, exit_code=code, usage=self.usage(), after=seconds)
        if is_repeated:
            self.records.append({**self.records[-1], "timestamp": self.clock.tick(0.4)})

    def change(self, *paths: str, new: str = "", gone: str = "") -> None:
        """A patch that updates `paths`, adds `new` and deletes `gone`."""
        parts = []
        for path in paths:
            old, fresh = demo_texts.change(path, self.random)
            body = "".join(f"-{one}\n" for one in old.splitlines())
            body += "".join(f"+{one}\n" for one in fresh.splitlines())
            parts.append(f"*** Update File: {path}\n@@\n{body.rstrip()}")
        if new:
            body = "".join(f"+{one}\n" for one in demo_texts.content(new).splitlines())
            parts.append(f"*** Add File: {new}\n{body.rstrip()}")
        if gone:
            parts.append(f"*** Delete File: {gone}")
        self.patch("\n".join(parts), usage=self.usage(300))

    def search(self, query: str) -> None:
        """A web search."""
        self.add(web_search(query), after=4)
        self.count(self.usage(1_800))

    def mcp(self, server: str, tool: str, arguments: Record, answer: str) -> None:
        """Call a tool of an MCP server."""
        said = f"Wall time: 0.4120 seconds\nOutput:\n{answer}"
        self.call(f"mcp__{server}__{tool}", arguments, said, usage=self.usage(), after=0.5)

    def plan(self, *steps: str) -> None:
        """Write the plan."""
        rows = [{"step": one, "status": "pending"} for one in steps]
        self.call("update_plan", {"plan": rows}, "Plan updated", usage=self.usage(80), after=0.1)

    def done(self, words: str) -> None:
        """End the turn."""
        self.answer(words, usage=self.usage(120), after=4)

    def spawn(
        self, role: str, task: str, tell: Callable[["CodexStory"], None], *, found: str
    ) -> "CodexStory":
        """Start a sub-agent's thread, tell its part, wait for it; return its thread."""
        input = {"message": task, "agent_type": role}
        call = self.add(function_call("spawn_agent", input, call_id=self._new_id("spawn_agent")))
        source = {"parent_thread_id": self.thread_id, "depth": 1, "agent_role": role}
        child = CodexStory(
            self.cwd.removeprefix("/home/dev/"),
            self.clock.now(),
            model=self.model,
            source={"subagent": {"thread_spawn": source}},
            thread_source="subagent",
            parent_thread_id=self.thread_id,
        )
        self.add(function_output(call, json.dumps({"agent_id": child.thread_id})), after=0.3)
        self.count(self.usage(60))
        child.turn(task)
        tell(child)
        child.done(found)
        spent = (child.clock.time - self.clock.time).total_seconds()
        said = json.dumps({"status": {child.thread_id: {"completed": found}}, "timed_out": False})
        self.call("wait", {"ids": [child.thread_id]}, said, usage=self.usage(), after=spent)
        return child
