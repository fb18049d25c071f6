"""What a shell knows at one place, and one command of it."""

from dataclasses import dataclass, field
from typing import Final

MAX_VALUE: Final = 1000  # of a variable: values that double themselves stay small


@dataclass(slots=True)
class Scope:
    """What a shell knows at one place: its folder ('' where it began, None unknown), variables."""

    folder: str | None = ""
    variables: dict[str, str] = field(default_factory=lambda: {"HOME": "~", "PWD": "."})
    visited: list[str | None] = field(default_factory=list)
    is_value: bool = False  # what runs here only gives a variable its value

    def inner(self) -> "Scope":
        """Return the scope of a subshell: what it changes is not seen outside."""
        return Scope(self.folder, dict(self.variables), list(self.visited), self.is_value)

    def of_value(self) -> "Scope":
        """Return the scope of commands that give a variable its value."""
        scope = self.inner()
        scope.is_value = True
        return scope


@dataclass(slots=True)
class Segment:
    """One simple command: its words (the program first) and redirections (sign, target)."""

    words: list[str]
    scope: Scope
    is_piped: bool = False
    is_inner: bool = False  # inside the words of another command
    redirects: list[tuple[str, str]] = field(default_factory=list)
