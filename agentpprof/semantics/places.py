"""Words that name a place: a path, a host, or either, by the letter of the program's row."""

import re
from typing import Final

from agentpprof.semantics import hosts
from agentpprof.semantics.programs import Program, program_table
from agentpprof.semantics.words import UNKNOWN

PATHS: Final = frozenset("rwcdm")
_EXTENSION = re.compile(r"[^./\\]\.[A-Za-z]\w{0,7}$")
LINE = re.compile(r":\d+(?::\d+)?$")  # and column, behind the name of a file
_REVISION = re.compile(r"^[\w./~^@{}-]*:")


class Arguments:
    """What the arguments of one program say; filled by `read_arguments`."""

    __slots__ = (
        "access", "action", "folder", "given", "hosts", "nested", "paths", "program",
        "rest", "script", "sends", "targets",
    )  # fmt: skip

    def __init__(self, program: Program) -> None:
        self.program = program
        self.action = ""  # decided by an option
        self.access = ""  # given to the operands by an option
        self.folder = ""  # the folder an option goes to
        self.given: list[tuple[str, str]] = []  # paths of options, which no option changes
        self.script = ""
        self.sends = False  # something is sent to the host
        self.paths: list[tuple[str, str]] = []
        self.hosts: list[tuple[str, str]] = []
        self.targets: list[str] = []
        self.rest: list[str] = []  # the command that is looked through
        self.nested: tuple[str, str] = ("", "")  # kind (S, P, E) and text of a command in a word


def add_place(found: Arguments, letter: str, word: str) -> None:
    """Note `word` in `found` by its letter (head of programs.toml); no word names no place."""
    if not word:
        return
    if letter in PATHS:
        found.paths.append((word, letter))
    elif letter in "uU":
        host = hosts.host_of(word)
        if not host:
            is_host = "host" in found.program.flags
            host = hosts.named_host(word) if is_host else hosts.bare_host(word)
        _add_host(found, host, "write" if letter == "U" else "read")
    elif letter == "h":
        _add_host(found, hosts.host_of(word), "read")
    elif letter == "o":
        add_remote(found, word, is_last=False)
    elif letter == "i":
        if found.program.action in ("pull", "push"):
            _add_host(found, _registry(word), "read")
    elif letter in "?gG":
        _add_likely(found, letter, word)
    elif letter in "nj":
        _add_named(found, letter, word)
    elif letter in "kK" and (":" not in word or word[1:2] == ":"):
        found.paths.append((word, "c" if letter == "K" else "r"))


def _add_likely(found: Arguments, letter: str, word: str) -> None:
    """Note a word that may be a path, a URL, or neither (a package, a branch, a pattern)."""
    host = hosts.host_of(word)
    if host:
        _add_host(found, host, "read")
        return
    if letter in "gG":
        word = _REVISION.sub("", word) or word
        if ".." in word and word[:1] != ".":
            return
    elif word[0] == "@" and "/" in word:
        return
    is_path = word[0] in "./~" or word[-1] == "/"
    is_path = is_path or _EXTENSION.search(LINE.sub("", word.partition("::")[0])) is not None
    if is_path or (letter == "?" and ("/" in word or "\\" in word)):
        found.paths.append((word, "w" if letter == "G" else "r"))


def _add_named(found: Arguments, letter: str, word: str) -> None:
    """Note a word that names a package (a module where the letter is j) unless it is a path."""
    host = hosts.host_of(word)
    if host:
        _add_host(found, host, "read")
        return
    is_path = word[0] in "./~" or word.endswith(program_table().package_endings)
    if is_path or (letter == "j" and ("/" in word or word.endswith(".py"))):
        found.paths.append((word, "r"))


def add_remote(found: Arguments, word: str, *, is_last: bool) -> None:
    """Note an operand that is a path here or `host:path` on another machine."""
    host = hosts.remote_host(word) or hosts.host_of(word)
    if word.startswith(("s3://", "gs://")):
        found.sends |= is_last
    elif host:
        _add_host(found, host, "write" if is_last else "read")
    elif ":" not in word or word[1:2] == ":":
        found.paths.append((word, "c" if is_last else "r"))


def _add_host(found: Arguments, host: str, access: str) -> None:
    """Note a host."""
    if host:
        found.hosts.append((host, access))


def _registry(image: str) -> str:
    """Return the host a container image comes from; docker's own when none is spelled."""
    first, slash, _ = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return hosts.bare_host(first)
    return "docker.io" if UNKNOWN not in image else ""
