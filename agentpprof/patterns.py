"""Patterns that people write in rules: google-re2, so matching takes linear time.

A pattern is searched for anywhere in a text, with case, unless it says otherwise (`^`, `(?i)`).
re2 is imported with the first pattern, so runs without rules don't pay for it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from agentpprof.errors import UsageError

_MAX_QUOTED: Final = 80
_SET_MEMORY: Final = 64 << 20  # re2's 8 MiB is too small for sets of some hundred patterns
# Groups that other engines know; all need more than one linear pass, or are not in re2's syntax.
_GROUPS: Final = (
    ("(?<!", "look-behind is not supported, because matching takes linear time"),
    ("(?<=", "look-behind is not supported, because matching takes linear time"),
    ("(?=", "look-ahead is not supported, because matching takes linear time"),
    ("(?!", "look-ahead is not supported, because matching takes linear time"),
    ("(?>", "atomic groups are not supported, because matching takes linear time"),
    ("(?x", "the flag x (blanks are ignored) is not supported"),
    ("(?#", "comments inside a pattern are not supported"),
)
# The beginning of re2's message, and what a person should read in its place.
_REASONS: Final = (
    ("missing ]", "a bracket [ is not closed by ]"),
    ("missing )", "a parenthesis ( is not closed by )"),
    ("unexpected )", "a parenthesis ) was never opened; write \\) for the character itself"),
    ("no argument for repetition operator", "there is nothing before the repetition {}"),
    ("bad repetition operator", "two repetitions stand side by side: {}"),
    ("invalid repetition size", "a repetition is too large (more than 1,000 in all): {}"),
    ("invalid character class range", "there is no such character class: {}"),
    ("trailing \\", "it ends with a lone \\; write \\\\ for the character itself"),
    ("invalid UTF-8", "it is not valid Unicode text"),
    ("pattern too large", "it is too large; split it into several rules"),
)


class Pattern:
    """A compiled pattern; `source` is its text."""

    __slots__ = ("_search", "source")

    def __init__(self, source: str, compiled: Any) -> None:
        """Take the text and what re2 made of it; `compile_pattern` is the way to get one."""
        self.source = source
        self._search = compiled.search

    def __repr__(self) -> str:
        """Show the pattern's text: two patterns of one text are alike."""
        return f"Pattern({self.source!r})"

    def search(self, text: str) -> bool:
        """Say whether the pattern stands anywhere in `text`, which may hold lone surrogates."""
        return self._search(_encode(text)) is not None

    def search_bytes(self, text: bytes) -> bool:
        """Do the same with a text that is encoded already."""
        return self._search(text) is not None


def compile_pattern(pattern: str, where: str) -> Pattern:
    """Compile `pattern`; `where` names the option or file it comes from, for the message.

    Raises `UsageError` for an empty pattern and for one that re2 does not take, with the reason.
    """
    if not pattern:
        raise UsageError(f"{where}: the pattern is empty; write a regular expression to search for")
    import re2

    try:
        return Pattern(pattern, re2.compile(pattern.encode(), _options()))
    except UnicodeEncodeError:
        reason = "it is not valid Unicode text"
    except re2.error as error:
        reason = _plain_reason(error)
    raise UsageError(
        f"{where}: the pattern {quoted(pattern)} can't be used: {reason}. "
        "Patterns are written in google-re2 syntax (https://github.com/google/re2/wiki/Syntax)"
    )


class PatternSet:
    """Several patterns in order of precedence: which one matches a text first?"""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Take compiled patterns, the one that wins first."""
        self._patterns = tuple(patterns)
        self._set = _compile_set(self._patterns)

    def first(self, text: str) -> int | None:
        """Return the index of the first pattern that stands in `text`, or None."""
        return self._first(_encode(text))

    def first_of_all(self, texts: Sequence[str]) -> list[int | None]:
        """Return `first` of each text."""
        return [self._first(_encode(text)) for text in texts]

    def _first(self, text: bytes) -> int | None:
        if self._set is not None:
            found = self._set.Match(text)
            if found:  # the empty pattern behind all others is always found, unless the set fails
                index: int = min(found)
                return index if index < len(self._patterns) else None
        return self._first_one_by_one(text)

    def _first_one_by_one(self, text: bytes) -> int | None:
        for index, pattern in enumerate(self._patterns):
            if pattern.search_bytes(text):
                return index
        return None


def _compile_set(patterns: Sequence[Pattern]) -> Any:
    """Return one automaton for all patterns, or None where one is useless or too big.

    A set that runs out of memory while it matches says "nothing found". The empty pattern added
    last tells that from a text that really matches nothing.
    """
    if len(patterns) < 2:
        return None
    import re2

    options = _options()
    options.max_mem = _SET_MEMORY
    automaton = re2.Set.SearchSet(options)
    try:
        for pattern in patterns:
            automaton.Add(pattern.source.encode())
        automaton.Add(b"")
        automaton.Compile()
    except re2.error:
        return None  # each pattern compiled alone, so they are searched one after the other
    return automaton


def _options() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False  # else C++ code writes to stderr
    return options


def _plain_reason(error: Exception) -> str:
    """Turn re2's message (bytes) into words."""
    said = error.args[0] if error.args else b""
    message = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    head, _, detail = message.partition(": ")
    if head == "invalid perl operator":
        return next((words for start, words in _GROUPS if detail.startswith(start)), message)
    if head == "invalid escape sequence":
        return _escape_reason(detail)
    for start, words in _REASONS:
        if head.startswith(start):
            return words.format(detail)
    return message


def _escape_reason(escape: str) -> str:
    if escape[1:2].isdigit():
        return f"back-references ({escape}) are not supported, because matching takes linear time"
    return f"there is no escape {escape}"


def _encode(text: str) -> bytes:
    """Encode `text`; halves of a surrogate pair are joined, lone ones become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def quoted(text: str) -> str:
    """Return `text` for a message: in backticks, cut to a line, odd characters escaped."""
    shown = text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…"
    clean = "".join(char if char.isprintable() else repr(char)[1:-1] for char in shown)
    return f"`{clean}`"
