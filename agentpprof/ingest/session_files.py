"""Log files that a person names one by one, whatever they are called and wherever they lie.

Their format is told from their content. Only the first bytes are looked at here.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from agentpprof.agents import AGENTS, decoder_of, titles
from agentpprof.errors import UsageError
from agentpprof.models import COMPRESSED_SUFFIX, LogFile

OPTION = "--session-file"
STDIN = "-"
_HEAD_BYTES = 1024 * 1024
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def named_log_file(path: str) -> LogFile:
    """Return the log file at `path`; raises UsageError that names it and says what is wrong."""
    place = os.path.realpath(path)
    try:
        status = os.stat(place)  # noqa: PTH116 # a Path can't hold every name that a log may have
        _refuse_other_kinds(path, status.st_mode)
        with open(place, "rb") as stream:  # noqa: PTH123 # the same
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"{OPTION} {path} can't be read ({error.strerror})") from None
    agent = sniffed_agent(_unpacked(path, head))
    if agent is None:
        reason = "is empty" if not head else f"is no log of {titles()}"
        raise UsageError(f"{OPTION} {path} {reason}: name a session's .jsonl file")
    return LogFile.of(place, agent, status)


def _refuse_other_kinds(path: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        options = " or ".join(f"--{agent}-root" for agent in AGENTS)
        raise UsageError(f"{OPTION} {path} is a folder: name it with {options}")
    if not stat.S_ISREG(mode):
        raise UsageError(f"{OPTION} {path} is no regular file: pipe it in with {OPTION} -")


def sniffed_agent(head: bytes) -> str | None:
    """Return the agent whose log begins with these bytes, None for anything else.

    Lines are asked one by one, since a later line may quote the log of another agent.
    """
    decoders = {agent: decoder_of(agent) for agent in AGENTS}
    for line in head.split(b"\n"):
        found = [agent for agent, decoder in decoders.items() if decoder.looks_like(line)]
        if found:
            return found[-1]  # the later agent's marks are the stricter ones
    return None


def _unpacked(path: str, head: bytes) -> bytes:
    """Return the beginning of what a compressed file holds."""
    if not head.startswith(_ZSTD_MAGIC):
        return head
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor().stream_reader(head)
        return reader.read(_HEAD_BYTES)
    except zstandard.ZstdError:
        raise UsageError(f"{OPTION} {path} is compressed, but damaged at its beginning") from None


def with_its_suffix(log_file: LogFile, folder: Path) -> LogFile:
    """Return a compressed log whose name says so: a copy in `folder` where its own does not."""
    path = Path(log_file.path)
    if log_file.is_compressed:
        return log_file
    with path.open("rb") as stream:
        if stream.read(len(_ZSTD_MAGIC)) != _ZSTD_MAGIC:
            return log_file
    copy = folder / f"{log_file.device}-{log_file.inode}.jsonl{COMPRESSED_SUFFIX}"
    shutil.copyfile(path, copy)
    return named_log_file(str(copy))


def distinct(log_files: Iterable[LogFile]) -> list[LogFile]:
    """Drop files that are another one under a different name."""
    return list({(each.device, each.inode): each for each in log_files}.values())


def newest(log_files: Iterable[LogFile], limit: int) -> list[LogFile]:
    """Return the `limit` newest files of each agent, by the time they were last written."""
    left = dict.fromkeys(AGENTS, limit)
    chosen: list[LogFile] = []
    for log_file in sorted(log_files, key=lambda each: (-each.mtime_ns, each.path)):
        if left[log_file.agent] > 0:
            left[log_file.agent] -= 1
            chosen.append(log_file)
    return chosen


def copy_of_stdin(read: Callable[[int], bytes], folder: Path) -> Path:
    """Write what `read` gives to a private file and return its path."""
    place = folder / "stdin.jsonl"
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        while block := read(_HEAD_BYTES):
            stream.write(block)
    return place


def check_names(paths: Sequence[str]) -> None:
    """Raise UsageError for names that can't be meant."""
    if any(not path for path in paths):
        raise UsageError(f"{OPTION} '' is empty: name a session's .jsonl file, or - for stdin")
    if paths.count(STDIN) > 1:
        raise UsageError(f"{OPTION} - can be given only once: stdin is read once")
