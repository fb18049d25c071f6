"""What makes a log of a story that Claude Code tells.

Token counts follow a context that grows and a cache that expires, times follow a clock. The shapes
of records are those of tests/builders.py.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import demo_texts
from builders import (
    ClaudeSession,
    Record,
    api_error,
    claude_usage,
    identifier,
    interrupt,
    progress_copy,
    rejection,
    system,
    text,
    thinking,
    tool_block,
    tool_result,
    uuid_of,
)

OPUS = "claude-opus-4-6"
SONNET = "claude-sonnet-4-5-20250929"
HAIKU = "claude-haiku-4-5-20251001"
CACHE_SECONDS = 300
# What a tool's answer adds to the context; the answers in the logs are cut short.
ANSWER_TOKENS = {
    "Read": (900, 6500),
    "Bash": (150, 2600),
    "Grep": (200, 1900),
    "WebFetch": (1200, 5200),
    "WebSearch": (900, 2400),
    "Agent": (600, 1800),
    "Task": (600, 1800),
}


class ClaudeStory(ClaudeSession):
    """A session told step by step: what is asked, done and answered."""

    def __init__(
        self, cwd: str, start: str, *, model: str = SONNET, session_id: str = "", **fields: Any
    ) -> None:
        """Begin at `start` (`2026-05-04T08:12`) in the folder `cwd` below the home folder."""
        agent_id = fields.get("agent_id", "")
        session_id = session_id or uuid_of("demo", cwd, start)
        fields = {"version": "2.1.138", "gitBranch": "main", **fields}
        start = start if len(start) > 20 else f"{start}:07.412Z"
        super().__init__(session_id, cwd=f"/home/dev/{cwd}", start=start, model=model, **fields)
        self.random = random.Random(f"{cwd} {start} {agent_id}")
        self.changed: Counter[tuple[str, str]] = Counter()
        self.context = self.random.randint(15_500, 19_800) if not agent_id else 7_300
        self.cached = 0
        self.cached_at = self.clock.time
        self.children: list[tuple[ClaudeStory, Record]] = []

    # ------------------------------------------------------------------ what people do

    def ask(self, prompt: str, *, after: float = 4) -> Record:
        """A person types a prompt."""
        self.context += 30 + len(prompt) // 3
        return self.user(prompt, after=after, permissionMode="default")

    def slash(self, name: str, arguments: str, body: str, *, after: float = 4) -> None:
        """A person starts a command of the project: its text follows as an injected row."""
        words = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
        self.user(f"{words}\n<command-args>{arguments}</command-args>", after=after)
        self.context += 400
        self.user([text(body)], after=0.02, isMeta=True)

    def local(self, name: str, output: str) -> None:
        """A person runs a built-in command: no prompt."""
        words = f"<command-name>/{name}</command-name>\n<command-message>{name}</command-message>"
        self.user(f"{words}\n<command-args></command-args>", after=3)
        self.user(f"<local-command-stdout>{output}</local-command-stdout>", after=0.1)

    def queue(self, prompt: str) -> None:
        """A person types while the agent works."""
        at = self.clock.tick(2)
        self.side("queue-operation", operation="enqueue", timestamp=at, content=prompt)
        self.side("queue-operation", operation="remove", timestamp=self.clock.tick(1))
        record = system("queued", at=self.clock.tick(0.1))
        for key in ("subtype", "level"):
            record.pop(key)
        self.add(
            {
                **record,
                "type": "attachment",
                "attachment": {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"},
            }
        )

    def idle(self, minutes: float) -> None:
        """Nothing happens for a while."""
        self.clock.tick(minutes * 60)

    def stop(self, *, for_tool_use: bool = False, after: float = 6) -> None:
        """A person interrupts."""
        self.add(interrupt(for_tool_use=for_tool_use, at=self.clock.tick(after)))

    # ------------------------------------------------------------------ what the agent does

    def _usage(self, output: int) -> Record:
        waited = (self.clock.time - self.cached_at).total_seconds()
        read = self.cached if waited < CACHE_SECONDS else 0
        written, self.cached, self.cached_at = self.context - read, self.context, self.clock.time
        self.context += output
        details = {"output_tokens_details": {"thinking_tokens": output // 3}}
        ttl = "cache_write_1h" if self.model == OPUS else "cache_write_5m"
        counts = {"cache_read": read, "cache_write_5m": 0, ttl: written}
        return claude_usage(self.random.randint(3, 11), output, **counts, **details)

    def _respond(self, blocks: list[Record], words: int) -> list[Record]:
        output = self.random.randint(60, 240) + words // 2
        if blocks[0]["type"] == "thinking":
            output += self.random.randint(200, 1900)
        return self.respond(blocks, usage=self._usage(output), after=2.2 + output / 70)

    def step(
        self,
        name: str,
        input: Any,
        answer: Any,
        *,
        say: str = "",
        think: str = "",
        seconds: float = 0.4,
        fails: bool = False,
        structured: Any = None,
    ) -> Record:
        """One tool call with its answer; return the call."""
        call = self.start(name, input, say=say, think=think)
        low, high = ANSWER_TOKENS.get(name, (60, 500))
        self.context += self.random.randint(low, high)
        self.tool_result(
            call,
            answer,
            after=seconds,
            is_error=True if fails else None,
            tool_use_result=structured,
        )
        return call

    def start(self, name: str, input: Any, *, say: str = "", think: str = "") -> Record:
        """One tool call without an answer yet; return it."""
        blocks = [thinking(think)] if think else []
        blocks += [text(say)] if say else []
        blocks.append(tool_block(name, input))
        return self._respond(blocks, len(json.dumps(input)) + len(say))[-1]

    def together(self, *calls: tuple[str, Any, str], say: str = "", seconds: float = 1.2) -> None:
        """Several calls of one response, answered one after the other."""
        blocks = [text(say)] if say else []
        blocks += [tool_block(name, input) for name, input, _ in calls]
        rows = self._respond(blocks, 60 * len(calls))[-len(calls) :]
        for row, (name, _, answer) in zip(rows, calls, strict=True):
            low, high = ANSWER_TOKENS.get(name, (60, 500))
            self.context += self.random.randint(low, high)
            self.tool_result(row, answer, after=seconds / len(calls))

    def answer(self, words: str) -> None:
        """The last response of a turn."""
        self._respond([text(words)], len(words))
        if not self.agent_id:
            length = self.random.randint(9_000, 400_000)
            self.add(system("turn_duration", durationMs=length, at=self.clock.tick(0.05)))

    def bash(self, command: str, answer: str = "", *, seconds: float = 0.9, **more: Any) -> Record:
        """A shell command."""
        if more.get("fails"):
            answer = (
                answer if answer.startswith(("Exit code", "Command")) else f"Exit code 1\n{answer}"
            )
        else:
            more["structured"] = {"stdout": answer, "stderr": "", "interrupted": False}
        input = {"command": command, "description": demo_texts.describe(command)}
        return self.step("Bash", input, answer, seconds=seconds, **more)

    def read(self, path: str, *, offset: int = 0, **more: Any) -> Record:
        """Read a file of the project."""
        full = self.place(path)
        shown = demo_texts.numbered(path, offset)
        input = {"file_path": full, **({"offset": offset, "limit": 120} if offset else {})}
        return self.step("Read", input, shown, structured={"type": "text"}, **more)

    def edit(self, path: str, **more: Any) -> Record:
        """Change a few lines of a file."""
        old, new = demo_texts.change(path, self.random)
        times = self.changed[path, old]
        self.changed[path, old] += 1
        old, new = "\n" * times + old, "\n" * times + new  # another place, not the same edit again
        input = {"file_path": self.place(path), "old_string": old, "new_string": new}
        said = f"The file {self.place(path)} has been updated successfully."
        structured = {"filePath": self.place(path), "userModified": False}
        return self.step("Edit", input, said, **{"structured": structured, **more})

    def create(self, path: str, **more: Any) -> Record:
        """Write a new file."""
        input = {"file_path": self.place(path), "content": demo_texts.content(path)}
        structured = {"type": "create", "filePath": self.place(path)}
        said = f"File created successfully at: {self.place(path)}"
        return self.step("Write", input, said, structured=structured, **more)

    def grep(self, pattern: str, path: str = "", answer: str = "", **more: Any) -> Record:
        """Search the project."""
        input = {"pattern": pattern, "path": self.place(path), "output_mode": "content", "-n": True}
        return self.step("Grep", input, answer or "No matches found", **more)

    def fetch(self, url: str, question: str, answer: str, **more: Any) -> Record:
        """Read a page of the web."""
        more = {"seconds": 3.4, **more}
        return self.step("WebFetch", {"url": url, "prompt": question}, answer, **more)

    def web(self, query: str, answer: str) -> Record:
        """Search the web."""
        return self.step("WebSearch", {"query": query}, answer, seconds=5.1)

    def mcp(self, server: str, tool: str, input: Record, answer: str, **more: Any) -> Record:
        """Call a tool of an MCP server."""
        return self.step(f"mcp__{server}__{tool}", input, [text(answer)], **more)

    def todo(self, *tasks: str) -> Record:
        """Write the list of what is to be done."""
        rows = [{"content": one, "status": "pending", "activeForm": one} for one in tasks]
        return self.step("TodoWrite", {"todos": rows}, "Todos have been modified successfully.")

    def commented(self, name: str, input: Record, comment: str) -> None:
        """A call that the person allows with a remark beside the answer."""
        call = self.start(name, input)
        record = tool_result(call, "ok", at=self.clock.tick(17))
        record["message"]["content"].append(text(comment))
        self.add(record)

    def skill(self, name: str, body: str, *, arguments: str = "") -> None:
        """Start a skill: its text follows as an injected row."""
        input = {"skill": name, **({"args": arguments} if arguments else {})}
        structured = {"success": True, "commandName": name}
        call = self.step("Skill", input, f"Launching skill: {name}", structured=structured)
        words = f"Base directory for this skill: {self.place('.claude/skills/' + name)}\n\n{body}"
        call_id = call["message"]["content"][0]["id"]
        self.user([text(words)], after=0.02, isMeta=True, sourceToolUseID=call_id)

    def refused(self, name: str, input: Record, *, say: str = "", after: float = 21) -> None:
        """A call that the person does not allow."""
        call = self.start(name, input, say=say)
        self.add(rejection(call, at=self.clock.tick(after)))

    def broken(self, words: str = "API Error: 529 Overloaded", *, after: float = 31) -> None:
        """A request that failed for good."""
        self.add(api_error(words, at=self.clock.tick(after)))

    def compact(self, summary: str) -> None:
        """The context is summed up and begins anew."""
        details = {"trigger": "auto", "preTokens": self.context}
        self.add(
            system("compact_boundary", at=self.clock.tick(40), compactMetadata=details),
            parentUuid=None,
        )
        words = f"This session is being continued from a previous conversation.\n{summary}"
        self.user(words, after=0.1, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        self.context, self.cached = 21_400, 0

    def agent(
        self,
        kind: str,
        task: str,
        prompt: str,
        tell: Callable[["ClaudeStory"], None],
        *,
        found: str,
        model: str = HAIKU,
        in_progress_records: bool = False,
        tool: str = "Agent",
    ) -> None:
        """Start a sub-agent, tell its part, return what it found."""
        input = {"description": task, "prompt": prompt, "subagent_type": kind}
        call = self.start(tool, input, say=f"I'll let an agent do this: {task}.")
        child = self._child(prompt, model)
        tell(child)
        child.answer(found)
        if in_progress_records:
            for record in child.records:
                self.add(progress_copy(record, child.agent_id, call))
        else:
            meta = {"agentType": kind, "description": task}
            meta["toolUseId"] = call["message"]["content"][0]["id"]
            self.children.append((child, meta))
        spent = (child.clock.time - self.clock.time).total_seconds()
        self.context += self.random.randint(600, 1800)
        structured = {"status": "completed", "agentId": child.agent_id, "agentType": kind}
        structured |= {"totalDurationMs": round(spent * 1000), "totalTokens": child.context}
        result = [text(found), text(f"agentId: {child.agent_id}")]
        self.tool_result(call, result, after=spent + 0.3, tool_use_result=structured)

    def _child(self, prompt: str, model: str) -> "ClaudeStory":
        cwd = self.fields["cwd"].removeprefix("/home/dev/")
        agent_id = "a" + identifier(self.session_id, len(self.records), length=16)
        child = ClaudeStory(
            cwd,
            self.clock.now(),
            model=model,
            session_id=self.session_id,
            agent_id=agent_id,
            version=self.fields["version"],
            gitBranch=self.fields["gitBranch"],
        )
        child.user(prompt, after=0.4)
        return child

    def resume(self, start: str) -> "ClaudeStory":
        """Go on in a new file, which begins with copies of all records, as old versions do."""
        cwd = self.fields["cwd"].removeprefix("/home/dev/")
        kept = {key: self.fields[key] for key in ("version", "gitBranch")}
        later = ClaudeStory(cwd, start, model=self.model, **kept)
        later.records = [{**record, "sessionId": later.session_id} for record in self.records]
        later.parent, later.context = self.parent, self.context
        return later

    def place(self, path: str) -> str:
        """Absolute form of a path of the project."""
        return path if path.startswith("/") else f"{self.fields['cwd']}/{path}".rstrip("/")

    def save(self, home: Path, title: str) -> None:
        """Write the session and its sub-agents."""
        self.side("ai-title", aiTitle=title)
        self.write(home)
        for child, meta in self.children:
            path = child.write(home)
            path.with_suffix(".meta.json").write_text(json.dumps(meta) + "\n", encoding="utf-8")
