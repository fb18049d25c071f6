"""The arguments of tar and jar: letters with or without a dash, an archive, files."""

from typing import Final

from agentpprof.semantics.places import PATHS, Arguments

_ACCESS_WHEN_NOTHING_IS_SAID: Final = "r"


class ArchiveReader:
    """One walk over the words; the row says what its options mean (head of programs.toml)."""

    def __init__(self, words: list[str], found: Arguments) -> None:
        """Read `words`, the program first, into `found`."""
        self.words = words
        self.found = found
        self.at = 1
        self.archive = ""
        self.folder = ""
        self.members: list[str] = []  # as seen from the folder before them

    def read(self) -> None:
        """Walk over all words."""
        words = self.words
        while self.at < len(words):
            word = words[self.at]
            self.at += 1
            if word[:2] == "--":
                self._read_long(word)
            elif (word[:1] == "-" and len(word) > 1) or self.at == 2:
                self._read_letters(word)
            else:
                self.members.append(f"{self.folder}/{word}" if self.folder else word)
        self._finish()

    def _read_long(self, word: str) -> None:
        """Read `--name`, `--name value` or `--name=value`."""
        name, sign, value = word.partition("=")
        kind = self.found.program.values.get(name)
        if kind is None:
            self._apply(name)
        else:
            self._take(kind, value if sign else self._next())

    def _read_letters(self, word: str) -> None:
        """Read letters; without a dash each takes its value from the words behind, in turn."""
        letters = word.lstrip("-")
        for index, letter in enumerate(letters, 1):
            kind = self.found.program.values.get("-" + letter)
            if kind is None:
                self._apply("-" + letter)
            elif word[0] == "-" and index < len(letters):
                self._take(kind, letters[index:])
                return
            else:
                self._take(kind, self._next())

    def _apply(self, key: str) -> None:
        """Do what the row says of an option without a value."""
        program = self.found.program
        self.found.access = program.changes.get(key, self.found.access)
        self.found.action = program.actions.get(key, self.found.action)

    def _next(self) -> str:
        """Return the next word, empty if there is none."""
        self.at += 1
        return self.words[self.at - 1] if self.at <= len(self.words) else ""

    def _take(self, kind: str, value: str) -> None:
        """Note the value of an option."""
        if kind == "A":
            self.archive = value
        elif kind == "C":
            self.folder = value
        elif kind in PATHS and value:
            self.found.paths.append((value, kind))

    def _finish(self) -> None:
        """Note the archive, the folder, and the files that are put in."""
        found = self.found
        access = found.access or _ACCESS_WHEN_NOTHING_IS_SAID
        found.access = ""  # it is the archive's alone
        if self.archive:
            found.paths.append((self.archive, access))
        is_filled = access != "r"
        if self.folder and found.action == "create" and not is_filled:
            found.paths.append((self.folder, "c"))
        if is_filled:
            found.paths += [(member, "r") for member in self.members]
