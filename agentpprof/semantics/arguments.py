"""One program and its arguments: which are paths, hosts, targets, scripts, another command.

`read_arguments` walks the words once, led by the program's row (`semantics.programs`).
"""

import re

from agentpprof.semantics.archives import ArchiveReader
from agentpprof.semantics.names import is_script
from agentpprof.semantics.places import PATHS, Arguments, add_place, add_remote
from agentpprof.semantics.programs import Program, ProgramTable

_COMMANDS = ("x", "b", "S", "Y")
_MAX_WORDS = 2000  # more operands than this say nothing new
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*\+?=")
_VERB = re.compile(r"[^A-Za-z]+")


def _with_values(text: str) -> str:
    """Return the text of a command with the values that `parallel` puts in behind `:::`."""
    command, sign, values = text.partition(" ::: ")
    if not sign:
        return text
    return command.replace("{}", values) if "{}" in command else f"{command} {values}"


def read_arguments(words: list[str], program: Program, table: ProgramTable) -> Arguments:
    """Read what follows the program's name, `words[0]`."""
    if program.rest == "T":
        found = Arguments(program)
        ArchiveReader(words[:_MAX_WORDS], found).read()
        return found
    reader = _Reader(words, program, table)
    reader.read()
    return reader.found


class _Reader:
    """The state of one walk over the words."""

    __slots__ = (
        "at", "entry", "found", "has_end", "has_pattern", "operands", "position", "table", "words",
    )  # fmt: skip

    def __init__(self, words: list[str], program: Program, table: ProgramTable) -> None:
        self.words = words[:_MAX_WORDS]
        self.table = table
        self.found = Arguments(program)
        self.at = 1
        self.position = 0
        self.has_pattern = False  # an option gave it, so no operand is one
        self.entry = ""  # the program that an option puts before the command
        self.has_end = False  # an option gave the last operand
        self.operands: list[str] = []  # of a row with a last letter

    def read(self) -> None:
        """Walk over all words."""
        words = self.words
        while self.at < len(words):
            word = words[self.at]
            self.at += 1
            if word[:1] == "-" and len(word) > 1 and not self._is_part(word):
                if word == "--":
                    self._read_behind_dashes()
                else:
                    self._read_option(word)
            elif word and not (word[0] in "/+" and self._is_other_option(word)):
                self._read_operand(word)
        self._finish()

    def _is_part(self, word: str) -> bool:
        """Whether `word` is the name of a part, a sub-command, though it begins with a dash."""
        program = self.found.program
        return program.has_parts and self.table.find(f"{program.name} {word}") is not None

    def _is_other_option(self, word: str) -> bool:
        """Whether `word` is an option without a dash: `/c` (its value is read too), `+10`."""
        program = self.found.program
        if word[0] == "+":
            return "plus" in program.flags
        if "slash" in program.flags:
            return ":" in word
        if program.is_calm and word.lower() in program.values:
            self._read_option(word)
            return True
        return False

    # -- options ---------------------------------------------------------------------------

    def _read_option(self, word: str) -> None:
        """Read an option in any of its forms: whole, `--name=value`, a cluster of letters."""
        program = self.found.program
        key = word.lower() if program.is_calm else word
        if self._apply(key):
            return
        name, sign, _ = key.partition("=")
        if sign and name in program.values:
            self._take(program.values[name], word.partition("=")[2])
        elif sign and name in program.changes:
            self.found.access = program.changes[name]
        elif sign and name in program.actions:
            self._apply(name)
        elif key in ("--help", "--version") and not self.has_pattern:
            self.found.action = self.found.action or "read"
        elif key in ("-h", "-V") and len(self.words) == 2 and "filter" not in program.flags:
            self.found.action = "read"
        elif word[1] != "-" and len(word) > 2 and not program.is_calm:
            self._read_cluster(word)

    def _apply(self, key: str) -> bool:
        """Do what the row says of the option `key`; False if it says nothing."""
        program = self.found.program
        if key in program.values:
            kind = program.values[key]
            if kind == "X":
                self.found.rest = self.words[self.at :]
                self.at = len(self.words)
            elif kind == "E":
                self._read_exec()
            else:
                if kind[:1] == "2":
                    self.at += 1
                    kind = kind[1:]
                value = self.words[self.at] if self.at < len(self.words) else ""
                if kind != "1" or value.isdigit():
                    self.at += 1
                    self._take(kind, value)
            return True
        is_known = False
        if key in program.changes:
            self.found.access = program.changes[key]
            is_known = True
        if key in program.actions:
            action = program.actions[key]
            self.has_pattern |= action.endswith("~")
            self.found.action = action.rstrip("~") or self.found.action
            is_known = True
        return is_known

    def _read_cluster(self, word: str) -> None:
        """Read `-rn`, `-n5`, `-pi.bak`: letters up to one that takes the rest as its value."""
        program = self.found.program
        is_long = "long" in program.flags  # one dash, many letters: only the first can be an option
        for index, letter in enumerate(word[1:2] if is_long else word[1:], 2):
            key = "-" + letter
            if key in program.values:
                kind = program.values[key]
                joined = word[index:]
                # Behind the c of `bash -ce` stand more letters, the text is the next word.
                if joined and kind not in ("X", "E") and not (kind == "S" and joined.isalpha()):
                    self._take(kind, joined.removeprefix("="))
                else:
                    self._apply(key)
                return
            if self._apply(key) and index < len(word) and not word[index].isalpha():
                return

    def _take(self, kind: str, value: str) -> None:
        """Note the value of an option by the kind of its row (head of programs.toml)."""
        found = self.found
        if not kind:
            return
        if kind in PATHS:
            self.has_end |= kind == found.program.last
            if value:
                found.given.append((value, kind))
        elif kind in "?huUotsn":
            if kind == found.program.last:
                self.has_end = True
                self._add("c" if kind == "o" else kind, value)
            else:
                self._add(kind, value)
        elif kind == ">":
            found.folder = value
        elif kind in "~F":
            self.has_pattern = True
            if kind == "F":
                self._take("r", value)
        elif kind == ";":
            self.at = len(self.words)
        elif kind == "N":
            self.entry = value
        elif kind in "SP":
            found.nested = (
                kind,
                " ".join([value, *self.words[self.at :]]) if kind == "P" else value,
            )
            self.at = len(self.words)
        else:
            self._take_sent(kind, value)

    def _take_sent(self, kind: str, value: str) -> None:
        """Note a value that goes to the host: data, a file, a method."""
        if kind == "V":
            self.found.sends |= value.upper() not in ("GET", "HEAD", "OPTIONS")
        elif kind in ("D", "W", "R"):
            self.found.sends = True
            at = value.find("@") if kind == "D" else -1
            if kind == "R" or at == 0 or (at > 0 and value[at - 1] == "="):
                self._add("r", value[at + 1 :].partition(";")[0])

    def _read_exec(self) -> None:
        """Read the command of `find -exec … ;`."""
        end = self.at
        while end < len(self.words) and self.words[end] not in (";", "+", "\\;"):
            end += 1
        self.found.rest = self.words[self.at : end]
        self.at = end + 1
        self.found.nested = ("E", "")

    def _read_behind_dashes(self) -> None:
        """Read what stands behind `--` where the row has a rule for it, else go on."""
        letter = self.found.program.after_dashes
        if letter == ";":
            self.at = len(self.words)
        elif letter == "x":
            self.found.rest = self.words[self.at :]
            self.at = len(self.words)
        elif letter == "m":
            pass
        elif letter:
            words, self.at = self.words[self.at :], len(self.words)
            for word in words:
                if letter != "-":
                    self._add(letter, word)
                elif word:
                    self._read_operand(word)

    # -- operands --------------------------------------------------------------------------

    def _read_operand(self, word: str) -> None:
        """Read one operand by its letter, or go down to a sub-command."""
        program = self.found.program
        if program.has_parts:
            if word[0] == "+" and not self.position and not program.fixed:  # a toolchain of cargo
                return
            part = self.table.find(f"{program.name} {word}")
            if part is not None:
                self.found.program = part
                self.position = 0
                return
            if self.position == 0 and not program.fixed and not program.rest:
                self.position = 1
                return
        if program.values and "=" in word and (key := word.partition("=")[0]) in program.values:
            self._take(program.values[key], word[len(key) + 1 :])
            return
        if (
            self.position == 0
            and not self.operands
            and word in program.actions
            and program.rest != "t"
        ):
            self.found.action = program.actions[word]
            self.position = 1
            return
        if program.last:
            self.operands.append(word)
            return
        letter = self._letter(program)
        self.position += 1
        if letter in _COMMANDS:
            self._read_command(letter, word)
        elif letter and letter != ".":
            self._read_letter(letter, word)
        if self.entry and program.fixed[self.position :] == "x":
            self.found.rest = [self.entry, *self.words[self.at :]]
            self.at = len(self.words)

    def _letter(self, program: Program) -> str:
        """Return the letter of the operand at the present position."""
        position = self.position
        if self.has_pattern:
            if program.fixed.startswith("p"):
                position += 1
            elif program.fixed == "s":
                self.found.action = self.found.action or "read"
                return "r"
        return program.fixed[position] if position < len(program.fixed) else program.rest

    def _read_command(self, letter: str, word: str) -> None:
        """Read an operand that begins another command, or may begin one."""
        if letter == "x" or (letter == "b" and (word in self.table.packaged or word[0] in "./")):
            if word == "-" or _ASSIGNMENT.match(word):  # env takes a dash too
                self.position -= 1
                return
            self.found.rest = self.words[self.at - 1 :]
            self.at = len(self.words)
        elif letter == "b":
            if word[0] == "+":  # a variable of hatch
                self.position -= 1
            else:
                self._add("t", word)
        elif letter == "S":
            self.found.nested = ("S", _with_values(" ".join(self.words[self.at - 1 :])))
            self.at = len(self.words)
        elif letter == "Y":
            self._restart(self.found.program.name.split()[0], word)

    def _read_letter(self, letter: str, word: str) -> None:
        """Read an operand whose letter is more than a path."""
        if letter == "p":
            self.has_pattern = False
        elif letter == "v":
            self.found.action = self.found.action or self.found.program.target_action
        elif letter == "C":
            verb = self.table.verbs.get(_VERB.split(word)[0], "")
            self.found.action = self.found.action or (
                verb if verb in ("list", "read", "search") else ""
            )
        elif letter == "M":
            if word.isupper() and word.isalpha():
                self.found.sends = word not in ("GET", "HEAD", "OPTIONS")
                self.position -= 1
            else:  # a port alone is one of this machine
                self._add("u", "localhost" + word if word[0] == ":" else word)
        elif letter in "uU" and word.startswith(("+", "@")):  # options of dig
            self.position -= 1
        else:
            self._add(letter, word)

    def _restart(self, name: str, word: str) -> None:
        """Read `word` again as the first operand of the program called `name`."""
        program = self.table.find(name)
        if program is not None:
            self.found.program = program
            self.position = 0
            self._read_operand(word)

    def _add(self, letter: str, word: str) -> None:
        """Note a target, a script, or a place."""
        found = self.found
        if letter == "t":
            if is_script(word) and not found.targets:
                self._add("s", word)
            elif not _ASSIGNMENT.match(word):
                found.targets.append(word)
        elif letter == "s":
            found.script = word
            found.paths.append((word, "r"))
            self._enter_script(word)
        else:
            add_place(found, letter, word)

    def _enter_script(self, word: str) -> None:
        """Go on with the row of a script that has one (`manage.py`, `artisan`), else stop."""
        program = self.table.find(word.replace("\\", "/").rpartition("/")[2].lower())
        if program is None or program.name == self.found.program.name:
            program = Program("", "", rest=self.found.program.rest)
        self.found.program, self.position = program, 0

    # -- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        """Give the collected operands their letters, the last one its own."""
        if not self.operands:
            return
        program = self.found.program
        operands, last = self.operands, ""
        if not self.has_end and len(operands) > 1:
            *operands, last = operands
        for word in operands:
            self._add(program.rest, word)
        if last and program.last == "o":
            add_remote(self.found, last, is_last=True)
        elif last and (len(operands) > 1 or last[-1] in "/\\" or last in (".", "..")):
            for word in operands:
                self._add(program.last, f"{last.rstrip('/')}/{word.rstrip('/').rpartition('/')[2]}")
        elif last:
            self._add(program.last, last)
