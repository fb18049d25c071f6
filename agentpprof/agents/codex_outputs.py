"""What the output of a tool call says: how it went, its exit code, a process that runs on.

Only the first bytes are looked at (and the last of one old shape): what stands behind `Output:` is
the command's own and may hold the same words (docs/formats.md, "Outputs of tools").
"""

import re

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
# Beginnings of plain texts that are no output of the tool.
_PLAIN = re.compile(
    rb"(?P<interrupted>aborted by user)"
    rb"|(?P<rejected>(?:exec command |patch |command )?rejected by user|user rejected"
    rb"|rejected: |exec command denied|(?:exec_command|shell) failed[^\n]{0,200}Rejected\()"
    rb"|(?P<error>command timed out after|failed in sandbox|failed to parse function arguments"
    rb"|unsupported call|unsupported custom tool call|apply_patch verification failed"
    rb"|exec_command failed|write_stdin failed|execution error|sandbox error"
    rb"|tool call error|collab spawn failed|failed to )"
)


# (result, size, exit code, name of a process or cell that runs on)
Output = tuple[str, int, int | None, str]


def read_output(raw: Raw) -> Output:
    """Read the head of `output`: a string, a list of parts, or a very old object."""
    data = memoryview(raw)
    size = max(len(data) - 2, 0)
    head = bytes(data[:_HEAD])
    if head.startswith(b'"'):
        if head.startswith(b'"{\\"output\\"'):
            return _by_exit_code(_OLD_EXIT.search(bytes(data[-_TAIL:])), size)
        return _read_text(head, 1, size)
    if not head or head == b"null":
        return "ok", 0, None, ""
    return _read_structure(head, size)


def agent_of(raw: Raw) -> str:
    """Return the thread id in the answer to `spawn_agent`, or an empty text (version 2)."""
    found = _AGENT.search(bytes(memoryview(raw)[:_HEAD]))
    return found.group(1).decode() if found else ""


def _read_structure(head: bytes, size: int) -> Output:
    """Read a list of parts by its first text, or `{content, success}`."""
    if b'"success":false' in head.replace(b" ", b""):
        return "error", size, None, ""
    found = _FIRST_TEXT.search(head)
    return _read_text(head, found.end(), size) if found else ("ok", size, None, "")


def _read_text(head: bytes, at: int, size: int) -> Output:
    found = _SHAPES.match(head, at)
    if found is None:
        plain = _PLAIN.match(head, at)
        return (plain.lastgroup or "ok") if plain else "ok", size, None, ""
    shape = found.lastgroup
    if shape in ("exited", "exit"):
        return _by_exit_code(found, size)
    if shape == "session":
        return "unknown", size, None, found["session"].decode()
    if shape == "aborted":
        return "interrupted", size, None, ""
    if shape is None:
        return "ok", size, None, ""
    cell = "cell:" + found["cell"].decode() if shape == "cell" else ""
    return _SCRIPT_RESULTS[found["script"]], size, None, cell


def _by_exit_code(found: "re.Match[bytes] | None", size: int) -> Output:
    """Judge by the exit code, the last group of a match."""
    if found is None:
        return "ok", size, None, ""
    code = int(found[found.lastindex or 0])
    return "error" if code else "ok", size, code, ""
