"""What a shell command means: the telling program, its action, all paths and hosts.

The telling segment (docs/vocabulary.md): test, build, version control, network, edit, explore, run,
in this order; what runs inside the words of another command comes behind; `cd`, `echo`, `export`
and filters behind a pipe count only when nothing else is there.
"""

from functools import lru_cache
from typing import NamedTuple

from agentpprof.semantics.commands import SegmentMeaning, nested_scope, read_segment
from agentpprof.semantics.heredocs import cut_heredocs
from agentpprof.semantics.patches import PATCH_START, patch_paths
from agentpprof.semantics.powershell import powershell_segments
from agentpprof.semantics.programs import program_table
from agentpprof.semantics.scopes import Scope, Segment
from agentpprof.semantics.segments import segments_of
from agentpprof.semantics.words import UNKNOWN

_MAX_DEPTH = 4  # shells within shells
_MAX_CACHED = 4096  # longer commands are not kept
_MAX_PATHS = 256
_NO_TEXT = UNKNOWN + " "


class CommandMeaning(NamedTuple):
    """What a command means, whatever the folder it runs in.

    `action` is of vocabulary.ACTIONS, `effect` of vocabulary.EFFECTS. `cmd` is the program of the
    telling segment, `process` it with the shells and runners it was started by. `paths` and
    `hosts` are unique pairs with an access; relative paths are seen from where the command began.
    """

    action: str
    cmd: str
    process: str
    effect: str
    paths: tuple[tuple[str, str], ...] = ()
    hosts: tuple[tuple[str, str], ...] = ()
    answers: bool = False  # an exit code 1 says "no match", "they differ" or "no"


NOTHING = CommandMeaning("run", "", "", "process")


def analyze_command(command: str) -> CommandMeaning:
    """Return what a command for a POSIX shell means; any text is fine, none raises."""
    return _cached(command, False) if len(command) <= _MAX_CACHED else analyze(command)


def analyze_powershell(command: str) -> CommandMeaning:
    """Return what a command for PowerShell or cmd means; its grammar is only split roughly."""
    return (
        _cached(command, True)
        if len(command) <= _MAX_CACHED
        else analyze(command, is_powershell=True)
    )


@lru_cache(maxsize=4096)
def _cached(command: str, is_powershell: bool) -> CommandMeaning:
    """Keep the answers for short commands."""
    return analyze(command, is_powershell=is_powershell)


def analyze(command: str, *, is_powershell: bool = False) -> CommandMeaning:
    """Do the work of `analyze_command` without a cache."""
    readings = readings_of(command, is_powershell=is_powershell)
    if not readings:
        return NOTHING
    telling = most_telling(readings)
    paths: dict[tuple[str, str], None] = {}
    hosts: dict[tuple[str, str], None] = {}
    for reading in readings:
        for path in reading.paths:
            paths[path] = None
        for host in reading.hosts:
            hosts[host] = None
    if PATCH_START in command:
        for path in patch_paths(command):
            paths[path] = None
    return CommandMeaning(
        telling.action,
        telling.cmd,
        " ".join(telling.chain),
        program_table().effect[telling.action],
        tuple(paths)[:_MAX_PATHS],
        tuple(hosts)[:_MAX_PATHS],
        _answers(readings),
    )


def _answers(readings: list[SegmentMeaning]) -> bool:
    """Whether the program that gives the exit code answers by it: the last that can fail."""
    for reading in reversed(readings):
        is_sure = "sure" in reading.flags or ("piped" in reading.flags and not reading.paths)
        if not reading.is_inner and not is_sure:
            return "answers" in reading.flags
    return False


def readings_of(command: str, *, is_powershell: bool = False) -> list[SegmentMeaning]:
    """Return what each segment of a command says, in the order of the text."""
    readings: list[SegmentMeaning] = []
    _read(command, Scope(), readings, (), is_powershell)
    return readings


def most_telling(readings: list[SegmentMeaning]) -> SegmentMeaning:
    """Return the reading that gives the command its action and program; the first of equals."""
    if len(readings) == 1:
        return readings[0]
    rank = program_table().rank
    return min(
        readings, key=lambda reading: (reading.tier, rank[reading.action] + reading.weakness)
    )


def _read(
    command: str,
    scope: Scope,
    readings: list[SegmentMeaning],
    chain: tuple[str, ...],
    is_powershell: bool,
) -> None:
    """Add the readings of `command`, and of the commands inside its words, to `readings`."""
    segments: list[Segment]
    if is_powershell:
        segments = powershell_segments(command, scope)
    else:
        segments = segments_of(cut_heredocs(command).strip().replace("\r\n", "\n"), scope)
    for segment in segments:
        reading = read_segment(segment, chain)
        kind, text = reading.nested
        if kind and text.strip(_NO_TEXT) and len(chain) < _MAX_DEPTH:
            before = len(readings)
            _read(text, nested_scope(segment, reading), readings, reading.chain, kind == "P")
            if reading.is_inside:  # paths of a container are none of this machine
                for inner in readings[before:]:
                    inner.paths = []
            if len(readings) > before:
                readings[before].paths.extend(reading.paths)
                continue
        readings.append(reading)
