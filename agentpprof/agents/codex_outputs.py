"""What the output of a tool call says: how it went, its exit code, a process that runs on.

Only the first bytes are looked at (and the last of one old shape): what stands behind `Output:` is
the command's own and may hold the same words (formats/codex.md section 6).
"""

import re
from typing import NamedTuple

from msgspec import Raw

_HEAD = 400
_TAIL = 120

# Applied to JSON as it stands in the log, so a line break is `\n` in two bytes.
_SHAPES = re.compile(
    rb"(?:Exit code: (?P<exit>-?\d{1,10})"
    rb"|(?:Chunk ID: [^\\\"]*\\n)?Wall time:? [^\\\"]*\\n"
    rb"(?:Process exited with code (?P<exited>-?\d{1,10})"
    rb"|Process running with session ID (?P<session>[\w-]{1,64})"
    rb"|(?P<aborted>aborted by user))?"
    rb"|Script (?P<script>completed|failed|terminated|running)"
    rb"(?: with cell ID (?P<cell>[\w-]{1,64}))?)"
)
_OLD_EXIT = re.compile(rb'\\"metadata\\":\s*\{\\"exit_code\\":\s*(-?\d{1,10})[^{}]*\}\s*\}"$')
_AGENT = re.compile(rb'\\?"(?:agent_id|new_thread_id|thread_id)\\?":\s*\\?"([\w.:-]{1,128})')
_FIRST_TEXT = re.compile(rb'"text"\s*:\s*"')

_SCRIPT_RESULTS = {
    b"completed": "ok",
    b"failed": "error",
    b"terminated": "cancelled",
    b"running": "unknown",
}
# Beginnings of plain texts that are no output of the tool (sections 6 and 14).
_PLAIN = re.compile(
    rb"(?P<interrupted>aborted by user)"
    rb"|(?P<rejected>(?:exec command |patch |command )?rejected by user|user rejected"
    rb"|rejected: |exec command denied|(?:exec_command|shell) failed[^\n]{0,200}Rejected\()"
    rb"|(?P<error>command timed out after|failed in sandbox|failed to parse function arguments"
    rb"|unsupported call|unsupported custom tool call|apply_patch verification failed"
    rb"|exec_command failed|write_stdin failed|execution error|sandbox error"
    rb"|tool call error|collab spawn failed|failed to )"
)


class Output(NamedTuple):
    """What an output says; `session` names a process or cell that runs on."""

    result: str
    size: int
    exit_code: int | None = None
    session: str = ""


def read_output(raw: Raw) -> Output:
    """Read the head of `output`: a string, a list of parts, or a very old object."""
    data = memoryview(raw)
    size = max(len(data) - 2, 0)
    head = bytes(data[:_HEAD])
    if not head or head == b"null":
        return Output("ok", 0)
    if head[:1] != b'"':
        return _read_structure(head, size)
    if head.startswith(b'"{\\"output\\"'):
        return _with_exit(_OLD_EXIT.search(bytes(data[-_TAIL:])), size)
    return _read_text(head, 1, size)


def agent_of(raw: Raw) -> str:
    """Return the thread id in the answer to `spawn_agent`, or an empty text (version 2)."""
    found = _AGENT.search(bytes(memoryview(raw)[:_HEAD]))
    return found.group(1).decode() if found else ""


def _read_structure(head: bytes, size: int) -> Output:
    """Read a list of parts by its first text, or `{content, success}`."""
    if b'"success":false' in head.replace(b" ", b""):
        return Output("error", size)
    found = _FIRST_TEXT.search(head)
    return _read_text(head, found.end(), size) if found else Output("ok", size)


def _read_text(head: bytes, at: int, size: int) -> Output:
    found = _SHAPES.match(head, at)
    if found is None:
        plain = _PLAIN.match(head, at)
        return Output(plain.lastgroup or "ok", size) if plain else Output("ok", size)
    code = found["exit"] or found["exited"]
    if code is not None:
        return Output("ok" if int(code) == 0 else "error", size, int(code))
    if found["session"]:
        return Output("unknown", size, None, found["session"].decode())
    if found["aborted"]:
        return Output("interrupted", size)
    if found["script"]:
        cell = "cell:" + found["cell"].decode() if found["cell"] else ""
        return Output(_SCRIPT_RESULTS[found["script"]], size, None, cell)
    return Output("ok", size)


def _with_exit(found: "re.Match[bytes] | None", size: int) -> Output:
    if found is None:
        return Output("ok", size)
    code = int(found.group(1))
    return Output("ok" if code == 0 else "error", size, code)
