"""One segment of a command line: which program really runs, and what it does."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agentpprof.semantics.arguments import read_arguments
from agentpprof.semantics.names import is_script, program_name, script_action, target_action
from agentpprof.semantics.places import LINE, Arguments
from agentpprof.semantics.programs import ProgramTable, program_table
from agentpprof.semantics.scopes import Scope, Segment
from agentpprof.semantics.words import SEVERAL, UNKNOWN
from agentpprof.vocabulary import PHASE_OF

_MAX_UNWRAPPED = 8
NORMAL, INNER, QUIET = range(3)  # tiers: what counts, what stands inside another, what only looks
_GLOB = re.compile(r"[*?{\x00]")
_DEVICES = (
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
    ":memory:",
    "$null",
    "nul",
    "NUL",
)
_ACTION_OF_ACCESS = {"w": "edit", "c": "create", "d": "delete", "m": "move"}
_ACCESS = {"r": "read", "w": "write", "c": "create", "d": "delete", "m": "move"}
_FETCHING = ("create", "read")  # what is done to a host's files is told as fetched
_MAX_PATH = 4096


@dataclass(slots=True)
class SegmentMeaning:
    """What one segment says; the smallest (tier, rank of the action + weakness) is telling."""

    action: str
    cmd: str
    chain: tuple[str, ...]
    tier: int = NORMAL
    weakness: int = 0
    paths: list[tuple[str, str]] = field(default_factory=list)
    hosts: list[tuple[str, str]] = field(default_factory=list)
    nested: tuple[str, str] = ("", "")
    folder: str | None = ""  # the nested command runs in, as seen from the segment's
    is_inside: bool = False  # the nested command runs in a container
    is_inner: bool = False  # inside the words of another command, which gives the exit code
    flags: frozenset[str] = frozenset()  # of the program's row
    moves: tuple[str, ...] = ()  # the words of `cd` and the like


def read_segment(segment: Segment, outer: tuple[str, ...]) -> SegmentMeaning:
    """Return what `segment` says, started by the programs `outer`; moves the scope on `cd`."""
    scope = segment.scope
    if not segment.words:
        reading = SegmentMeaning("run", "", outer, QUIET)
    else:
        found = _read_words(tuple(segment.words), outer, segment.is_piped)
        reading = SegmentMeaning(
            found.action, found.cmd, found.chain, found.tier, found.weakness,
            _seen_from(scope.folder, found.paths), found.hosts, found.nested,
            found.folder, found.is_inside, flags=found.flags,
        )  # fmt: skip
        if found.moves:
            _change_folder(scope, found.moves)
    if segment.is_inner:
        reading.is_inner = True
        if reading.tier == NORMAL:
            reading.tier = INNER
    if scope.is_value:
        reading.weakness = 1  # `x=$(go env X) && grep y $x` searches
    if segment.redirects:
        _redirect(reading, segment)
    return reading


# Half of all segments have been seen before, in whatever command: `tail -20`, `cd src`, `sort`.
@lru_cache(maxsize=4096)
def _read_words(words: tuple[str, ...], outer: tuple[str, ...], is_piped: bool) -> SegmentMeaning:
    """Return what the words of a segment say by themselves; nobody may change it.

    Looks through wrappers and runners until a program is found that does something itself. Paths
    are seen from the folder that the segment runs in.
    """
    table, chain, rest = program_table(), outer, list(words)
    is_inside = False
    folder: str | None = ""
    outer_paths: list[tuple[str, str]] = []
    outer_hosts: list[tuple[str, str]] = []
    for _ in range(_MAX_UNWRAPPED):
        name = program_name(rest[0])
        program = table.find(name)
        if program is None and rest[1:2] == ["-m"] and len(rest) > 2 and UNKNOWN in name:
            rest = rest[2:]  # "$PYTHON" -m pytest
            continue
        if program is None:
            return _unknown(rest, name, chain, folder, is_inside, paths=outer_paths, table=table)
        arguments = read_arguments(rest, program, table)
        if arguments.folder:
            folder = _joined(folder, arguments.folder)
        wrapped = arguments.rest
        if not wrapped or arguments.action or arguments.nested[0] == "E":
            break
        outer_hosts += arguments.hosts
        if not is_inside:
            outer_paths += _resolved(arguments.given + arguments.paths, folder)
        is_inside |= "inside" in arguments.program.flags
        is_piped &= "hidden" in program.flags and name not in ("xargs", "parallel")
        if "hidden" not in program.flags:
            chain = (*chain, name)
        rest = wrapped
    else:
        return SegmentMeaning("run", name, (*chain, name), paths=outer_paths)
    reading = _read(arguments, name, chain, table)
    if reading.tier == NORMAL and is_piped and "filter" in arguments.program.flags:
        reading.tier = QUIET
    if outer_hosts:
        reading.hosts = outer_hosts + reading.hosts
    reading.paths = outer_paths
    reading.folder = folder
    reading.is_inside = is_inside or "inside" in arguments.program.flags
    if not is_inside:
        reading.paths = outer_paths + _resolved(arguments.given + arguments.paths, folder)
    if "cd" in program.flags:
        reading.moves = (name, *rest[1:])
    return reading


def _unknown(
    words: list[str], name: str, chain: tuple[str, ...], folder: str | None, is_inside: bool,
    *, paths: list[tuple[str, str]], table: ProgramTable,
) -> SegmentMeaning:  # fmt: skip
    """Read a program without a row: a script says by its name what it does."""
    action = ""
    if ("/" in words[0] and words[0][0] != "@") or is_script(name):
        action = script_action(words[0], table)
        if not is_inside:
            paths += _resolved([(words[0], "r")], folder)
    if any(word in ("--help", "--version") for word in words[1:4]):
        action = "read"
    elif not action and len(words) > 1:
        action = table.spoken.get(words[1], "")
    if UNKNOWN in name:
        name = ""
    return SegmentMeaning(action or "run", name, (*chain, name) if name else chain, paths=paths)


def _read(
    arguments: Arguments, name: str, chain: tuple[str, ...], table: ProgramTable
) -> SegmentMeaning:
    """Turn the arguments of a known program, started by those of `chain`, into a reading."""
    program = arguments.program
    if not arguments.nested[0] or "hidden" not in program.flags:
        chain = (*chain, name)
    action = arguments.action or program.action or "run"
    if arguments.targets and not arguments.action:
        found = [target_action(program, target, table) for target in arguments.targets]
        action = min(filter(None, found), key=table.rank.__getitem__, default="run")
    elif arguments.script and not arguments.action:
        action = program.action or script_action(arguments.script, table) or "run"
    if arguments.access:
        _change_access(arguments)
        if PHASE_OF[action] in ("explore", "run", "edit") and arguments.access in _ACTION_OF_ACCESS:
            action = _ACTION_OF_ACCESS[arguments.access]
    elif PHASE_OF[action] == "explore" and any(
        kind == "c" for _, kind in arguments.given + arguments.paths
    ):
        action = "create"  # an option names a file for what was found
    reading = SegmentMeaning(action, name, chain, nested=arguments.nested)
    if program.flags:
        reading.flags = program.flags
        reading.tier = QUIET if "quiet" in program.flags else NORMAL
        reading.weakness = 1 if "weak" in program.flags else 0
    if arguments.nested[0] == "E":
        _read_executed(arguments, reading)
    _read_hosts(arguments, reading)
    return reading


def _change_access(arguments: Arguments) -> None:
    """Give the operands the access that an option sets (`sed -i`, `find -delete`)."""
    access = arguments.access
    arguments.paths = [(path, access if kind in "rwc" else kind) for path, kind in arguments.paths]


def _read_executed(arguments: Arguments, reading: SegmentMeaning) -> None:
    """Read `find -exec command`: what the command does is done to the folders of find."""
    reading.nested = ("", "")
    if not arguments.rest:
        return
    inner = _read_words(tuple(arguments.rest), (), False)
    reading.action = inner.action
    access = {"edit": "w", "delete": "d", "move": "m"}.get(inner.action)
    if access:
        arguments.access = access
        _change_access(arguments)


def _read_hosts(arguments: Arguments, reading: SegmentMeaning) -> None:
    """Fill in the hosts: those spelled, else the program's own registry."""
    program = arguments.program
    writes = arguments.sends or reading.action == "push"
    reading.hosts = [(host, "write" if writes else access) for host, access in arguments.hosts]
    if arguments.hosts and program.action in _FETCHING and "o" in (program.rest, program.last):
        reading.action = "fetch"
    if not reading.hosts and program.host and reading.action == program.action:
        reading.hosts.append((program.host, "write" if writes else "read"))


def _redirect(reading: SegmentMeaning, segment: Segment) -> None:
    """Add the files of redirections; what only looks or prints then edits, a program still runs."""
    found: list[tuple[str, str]] = []
    for sign, target in segment.redirects:
        if sign in (">&", "<&") and (target.isdigit() or target == "-"):
            continue
        access = "r" if sign[0] == "<" else "w" if ">>" in sign else "c"
        found.append((target, access))
    paths = _resolved(found, segment.scope.folder)
    reading.paths = reading.paths + paths
    written = [access for _, access in paths if access != "read"]
    phase = PHASE_OF[reading.action]
    if written and (phase == "explore" or (phase == "run" and reading.tier == QUIET)):
        reading.action = "create" if written[0] == "create" else "edit"
        reading.tier = NORMAL


def nested_scope(segment: Segment, reading: SegmentMeaning) -> Scope:
    """Return the scope of the command that stands in a word of `segment`."""
    scope = segment.scope.inner()
    if reading.folder != "":
        scope.folder = None if reading.folder is None else _joined(scope.folder, reading.folder)
    return scope


def _change_folder(scope: Scope, words: tuple[str, ...]) -> None:
    """Follow `cd`, `pushd` and `popd`."""
    before = scope.folder
    name, *arguments = words
    targets = [word for word in arguments if word == "-" or word[:1] != "-"]
    if name in ("popd", "pop-location") or targets[:1] == ["-"]:
        scope.folder = scope.visited.pop() if scope.visited else None
    else:
        scope.folder = _joined(before, targets[0] if targets else "~")
    if name not in ("popd", "pop-location"):
        scope.visited.append(before)


def _joined(folder: str | None, path: str) -> str | None:
    """Return `path` as seen from where the command began, None if that can't be told."""
    if UNKNOWN in path or SEVERAL in path:
        return None
    if path[:1] in ("/", "~") or path[1:2] == ":":
        return path
    if folder is None:
        return None
    return f"{folder.rstrip('/')}/{path}" if folder else path


def _seen_from(folder: str | None, paths: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return a copy of `paths` as seen from where the command began."""
    if folder == "":
        return paths.copy()
    return [(seen, access) for path, access in paths if (seen := _joined(folder, path))]


def _resolved(paths: list[tuple[str, str]], folder: str | None) -> list[tuple[str, str]]:
    """Return paths with long names of access, as seen from where the segment runs.

    A glob, and a path with an unknown end, names its folder; standard streams are left out.
    """
    found = []
    for spelled, kind in paths:
        for path in spelled.split(SEVERAL) if SEVERAL in spelled else (spelled,):
            path = _cleaned(path)
            if path:
                joined = _joined(folder, path)
                if joined:
                    found.append((joined, _ACCESS[kind]))
    return found


def _cleaned(path: str) -> str:
    """Return the path a word names, '' if it names none."""
    if "::" in path:
        path = path.partition("::")[0]
    if ":" in path:
        path = LINE.sub("", path)
        if "://" in path:
            return path if path[:5] == "file:" else ""
        if path[:5] == "file:":  # of SQLite
            path = path[5:].partition("?")[0]
    if path.endswith("/..."):
        path = path[:-4] if path != "./..." else ""
    match = _GLOB.search(path)
    if match:
        head, slash, _ = path[: match.start()].rpartition("/")
        if match.group() == "\0" and not head:
            return ""
        path = head or ("/" if slash else "" if path[match.start()] == "{" else ".")
    if path in ("", "-", "...", "(", ")", "!") or path in _DEVICES or len(path) > _MAX_PATH:
        return ""
    if path[:1] == "." and path[-1:] == "]" and "[" in path:  # .[dev] of pip
        path = path.partition("[")[0]
    return path
