"""What names say: of programs, of scripts, of the targets of task runners."""

import re

from agentpprof.semantics.programs import Program, ProgramTable

HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # the words of a name in any style
_DIGIT = re.compile(r"[0-9]")
_PART = re.compile(r"[a-z0-9]+")
_SCRIPT = re.compile(
    r"\.(?:py|js|mjs|cjs|ts|mts|tsx|sh|bash|zsh|rb|pl|php|lua|ps1|bat|cmd|exs?|r|jl)$",
    re.IGNORECASE,
)


def program_name(word: str) -> str:
    """Return the base name of a program in lower case, without `.exe` and without `@version`."""
    name = word
    if "/" in name or "\\" in name:
        name = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    name = name.lower()
    if "@" in name[1:]:
        name = name[: name.index("@", 1)]
    return name[:-4] if name.endswith(".exe") else name


def target_action(program: Program, target: str, table: ProgramTable) -> str:
    """Return what the name of a target says; the row's word comes before the common words."""
    lowered = target.lower()
    for name in (lowered, lowered.rpartition(":")[2]):
        if name in program.actions:
            return program.actions[name]
    return spoken_action(target, table) or program.target_action or program.action


def spoken_action(name: str, table: ProgramTable) -> str:
    """Return what the words of a name say (`test_cache`, `ktlintCheck`, `build-docs`), or ''."""
    name = name[-200:]
    words = [word.lower() for word in HUMPS.findall(name)]
    if _DIGIT.search(name):  # e2e is one word
        words += _PART.findall(name.lower())
    return table.target_action(tuple(words))


def is_script(name: str) -> bool:
    """Whether a program's name is that of a script file."""
    return _SCRIPT.search(name) is not None


def script_action(path: str, table: ProgramTable) -> str:
    """Return what the name of a script says, without its folders and ending."""
    name = program_name(path)
    return spoken_action(name.rpartition(".")[0] or name, table)
