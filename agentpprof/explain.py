"""Why a call, path, URL or prompt gets its fields: for people who write rules, and bug reports.

Pure: the same functions that the index uses are asked, and each answer is told with its rule.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agentpprof.errors import UsageError
from agentpprof.semantics.calls import command_of, shell_object
from agentpprof.semantics.commands import INNER, NORMAL, QUIET, SegmentMeaning
from agentpprof.semantics.hosts import bare_host, host_of
from agentpprof.semantics.mcp import split_name
from agentpprof.semantics.meaning import Meaning
from agentpprof.semantics.paths import normal_path, path_group
from agentpprof.semantics.programs import program_table
from agentpprof.semantics.segments import MAX_PARSED
from agentpprof.semantics.shell import (
    analyze_command,
    analyze_powershell,
    most_telling,
    readings_of,
)
from agentpprof.semantics.tools import describe_call, tool_rule
from agentpprof.tagging.builtin import score_prompt
from agentpprof.vocabulary import PHASE_OF, UNTAGGED

_TIERS: Final = {
    NORMAL: "counts",
    INNER: "inside the words of another command: behind those that count",
    QUIET: "only looks, prints or filters: counts when nothing else is there",
}
_GROUP_RULES: Final = {
    "external/home": "outside the root, in a home folder",
    "external/tmp": "outside the root, in a temporary folder",
    "external/system": "outside the root, in a folder of the system",
    "external/agent": "outside the root, below a folder .claude or .codex",
    "external/path": "outside the root, in no other folder that we know",
}
_INSIDE: Final = "inside the root: its first two parts"
_OBJECT_RULES: Final = {
    "path": "the path that the tool works on",
    "domain": "the host of the URL",
    "agent": "the type of the sub-agent; general-purpose if none is named",
    "server": "the MCP server, as the tool's name says",
    "skill": "the skill or slash command",
    "tool": "the tool: its input names nothing else",
}


class Finding(NamedTuple):
    """One derived field, its value, and the rule that decided it."""

    field: str
    value: str
    rule: str


class Place(NamedTuple):
    """A path or host that is touched."""

    kind: str
    name: str
    access: str
    group: str
    rule: str


class Part(NamedTuple):
    """One segment of a command."""

    program: str
    action: str
    tier: str
    is_telling: bool
    rule: str


class Explanation(NamedTuple):
    """All that is derived from what was given."""

    given: str  # command, tool, path, url or prompt
    findings: tuple[Finding, ...]
    segments: tuple[Part, ...] = ()
    places: tuple[Place, ...] = ()
    scores: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()


def explain_command(command: str, cwd: str = "", root: str = "") -> Explanation:
    """Explain a command for a POSIX shell, as if the tool Bash had run it."""
    return explain_call("Bash", {"command": command}, cwd, root)._replace(given="command")


def explain_call(name: str, tool_input: object, cwd: str = "", root: str = "") -> Explanation:
    """Explain a call of a tool with any input; `root` is the project's (else `cwd`)."""
    meaning = describe_call(name, tool_input, cwd)
    parts: tuple[Part, ...] = ()
    notes: list[str] = []
    rules = _tool_rules(name, meaning)
    if tool_rule(name) == "shell":
        command, is_powershell = command_of(name, _shell_input(tool_input))
        readings = readings_of(command, is_powershell=is_powershell)
        parts = tuple(_parts(readings))
        notes = list(_notes(command))
        rules["action"] = "no program stands in it"
        if readings:
            rules |= _shell_rules(command, is_powershell, meaning, readings)
    return Explanation(
        "tool", tuple(_findings(meaning, rules)), parts, _places(meaning, cwd, root), (),
        tuple(notes),
    )  # fmt: skip


def explain_path(path: str, cwd: str = "", root: str = "") -> Explanation:
    """Explain the normal form of a path and the group it is shown as."""
    normal = normal_path(path, cwd)
    group, rule = _group(normal, cwd, root)
    findings = (
        Finding("path", normal, "one form per file: absolute if the folder is known, no dots"),
        Finding("group", group, rule),
    )
    return Explanation("path", findings if normal else ())


def explain_url(url: str) -> Explanation:
    """Explain the host that a URL or an address means."""
    host = host_of(url) or bare_host(url)
    rule = "no user, port, path or query, in small letters" if host else "it names no host"
    return Explanation("url", (Finding("domain", host, rule),))


def explain_prompt(text: str) -> Explanation:
    """Explain the tag that the built-in tagger gives to a prompt; other rules may go before it."""
    scores = score_prompt(text)
    tag = next(iter(scores), UNTAGGED)
    ties = [other for other, score in scores.items() if score == scores.get(tag)]
    rule = "the highest score" if scores else "nothing speaks for any tag"
    if len(ties) > 1:
        rule = f"the first in the order of the list of {len(ties)} with the highest score"
    if tag == "follow":
        rule += "; as a task it keeps the one before it"
    return Explanation("prompt", (Finding("prompt", tag, rule),), scores=tuple(scores.items()))


def explain_line(line: str, cwd: str = "", root: str = "") -> Explanation:
    """Explain a plain command, a list of its words in JSON, or `{"tool": …, "input": …}`."""
    if line.lstrip()[:1] not in ("{", "["):
        return explain_command(line, cwd, root)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # `{ make; }` and `[ -f x ]` are commands
        return explain_command(line, cwd, root)
    if isinstance(value, list):
        return explain_call("shell", {"command": value}, cwd, root)._replace(given="command")
    name = value.get("tool")
    if not isinstance(name, str) or not name:
        raise UsageError('a JSON line needs a text "tool", and mostly an "input"')
    own_cwd = value.get("cwd")
    return explain_call(
        name, value.get("input"), own_cwd if isinstance(own_cwd, str) else cwd, root
    )


def decode_input(text: str) -> Any:
    """Return the input of a tool from its JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(
            '--input is no JSON: give an object such as {"file_path": "a.py"}'
        ) from None


def _findings(meaning: Meaning, rules: dict[str, str]) -> Iterator[Finding]:
    """Yield the fields of a call, each with its rule; none that is empty."""
    values = {
        "phase": PHASE_OF[meaning.action],
        "action": meaning.action,
        "object": meaning.object,
        "object_kind": meaning.object_kind,
        "category": meaning.category,
        "cmd": meaning.cmd,
        "effect": meaning.effect,
        "process": meaning.process,
        "skill": meaning.skill,
        "subagent": meaning.agent_type,
    }
    for field, value in values.items():
        if value:
            yield Finding(field, value, rules[field])


def _tool_rules(name: str, meaning: Meaning) -> dict[str, str]:
    """Return the rule of each field of a call, as far as the tool alone decides it."""
    rule = tool_rule(name)
    action = f"what tools of the kind {rule!r} do" if rule else "the tool is not known"
    if name[:5] == "mcp__":
        verb = f"the first verb in {split_name(name)[1]!r}"
        action = {"run": "no verb that we know", "fetch": "it gives a URL"}.get(
            meaning.action, verb
        )
    elif rule == "patch":
        action = "what the headers of the patch do to their files"
    return {
        "phase": f"the phase of the action {meaning.action}",
        "action": action,
        "object": _OBJECT_RULES.get(meaning.object_kind, ""),
        "object_kind": "what the object is",
        "category": f"the kind of the tool {name or 'unknown'}",
        "cmd": "",
        "effect": "what the tool does to the world",
        "process": "",
        "skill": "the call starts it; it stays until the prompt ends",
        "subagent": "the call starts it",
    }


def _shell_rules(
    command: str, is_powershell: bool, meaning: Meaning, readings: list[SegmentMeaning]
) -> dict[str, str]:
    """Return the rules that the parts of a shell command decide."""
    analyzed = analyze_powershell(command) if is_powershell else analyze_command(command)
    number = next(at for at, part in enumerate(readings, 1) if part is most_telling(readings))
    telling = f"segment {number} of {len(readings)} tells most"
    return {
        "action": telling,
        "object": shell_object(analyzed, meaning.paths, meaning.object)[2],
        "cmd": f"the program of segment {number}",
        "effect": f"the effect of the action {meaning.action}",
        "process": f"the programs that start segment {number}, the outermost first",
    }


def _parts(readings: list[SegmentMeaning]) -> Iterator[Part]:
    """Yield the segments of a command, and why one tells most or another does not."""
    if not readings:
        return
    telling = most_telling(readings)
    for reading in readings:
        is_telling = reading is telling
        rule = "tells most" if is_telling else _why_less(reading, telling)
        yield Part(reading.cmd, reading.action, _TIERS[reading.tier], is_telling, rule)


def _why_less(reading: SegmentMeaning, telling: SegmentMeaning) -> str:
    """Return why `telling` goes before `reading`: its tier, its action, its place."""
    if reading.tier != telling.tier:
        return _TIERS[reading.tier]
    rank = program_table().rank
    if rank[reading.action] != rank[telling.action]:
        return f"{telling.action} goes before {reading.action}"
    if reading.weakness != telling.weakness:
        return f"{telling.action} goes before what only prepares or gives a variable its value"
    return "a segment before it tells as much"


def _places(meaning: Meaning, cwd: str, root: str) -> tuple[Place, ...]:
    """Return the paths and hosts of a call; hosts are their own group."""
    paths = [
        Place("path", path, access, *_group(path, cwd, root)) for path, access in meaning.paths
    ]
    rule = "spelled in the command or input, or the registry that the program asks"
    hosts = [Place("host", host, access, host, rule) for host, access in meaning.hosts]
    return (*paths, *hosts)


def _group(path: str, cwd: str, root: str) -> tuple[str, str]:
    """Return the group of a normal path below the project's root, and why."""
    group = path_group(path, normal_path(root, cwd) or normal_path(cwd, ""))
    return group, _GROUP_RULES.get(group, _INSIDE)


def _notes(command: str) -> Iterator[str]:
    """Yield what limits the answer for a command."""
    if len(command) > MAX_PARSED:
        yield f"only the first {MAX_PARSED:,} of {len(command):,} characters are parsed"
    if "\0" in command:
        yield "it holds NUL characters, which stand for what can't be told"


def _shell_input(tool_input: object) -> dict[str, Any]:
    """Return the input of a shell's tool as a mapping, as `describe_call` reads it."""
    return tool_input if isinstance(tool_input, dict) else {"command": tool_input}


def as_plain(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain data for JSON."""
    plain: dict[str, Any] = {
        "given": explanation.given,
        "fields": {
            finding.field: {"value": finding.value, "rule": finding.rule}
            for finding in explanation.findings
        },
    }
    for name in ("segments", "places"):
        rows = getattr(explanation, name)
        if rows:
            plain[name] = [row._asdict() for row in rows]
    if explanation.given == "prompt":
        plain["scores"] = dict(explanation.scores)
    if explanation.notes:
        plain["notes"] = list(explanation.notes)
    return plain
