"""The table of programs: what each does with its arguments (data/programs.toml, read once)."""

import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentpprof.resources import read_text

_MAX_KNOWN_SCRIPTS = 4096


@dataclass(slots=True)
class Program:
    """One row of the table: a program or one of its sub-commands.

    `fixed`, `rest` and `last` are the letters of the operands; `values` says what the value of an
    option is, `changes` which access an option gives the operands, `actions` which option or
    target decides the action.
    """

    name: str
    action: str
    target_action: str = ""
    fixed: str = ""
    rest: str = ""
    last: str = ""
    values: dict[str, str] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    actions: dict[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    host: str = ""
    after_dashes: str = ""
    has_parts: bool = False

    @property
    def is_calm(self) -> bool:
        """Whether options are written in any case and never in clusters (PowerShell)."""
        return "calm" in self.flags


class ProgramTable:
    """All rows by name; a row is taken apart when it is first asked for."""

    def __init__(self, table: dict[str, Any]) -> None:
        """Index the rows of `table`, the content of programs.toml."""
        self._rows: dict[str, str] = {}
        self._programs: dict[str, Program | None] = {}
        for text in table.values():
            if isinstance(text, str):
                for row in text.strip().splitlines():
                    self._add(row)
        self.rank: dict[str, int] = table["ranks"]
        self.effect: dict[str, str] = _by_word(table["effects"])
        self.verbs: dict[str, str] = _by_word(table["verbs"])
        self.spoken: dict[str, str] = _by_word(table["spoken"])
        self.tools: dict[str, str] = _by_word(table["tools"])
        self.packaged = frozenset(_by_word(table["packaged"]))
        self.package_endings = tuple("." + word for word in table["packages"]["endings"].split())
        self._words = {name: frozenset(text.split()) for name, text in table["targets"].items()}

    def _add(self, row: str) -> None:
        """File `row` under each of its names."""
        for name in names_of(row):
            self._rows[name] = row

    def names(self) -> tuple[str, ...]:
        """Return the names of all programs and sub-commands."""
        return tuple(self._rows)

    def find(self, name: str) -> Program | None:
        """Return the program called `name` (lower-case), a version may stand behind."""
        if name in self._programs:
            return self._programs[name]
        rows = self._rows
        known = name
        if known not in rows:
            known = name.rstrip("0123456789.-")
        if known not in rows and name.endswith((".bat", ".cmd")):
            known = name[:-4]
        program = _program(known, rows[known]) if known in rows else None
        if len(self._programs) < _MAX_KNOWN_SCRIPTS:
            self._programs[name] = program
        return program

    def target_action(self, words: tuple[str, ...]) -> str:
        """Return what the words of a target's name say, empty if nothing (first line wins)."""
        action: str
        for action, known in self._words.items():
            if not known.isdisjoint(words):
                return action
        return ""


def names_of(row: str) -> list[str]:
    """Return the names of a row; a plain name stands behind the program of the one before it."""
    names = []
    prefix = ""
    for name in row.partition(" | ")[0].split(","):
        if " " in name:
            prefix = name.rpartition(" ")[0] + " "
            names.append(name)
        else:
            names.append(prefix + name)
    return names


def _by_word(table: dict[str, str]) -> dict[str, str]:
    """Turn `name = "word word"` into word -> name."""
    return {word: name for name, text in table.items() for word in text.split()}


def _program(name: str, row: str) -> Program:
    """Take `row` apart: names, action, operands, options (head of programs.toml)."""
    _, action, operands, *options = [column.strip() for column in row.split(" |")]
    program = Program(name, action)
    if action.startswith("target:"):
        _, program.action, program.target_action = action.split(":")
    if operands.startswith("+"):
        program.has_parts = True
        operands = operands[1:]
    head, star, program.last = operands.partition("*")
    program.fixed, program.rest = (head[:-1], head[-1:]) if star else (head, "")
    if program.fixed[:1] == "p" or (program.rest and program.rest in "rwcdm"):
        program.after_dashes = "-"
    flags = set()
    for option in options[0].split() if options else ():
        if option[0] == "#":
            flags.add(option[1:])
        else:
            _add_option(program, option)
    program.flags = frozenset(flags)
    return program


def _add_option(program: Program, option: str) -> None:
    """Note one word of the options' column in `program`."""
    if option[0] == "@":
        program.host = option[1:]
    elif option.startswith("//"):
        program.after_dashes = option[2:]
    elif "=" in option:
        name, _, kind = option.partition("=")
        program.values[name] = kind
    elif ">" in option:
        name, _, access = option.partition(">")
        program.changes[name] = access
    else:
        name, _, action = option.rpartition(":")
        program.actions[name] = action


@lru_cache(maxsize=1)
def program_table() -> ProgramTable:
    """Return the table, loaded on the first call."""
    return ProgramTable(tomllib.loads(read_text("data", "programs.toml")))


def is_known_program(name: str) -> bool:
    """Say whether a program is one that everybody knows; an own script's name may tell of work."""
    return program_table().find(name) is not None
