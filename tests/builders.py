"""Log records of Claude Code, invented, for tests and the bundled example history.

Those of Codex: builders_codex.py.

Plain functions return one record as a dict. Ids that are not given are made from the content and
time, so equal calls give equal records, whatever ran before. `ClaudeSession` adds what needs
memory: a running clock, the chain of parents.

    log = ClaudeSession("session-1", cwd="/home/dev/shop")
    log.user("Fix the failing test")
    call = log.tool_use("Bash", {"command": "pytest -q"})
    log.tool_result(call, "Exit code 1\\n1 failed", is_error=True)
    log.assistant("It still fails.")
    path = log.write(home)          # home/projects/-home-dev-shop/session-1.jsonl
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Record = dict[str, Any]

START = "2026-05-04T09:00:00.000Z"
CLAUDE_MODEL = "claude-sonnet-4-5-20250929"
CODEX_MODEL = "gpt-5.2-codex"


def identifier(*parts: object, length: int = 24) -> str:
    """Make an id from `parts`: the same parts give the same id."""
    digest = hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=32)
    return digest.hexdigest()[:length]


def uuid_of(*parts: object) -> str:
    """The same in the form of a UUID."""
    digits = identifier(*parts, length=32)
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class Clock:
    """A clock that moves only when told: `tick(seconds)` gives the next timestamp."""

    def __init__(self, start: str = START, step: float = 1.0) -> None:
        """Start at `start`; a tick without an argument takes `step` seconds."""
        self.time = datetime.fromisoformat(start)
        self.step = step

    def tick(self, seconds: float | None = None) -> str:
        """Move on and return the new time as logs write it."""
        self.time += timedelta(
            milliseconds=round((self.step if seconds is None else seconds) * 1e3)
        )
        return self.now()

    def now(self) -> str:
        """Return the time as logs write it."""
        utc = self.time.astimezone(UTC)
        return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def encode_log(records: Iterable[Record]) -> bytes:
    """One JSON object a line, as the agents write it."""
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in records)
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def write_log(path: Path, records: Iterable[Record], *, tail: bytes = b"") -> Path:
    """Write `records` (then the bytes `tail`) to `path`, folders included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_log(records) + tail)
    return path


# ---------------------------------------------------------------------------- Claude Code


def slug(cwd: str) -> str:
    """Name of a project's folder below `projects/`."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def claude_usage(
    input_tokens: int = 10,
    output_tokens: int = 50,
    *,
    cache_read: int = 1000,
    cache_write_5m: int = 100,
    cache_write_1h: int = 0,
    **more: Any,
) -> Record:
    """Token counts of one response."""
    return {
        "input_tokens": input_tokens,
        "cache_creation_input_tokens": cache_write_5m + cache_write_1h,
        "cache_read_input_tokens": cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": cache_write_5m,
            "ephemeral_1h_input_tokens": cache_write_1h,
        },
        "output_tokens": output_tokens,
        "service_tier": "standard",
        **more,
    }


def text(words: str) -> Record:
    """Content block: text."""
    return {"type": "text", "text": words}


def thinking(words: str) -> Record:
    """Content block: thinking."""
    return {"type": "thinking", "thinking": words, "signature": identifier("signature", words)}


def tool_block(name: str, input: Any, call_id: str = "") -> Record:
    """Content block: a tool call."""
    call_id = call_id or "toolu_01" + identifier("call", name, input, length=22)
    return {"type": "tool_use", "id": call_id, "name": name, "input": input}


def _claude(kind: str, at: str, fields: Record, *identity: object) -> Record:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/shop",
        "sessionId": "session-1",
        "version": "2.1.140",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid_of(kind, at, *identity),
        "timestamp": at,
        **fields,
    }


def user(content: str | list[Record], *, at: str = START, **fields: Any) -> Record:
    """A `user` record: a prompt, unless `content` or `fields` say otherwise."""
    record = _claude("user", at, {}, content)
    return {**record, "message": {"role": "user", "content": content}, **fields}


def assistant(
    content: str | list[Record],
    *,
    at: str = START,
    message_id: str = "",
    model: str = CLAUDE_MODEL,
    usage: Record | None = None,
    stop_reason: str | None = "end_turn",
    **fields: Any,
) -> Record:
    """An `assistant` record, one row of the response `message_id`."""
    blocks = [text(content)] if isinstance(content, str) else content
    message = {
        "id": message_id or "msg_01" + identifier("message", at, content, length=22),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": claude_usage() if usage is None else usage,
    }
    record = _claude("assistant", at, {}, message["id"], blocks)
    request = "req_011" + identifier("request", message["id"], length=21)
    return {**record, "requestId": request, "message": message, **fields}


def tool_use(
    name: str,
    input: Any,
    *,
    call_id: str = "",
    at: str = START,
    **fields: Any,
) -> Record:
    """An `assistant` record with one tool call; further fields as for `assistant`."""
    block = tool_block(name, input, call_id or "toolu_01" + identifier(at, name, input, length=22))
    return assistant([block], at=at, **{"stop_reason": "tool_use", **fields})


def call_id_of(record: Record | str) -> str:
    """Id of the (last) call in a record; an id is returned as it is."""
    if isinstance(record, str):
        return record
    if "payload" in record:
        return str(record["payload"]["call_id"])
    calls = [one for one in record["message"]["content"] if one["type"] == "tool_use"]
    return str(calls[-1]["id"])


def tool_result(
    call: Record | str,
    content: str | list[Record] = "ok",
    *,
    is_error: bool | None = None,
    tool_use_result: Any = None,
    at: str = START,
    **fields: Any,
) -> Record:
    """The `user` record that answers `call` (its record or id)."""
    block: Record = {"tool_use_id": call_id_of(call), "type": "tool_result", "content": content}
    if is_error is not None:
        block["is_error"] = is_error
    if tool_use_result is None:
        tool_use_result = f"Error: {content}" if is_error else {"content": content}
    return user([block], at=at, **{"toolUseResult": tool_use_result, **fields})


def rejection(call: Record | str, *, at: str = START, **fields: Any) -> Record:
    """The answer where a person did not allow `call`."""
    words = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it"
        " was a file edit, the new_string was NOT written to the file). STOP what you are doing"
        " and wait for the user to tell you how to proceed."
    )
    fields = {"tool_use_result": "User rejected tool use", **fields}
    return tool_result(call, words, is_error=True, at=at, **fields)


def interrupt(*, for_tool_use: bool = False, at: str = START, **fields: Any) -> Record:
    """The mark that a person stopped the turn."""
    words = "[Request interrupted by user for tool use]" if for_tool_use else ""
    return user([text(words or "[Request interrupted by user]")], at=at, **fields)


def api_error(words: str, *, at: str = START, **fields: Any) -> Record:
    """A local placeholder for a request that failed: no model response."""
    zero = claude_usage(0, 0, cache_read=0, cache_write_5m=0)
    fields = {"stop_reason": "stop_sequence", "isApiErrorMessage": True, **fields}
    return assistant(
        words, at=at, message_id=uuid_of("synthetic", at), model="<synthetic>", usage=zero, **fields
    )


def progress_copy(record: Record, agent_id: str, call: Record | str, **fields: Any) -> Record:
    """A `progress` record that holds a whole copy of a sub-agent's `record`."""
    message = {key: record[key] for key in ("type", "message", "uuid", "timestamp")}
    if "requestId" in record:
        message["requestId"] = record["requestId"]
    data = {"type": "agent_progress", "agentId": agent_id, "prompt": "", "message": message}
    data["normalizedMessages"] = []
    progress = _claude("progress", record["timestamp"], {}, agent_id, record["uuid"])
    call_id = call_id_of(call)
    ids = {"toolUseID": f"agent_{message['uuid']}", "parentToolUseID": call_id}
    return {**progress, "data": data, **ids, **fields}


def system(subtype: str, *, at: str = START, **fields: Any) -> Record:
    """A `system` record."""
    return {**_claude("system", at, {}, subtype), "subtype": subtype, "level": "info", **fields}


class ClaudeSession:
    """Records of one session or sub-agent, each a little later than the one before.

    A method takes the fields of the function of its name, and `after` seconds before it. With
    `agent_id` it is a sub-agent's file: `session_id` is then the parent's.
    """

    def __init__(
        self,
        session_id: str = "session-1",
        *,
        cwd: str = "/home/dev/shop",
        agent_id: str = "",
        start: str = START,
        model: str = CLAUDE_MODEL,
        **fields: Any,
    ) -> None:
        """Begin an empty log; `fields` (branch, version …) are put on every record."""
        self.session_id, self.agent_id, self.model = session_id, agent_id, model
        self.clock = Clock(start)
        self.parent: str | None = None
        self.records: list[Record] = []
        self.fields = {"sessionId": session_id, "cwd": cwd, **fields}
        if agent_id:
            self.fields |= {"isSidechain": True, "agentId": agent_id}

    def add(self, record: Record, **fields: Any) -> Record:
        """Append `record` as the next of the chain, with this session's ids and fields."""
        chain = {"parentUuid": self.parent, "uuid": uuid_of(self._new_id("uuid"))}
        self.records.append({**record, **self.fields, **chain, **fields})
        self.parent = self.records[-1]["uuid"]
        return self.records[-1]

    def side(self, kind: str, **fields: Any) -> Record:
        """Append a record outside the chain (titles, snapshots, queue operations …)."""
        self.records.append({"type": kind, "sessionId": self.session_id, **fields})
        return self.records[-1]

    def user(self, content: str | list[Record], *, after: float = 1, **fields: Any) -> Record:
        """Append a prompt."""
        return self.add(user(content, at=self.clock.tick(after)), **fields)

    def assistant(self, content: str | list[Record], *, after: float = 1, **fields: Any) -> Record:
        """Append one row of a response."""
        fields = {"model": self.model, "message_id": self._new_id("msg_01"), **fields}
        return self.add(assistant(content, at=self.clock.tick(after), **fields))

    def respond(
        self, blocks: Sequence[Record], *, usage: Record | None = None, after: float = 1
    ) -> list[Record]:
        """Append one response as agents write it: a row per block, the final count last."""
        full = claude_usage() if usage is None else usage
        message_id = self._new_id("msg_01")
        rows = []
        for number, block in enumerate(map(self._with_own_id, blocks), 1):
            is_last = number == len(blocks)
            stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
            counted = full if is_last else {**full, "output_tokens": min(full["output_tokens"], 3)}
            row = self.assistant(
                [block],
                message_id=message_id,
                usage=counted,
                stop_reason=stop if is_last else None,
                after=after / len(blocks),
            )
            rows.append(row)
        return rows

    def tool_use(self, name: str, input: Any, *, after: float = 1, **fields: Any) -> Record:
        """Append a response of one tool call."""
        own = {"call_id": self._new_id("toolu_01"), "message_id": self._new_id("msg_01")}
        fields = {"model": self.model, **own, **fields}
        return self.add(tool_use(name, input, at=self.clock.tick(after), **fields))

    def tool_result(
        self, call: Record | str, content: Any = "ok", *, after: float = 1, **fields: Any
    ) -> Record:
        """Append the answer to `call`."""
        return self.add(tool_result(call, content, at=self.clock.tick(after), **fields))

    def call(self, name: str, input: Any, result: Any = "ok", **fields: Any) -> Record:
        """Append a tool call and its answer (`fields` go there); return the call."""
        call = self.tool_use(name, input)
        self.tool_result(call, result, **fields)
        return call

    def _with_own_id(self, block: Record) -> Record:
        """Give a call whose id was not chosen one that is this session's alone."""
        if block["type"] != "tool_use" or block != tool_block(block["name"], block["input"]):
            return block
        return {**block, "id": self._new_id("toolu_01")}

    def _new_id(self, prefix: str) -> str:
        """Make an id that no other session has and that depends on nothing outside this one."""
        own = (self.session_id, self.agent_id, len(self.records), prefix)
        return prefix + identifier(*own, length=22)

    def path(self, home: Path) -> Path:
        """Where this log lies below the agent's `home` folder."""
        project = home / "projects" / slug(self.fields["cwd"])
        if self.agent_id:
            return project / self.session_id / "subagents" / f"agent-{self.agent_id}.jsonl"
        return project / f"{self.session_id}.jsonl"

    def write(self, home: Path) -> Path:
        """Write the log to its place below `home`."""
        return write_log(self.path(home), self.records)
