"""Rollout lines of Codex, invented, for tests and the bundled example history.

Plain functions return one line as a dict; `CodexThread` adds a running clock and token totals.

    log = CodexThread("thread-1", cwd="/home/dev/gate")
    log.turn("Why does the build fail?")
    log.shell("go build ./...", "undefined: parse", exit_code=1)
    log.answer("A helper was renamed.")
    path = log.write(home)              # home/sessions/2026/05/04/rollout-….jsonl
"""

import json
from pathlib import Path
from typing import Any

from builders import CODEX_MODEL, START, Clock, Record, identifier, write_log


def line(kind: str, payload: Record, *, at: str = START, **fields: Any) -> Record:
    """One line of a rollout."""
    return {"timestamp": at, "type": kind, "payload": payload, **fields}


def item(kind: str, *, at: str = START, **payload: Any) -> Record:
    """A `response_item` line."""
    return line("response_item", {"type": kind, **payload}, at=at)


def event(kind: str, *, at: str = START, **payload: Any) -> Record:
    """An `event_msg` line."""
    return line("event_msg", {"type": kind, **payload}, at=at)


def meta(
    thread_id: str = "thread-1",
    *,
    cwd: str = "/home/dev/gate",
    at: str = START,
    **payload: Any,
) -> Record:
    """The `session_meta` line that a file begins with."""
    full = {
        "id": thread_id,
        "timestamp": at,
        "cwd": cwd,
        "originator": "codex_cli_rs",
        "cli_version": "0.130.0",
        "source": "cli",
        "model_provider": "openai",
        "base_instructions": {"text": "You are a coding agent."},
        "git": {"commit_hash": identifier("commit", thread_id, length=40), "branch": "main"},
    }
    return line("session_meta", {**full, **payload}, at=at)


def turn_context(
    turn_id: str = "turn-1",
    *,
    cwd: str = "/home/dev/gate",
    model: str = CODEX_MODEL,
    at: str = START,
    **payload: Any,
) -> Record:
    """Settings of a turn: the model in force."""
    full = {
        "turn_id": turn_id,
        "cwd": cwd,
        "approval_policy": "on-request",
        "sandbox_policy": {"type": "workspace-write", "network_access": False},
        "model": model,
        "effort": "medium",
        "summary": "auto",
    }
    return line("turn_context", {**full, **payload}, at=at)


def user_message(message: str, *, at: str = START, **payload: Any) -> Record:
    """A person's prompt (legacy history)."""
    empty: Record = {"images": [], "local_images": [], "text_elements": []}
    return event("user_message", message=message, at=at, **{**empty, **payload})


def message(words: str, *, role: str = "assistant", at: str = START, **payload: Any) -> Record:
    """A `message` item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": words}], at=at, **payload)


def reasoning(words: str, *, at: str = START) -> Record:
    """A `reasoning` item with a readable summary."""
    summary = [{"type": "summary_text", "text": words}]
    return item("reasoning", summary=summary, content=None, encrypted_content="AAAA", at=at)


def function_call(
    name: str, arguments: Any, *, call_id: str = "", at: str = START, **payload: Any
) -> Record:
    """A tool call; `arguments` becomes a string of JSON unless it is a string."""
    call_id = call_id or "call_" + identifier(at, name, arguments)
    packed = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return item("function_call", name=name, arguments=packed, call_id=call_id, at=at, **payload)


def function_output(call: Record | str, output: Any = "ok", *, at: str = START) -> Record:
    """The answer to a `function_call` (its line or id)."""
    return item("function_call_output", call_id=_call_id(call), output=output, at=at)


def custom_call(name: str, input: str, *, call_id: str = "", at: str = START) -> Record:
    """A freeform tool call, such as `apply_patch`."""
    call_id = call_id or "call_" + identifier(at, name, input)
    return item(
        "custom_tool_call", name=name, input=input, call_id=call_id, status="completed", at=at
    )


def custom_output(call: Record | str, output: Any = "ok", *, at: str = START) -> Record:
    """The answer to a `custom_call`."""
    return item("custom_tool_call_output", call_id=_call_id(call), output=output, at=at)


def web_search(query: str, *, at: str = START, **action: Any) -> Record:
    """A web search: it has no id and no answer."""
    full = {"type": "search", "query": query, **action}
    return item("web_search_call", status="completed", action=full, at=at)


def codex_usage(
    input_tokens: int = 1000,
    output_tokens: int = 50,
    *,
    cached: int = 0,
    reasoning: int = 0,
    cache_write: int | None = None,
) -> Record:
    """Counts of one response: input holds cached, output holds reasoning."""
    written = {} if cache_write is None else {"cache_write_input_tokens": cache_write}
    return {
        "input_tokens": input_tokens,
        "cached_input_tokens": cached,
        **written,
        "output_tokens": output_tokens,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input_tokens + output_tokens,
    }


def token_count(
    total: Record | None, last: Record | None = None, *, at: str = START, **payload: Any
) -> Record:
    """The running total and the last response's counts; `total` None: no counts yet."""
    info = None
    if total is not None:
        info = {"total_token_usage": total, "last_token_usage": last or total}
        info["model_context_window"] = 258_400
    limits = {"primary": {"used_percent": 4.0, "window_minutes": 300}, "secondary": None}
    return event("token_count", info=info, rate_limits=limits, at=at, **payload)


def shell_output(text: str, *, exit_code: int = 0, seconds: float = 0.5) -> str:
    """What `exec_command` answers."""
    head = f"Chunk ID: {identifier(text, length=6)}\nWall time: {seconds:.4f} seconds\n"
    count = f"Original token count: {len(text) // 4}\n"
    return f"{head}Process exited with code {exit_code}\n{count}Output:\n{text}"


def _call_id(call: Record | str) -> str:
    return call if isinstance(call, str) else str(call["payload"]["call_id"])


class CodexThread:
    """Lines of one thread, each a little later than the one before."""

    def __init__(
        self,
        thread_id: str = "thread-1",
        *,
        cwd: str = "/home/dev/gate",
        start: str = START,
        model: str = CODEX_MODEL,
        **meta_fields: Any,
    ) -> None:
        """Begin a log with its `session_meta` line."""
        self.thread_id, self.cwd, self.model = thread_id, cwd, model
        self.clock = Clock(start)
        self.records = [meta(thread_id, cwd=cwd, at=start, **meta_fields)]
        self.total = codex_usage(0, 0)
        self.turns = 0

    @property
    def turn_id(self) -> str:
        """Id of the turn that runs."""
        return f"{self.thread_id}-turn-{self.turns}"

    def add(self, record: Record, *, after: float = 1) -> Record:
        """Append `record` at the next time."""
        self.records.append({**record, "timestamp": self.clock.tick(after)})
        return self.records[-1]

    def turn(self, prompt: str, *, after: float = 1) -> Record:
        """Begin a turn: marks, settings, the prompt in its two forms; return the prompt's event."""
        self.turns += 1
        window = {"model_context_window": 258_400}
        self.add(event("task_started", turn_id=self.turn_id, **window), after=after)
        self.add(turn_context(self.turn_id, cwd=self.cwd, model=self.model), after=0.01)
        self.add(message(prompt, role="user"), after=0.01)
        return self.add(user_message(prompt), after=0.01)

    def count(self, last: Record | None = None, *, repeats: int = 0) -> Record:
        """Append the count of a response, then `repeats` lines that say the same again."""
        last = codex_usage() if last is None else last
        self.total = {key: self.total.get(key, 0) + value for key, value in last.items()}
        record = self.add(token_count(self.total, last), after=0.02)
        for _ in range(repeats):
            self.add(token_count(self.total, last), after=0.3)
        return record

    def call(
        self,
        name: str,
        arguments: Any,
        output: Any = "ok",
        *,
        usage: Record | None = None,
        after: float = 1,
    ) -> Record:
        """Append a tool call, its answer `after` seconds later and its count; return the call."""
        call = self.add(function_call(name, arguments, call_id=self._new_id(name)))
        self.add(function_output(call, output), after=after)
        self.count(usage)
        return call

    def shell(
        self,
        command: str,
        output: str = "",
        *,
        exit_code: int = 0,
        usage: Record | None = None,
        after: float = 1,
    ) -> Record:
        """Append a shell command with its answer and count; return the call."""
        answer = shell_output(output, exit_code=exit_code, seconds=after)
        arguments = {"cmd": command, "workdir": self.cwd, "yield_time_ms": 10_000}
        return self.call("exec_command", arguments, answer, usage=usage, after=after)

    def patch(self, body: str, *, usage: Record | None = None, exit_code: int = 0) -> Record:
        """Append an `apply_patch` call (`body`: the lines between the marks); return the call."""
        full = f"*** Begin Patch\n{body}\n*** End Patch"
        call = self.add(custom_call("apply_patch", full, call_id=self._new_id("apply_patch")))
        said = (
            "Success. Updated the following files:" if not exit_code else "Failed to find context"
        )
        answer = {"output": said, "metadata": {"exit_code": exit_code, "duration_seconds": 0.1}}
        self.add(custom_output(call, json.dumps(answer)), after=0.2)
        self.count(usage)
        return call

    def answer(self, words: str, *, usage: Record | None = None, after: float = 2) -> Record:
        """End the turn with an answer in its two forms; return the item."""
        self.add(event("agent_message", message=words, phase="final_answer"), after=after)
        record = self.add(message(words, phase="final_answer"), after=0.01)
        self.count(usage)
        self.add(event("task_complete", turn_id=self.turn_id, last_agent_message=words))
        return record

    def abort(self, *, after: float = 1) -> Record:
        """End the turn by a person's interrupt."""
        return self.add(
            event("turn_aborted", turn_id=self.turn_id, reason="interrupted"), after=after
        )

    def _new_id(self, name: str) -> str:
        return "call_" + identifier(self.thread_id, len(self.records), name)

    def path(self, home: Path) -> Path:
        """Where this log lies below the agent's `home` folder."""
        start = self.records[0]["timestamp"][:19].replace(":", "-")
        day = home / "sessions" / start[:10].replace("-", "/")
        return day / f"rollout-{start}-{self.thread_id}.jsonl"

    def write(self, home: Path) -> Path:
        """Write the log to its place below `home`."""
        return write_log(self.path(home), self.records)
