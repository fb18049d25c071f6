"""Calls that run commands or apply patches."""

from collections.abc import Mapping
from typing import Any, Final

from agentpprof.semantics.meaning import Meaning
from agentpprof.semantics.patches import PATCH_START, patch_paths
from agentpprof.semantics.paths import normal_path
from agentpprof.semantics.shell import CommandMeaning, analyze_command, analyze_powershell
from agentpprof.vocabulary import PHASE_OF

Input = Mapping[str, Any]
MAX_COMMAND: Final = 65536  # what rules may see of a command
_COMMAND_KEYS: Final = ("cmd", "command", "script", "input")
_PATCH_KEYS: Final = ("input", "patch", "command")
_FOLDER_KEYS: Final = ("workdir", "cwd", "working_directory")
_SHELLS: Final = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
_POWERSHELLS: Final = frozenset(("powershell", "pwsh"))
_ACTION_OF_ACCESS: Final = {"create": "create", "write": "edit", "delete": "delete", "move": "move"}


def first_text(tool_input: Input, keys: tuple[str, ...]) -> str:
    """Return the first non-empty text under one of `keys`, '' if there is none."""
    for key in keys:
        value = tool_input.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def describe_shell(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe a shell call.

    Its object: where the action edits, the first path that is written, created, deleted or moved;
    where it explores and names exactly one path, this path, unless it is the program itself; on
    the network the first host; else the telling program.
    """
    command, is_powershell = command_of(name, tool_input)
    folder = first_text(tool_input, _FOLDER_KEYS)
    if folder:
        cwd = normal_path(folder, cwd)
    if not command.strip():
        return Meaning("run", "tool", name or "unknown", "shell")
    meaning = analyze_powershell(command) if is_powershell else analyze_command(command)
    paths = _absolute(meaning.paths, cwd)
    kind, thing, _ = shell_object(meaning, paths, name)
    return Meaning(
        meaning.action, kind, thing, "shell", meaning.cmd, meaning.effect, meaning.process,
        paths, meaning.hosts, command[:MAX_COMMAND], answers=meaning.answers,
    )  # fmt: skip


def _absolute(paths: tuple[tuple[str, str], ...], cwd: str) -> tuple[tuple[str, str], ...]:
    """Return the paths of a command in normal form, each pair once."""
    if not paths:
        return ()
    if len(paths) == 1:
        return ((normal_path(paths[0][0], cwd), paths[0][1]),)
    return tuple({(normal_path(path, cwd), access): None for path, access in paths})


def shell_object(
    meaning: CommandMeaning, paths: tuple[tuple[str, str], ...], name: str
) -> tuple[str, str, str]:
    """Return kind and object of a shell call, and the part of `describe_shell`'s rule it has."""
    phase = PHASE_OF[meaning.action]
    if phase == "edit":
        for path, access in paths:
            if access != "read":
                return "path", path, "the first path that is changed"
    elif phase == "explore" and len(paths) == 1:
        path = paths[0][0]
        if path.rpartition("/")[2].lower() != meaning.cmd:
            return "path", path, "the only path"
    elif phase == "network" and meaning.hosts:
        return "domain", meaning.hosts[0][0], "the first host"
    if meaning.cmd:
        return "program", meaning.cmd, "the telling program"
    return "tool", name or "unknown", "the tool, as no program is named"


def command_of(name: str, tool_input: Input) -> tuple[str, bool]:
    """Return the command text of a call, and whether it is for PowerShell or cmd."""
    command: object = None
    for key in _COMMAND_KEYS:
        command = tool_input.get(key)
        if command:
            break
    else:
        command = _action_command(tool_input)
    is_powershell = name.lower() == "powershell"
    if isinstance(command, str):
        return command, is_powershell
    if isinstance(command, (list, tuple)):
        return _joined(command)
    return "", is_powershell


def _action_command(tool_input: Input) -> object:
    """Return the command of Codex's local_shell, which lies one level deeper."""
    action = tool_input.get("action")
    return action.get("command") if isinstance(action, dict) else None


def _joined(words: list[Any] | tuple[Any, ...]) -> tuple[str, bool]:
    """Return a command that was given as a list: a shell's script as it is, else quoted words."""
    texts = [word for word in words if isinstance(word, str)]
    if not texts:
        return "", False
    program = texts[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if len(texts) == 3 and program in _SHELLS and texts[1][:1] == "-" and texts[1][-1:] == "c":
        return texts[2], False
    if len(texts) > 2 and program in _POWERSHELLS and texts[-2].lower() in ("-command", "-c"):
        return texts[-1], True
    if texts[0] in ("apply_patch", "applypatch"):
        return "\n".join(texts), False
    return " ".join(quoted(text) for text in texts), False


def quoted(word: str) -> str:
    """Return `word` so that a shell takes it as one word.

    As shlex.quote does, but letters of any script stay as they are: people read these commands.
    """
    if word and all(sign.isalnum() or sign in "_@%+=:,./-" for sign in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def describe_patch(name: str, tool_input: Input, cwd: str) -> Meaning:
    """Describe `apply_patch`: its object is the first file, which also gives the action.

    A patch of new files only is `create`, of deletions only `delete`; all else is `edit`.
    """
    patch = first_text(tool_input, _PATCH_KEYS)
    if not patch:
        command = tool_input.get("command")
        texts = command if isinstance(command, list) else []
        patch = next((text for text in texts if isinstance(text, str) and PATCH_START in text), "")
    paths = tuple(dict.fromkeys((normal_path(path, cwd), how) for path, how in patch_paths(patch)))
    if not paths:
        return Meaning("edit", "tool", name or "apply_patch", "edit", effect="write")
    accesses = {access for _, access in paths}
    action = _ACTION_OF_ACCESS[accesses.pop()] if len(accesses) == 1 else "edit"
    if action == "edit" and "move" in {access for _, access in paths}:
        action = "move" if len(paths) == 2 else "edit"
    return Meaning(action, "path", paths[0][0], "edit", "", "write", "", paths)
