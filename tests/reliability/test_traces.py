"""T1: random traces of what happens to logs, against an oracle that knows what must be stored.

What stood as a whole line at a pass is stored exactly once, whatever happens before or after; what
was never written is never stored.
"""

import json
import os
import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from builders import Record, assistant, claude_usage, encode_log, user, uuid_of
from canonical import canonical_dump

from agentpprof.ingest import reader
from agentpprof.ingest.changed import changed_log_files
from agentpprof.ingest.discover import Root
from agentpprof.ingest.events import Hints
from agentpprof.ingest.indexer import sync, sync_files
from agentpprof.models import Checkpoint

TRACES = int(os.environ.get("AGENTPPROF_TRACES", "100"))
STEPS = 14
DAMAGE = (b"\0" * 40 + b"\n", b'{"type":"user","mess\n', b"\xff\xfe\n", b"\n", b"[1, 2]\n")


class Trace:
    """A folder of logs that is changed at random, with an oracle beside it."""

    def __init__(self, home: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = home / "projects" / "-home-dev-shop"
        self.folder.mkdir(parents=True)
        self.roots = [Root("claude", str(home / "projects"))]
        self.database = home / "agent.db"
        self.written: set[str] = set()  # ids of all records ever written, whole or not
        self.guaranteed: set[str] = set()  # those that stood whole in a log at a pass
        self.tokens: dict[str, int] = {}  # message id -> the most that a guaranteed record says
        self.lines: dict[str, tuple[str, int]] = {}  # uuid -> (message id or empty, tokens)
        self.half: dict[Path, bytes] = {}  # what is left of an unfinished line, by log
        self.touched: set[str] = set()
        self.ahead_ns = 0  # how far the clock has gone on
        self.numbers = iter(range(10_000))
        for number in range(3):
            self.append(self.folder / f"session-{number}.jsonl")

    # -- what happens

    def step(self) -> None:
        """Do one thing."""
        actions = [self.append, self.append, self.append_half, self.finish, self.repeat]
        actions += [self.damage, self.rewrite, self.refill, self.rename, self.replace]
        actions += [self.recreate, self.copy_and_truncate, self.resume, self.look, self.look]
        actions += [self.append_without_newline, self.splice, self.wait, self.wait_and_look]
        action = self.chance.choice(actions)
        if action in (self.look, self.wait, self.wait_and_look):
            action()
            return
        path = self.chance.choice(self.logs())
        self.touched.add(str(path))
        action(path)

    def append(self, path: Path) -> None:
        """Append whole lines."""
        self.end_half(path)
        self.add(path, encode_log(self.records(path)))

    def append_half(self, path: Path) -> None:
        """Append whole lines and the beginning of one."""
        self.end_half(path)
        data = encode_log(self.records(path))
        cut = self.chance.randrange(1, len(data))
        self.add(path, data[:cut])
        if not data[:cut].endswith(b"\n"):
            self.half[path] = data[cut:]

    def append_without_newline(self, path: Path) -> None:
        """Append whole records, the last one without its newline: the writer may be dead."""
        self.end_half(path)
        self.add(path, encode_log(self.records(path))[:-1])
        self.half[path] = b"\n"

    def splice(self, path: Path) -> None:
        """Write a record right behind one without a newline, whole or cut."""
        if self.half.get(path) != b"\n":
            return
        data = encode_log(self.records(path, 1))
        cut = self.chance.choice((len(data), len(data) - 1, self.chance.randrange(1, len(data))))
        self.half[path] = data[cut:]
        self.add(path, data[:cut])

    def wait(self) -> None:
        """Let an hour go by."""
        self.ahead_ns += 3600 * 10**9
        self.touched |= {str(path) for path in self.logs()}

    def wait_and_look(self) -> None:
        """Let an hour go by, then let a pass run."""
        self.wait()
        self.look()

    def finish(self, path: Path) -> None:
        """Write a little more of an unfinished line, or its end."""
        left = self.half.pop(path, b"")
        cut = self.chance.randrange(len(left) + 1)
        self.add(path, left[:cut])
        if left[cut:]:
            self.half[path] = left[cut:]

    def repeat(self, path: Path) -> None:
        """Append lines that are there already."""
        self.end_half(path)
        lines = path.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        self.add(path, b"".join(self.chance.sample(whole, min(2, len(whole)))))

    def damage(self, path: Path) -> None:
        """Append what is no record."""
        self.end_half(path)
        self.add(path, self.chance.choice(DAMAGE))

    def rewrite(self, path: Path) -> None:
        """Truncate to nothing and write new lines: fewer, as many or more bytes."""
        self.half.pop(path, None)
        path.write_bytes(b"".join(encode_log(self.records(path)) for _ in range(self.some())))

    def refill(self, path: Path) -> None:
        """Write other lines of the very same size in place, with the same time of change."""
        self.half.pop(path, None)
        status = path.stat()
        data = encode_log(self.records(path, 1))
        if len(data) > status.st_size:
            return
        filler = (
            b" " * (status.st_size - len(data) - 1) + b"\n" if status.st_size > len(data) else b""
        )
        with path.open("r+b") as stream:
            stream.write(data + filler)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def rename(self, path: Path) -> None:
        """Give a log another name."""
        target = self.new_path()
        path.rename(target)
        if path in self.half:
            self.half[target] = self.half.pop(path)
        self.touched.add(str(target))

    def replace(self, path: Path) -> None:
        """Put a file with some of the old lines and some new ones in its place."""
        self.half.pop(path, None)
        lines = path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if line.endswith(b"\n") and self.chance.random() < 0.6]
        temporary = path.with_name("temporary")
        temporary.write_bytes(b"".join(kept) + encode_log(self.records(path)))
        temporary.replace(path)

    def recreate(self, path: Path) -> None:
        """Delete a log and write a new one, mostly with the same inode."""
        self.half.pop(path, None)
        path.unlink()
        path.write_bytes(encode_log(self.records(path)))

    def copy_and_truncate(self, path: Path) -> None:
        """Copy a log away, then truncate it: how some tools rotate."""
        target = self.new_path()
        target.write_bytes(path.read_bytes())
        if path in self.half:
            self.half[target] = self.half.pop(path)
        path.write_bytes(b"")
        self.touched.add(str(target))

    def resume(self, path: Path) -> None:
        """Begin a log with copies of another one's lines, as a resumed session does."""
        target = self.new_path()
        lines = path.read_bytes().splitlines(keepends=True)
        whole = b"".join(line for line in lines if line.endswith(b"\n"))
        target.write_bytes(whole + encode_log(self.records(target)))
        self.touched.add(str(target))

    # -- the oracle

    def look(self) -> None:
        """Let a pass run: over everything, or over what events would tell of."""
        self.note_whole_lines()
        changes = Hints(frozenset(self.touched))
        files = changed_log_files(changes, self.roots) if self.chance.random() < 0.5 else None
        if files is None or not self.was_scanned_once():
            sync(self.database, self.roots, now_ns=self.now_ns())
        else:
            sync_files(self.database, files, now_ns=self.now_ns())
        self.touched.clear()

    def now_ns(self) -> int:
        return time.time_ns() + self.ahead_ns

    def was_scanned_once(self) -> bool:
        return self.database.exists()

    def note_whole_lines(self) -> None:
        """Remember which records stand whole in a log now, or whole at the end of a quiet one."""
        for path in self.logs():
            *lines, tail = path.read_bytes().split(b"\n")
            age_ns = self.now_ns() - path.stat().st_mtime_ns
            for line in [*lines, tail] if age_ns > 600 * 10**9 and is_json(tail) else lines:
                for uuid, (message_id, tokens) in self.lines.items():
                    if f'"uuid":"{uuid}"'.encode() in line and line.endswith(b"}"):
                        self.guaranteed.add(message_id or uuid)
                        if message_id:
                            self.tokens[message_id] = max(self.tokens.get(message_id, 0), tokens)

    def faults(self) -> list[str]:
        """Run a last pass and say what is lost, doubled or invented."""
        self.look()
        with closing(sqlite3.connect(self.database)) as connection:
            prompts = [
                row[0]
                for row in connection.execute("select natural_id from operation where op = 0")
            ]
            responses = dict(
                connection.execute("select key, output_tokens from operation where op = 1")
            )
        by_key = {response_key(message_id): message_id for message_id in self.message_ids()}
        stored = {*prompts, *(by_key.get(key, "invented") for key in responses)}
        faults = [f"lost {name}" for name in sorted(self.guaranteed - stored)]
        faults += [f"invented {name}" for name in sorted(stored - self.written)]
        faults += ["doubled"] * (len(prompts) != len(set(prompts)))
        for key, tokens in responses.items():
            least = self.tokens.get(by_key.get(key, ""), 0)
            if not least <= tokens <= 1000:
                faults.append(f"tokens {tokens} of {least}")
        return faults

    def message_ids(self) -> set[str]:
        return {message_id for message_id, _ in self.lines.values() if message_id}

    # -- small things

    def logs(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl"))

    def some(self) -> int:
        return self.chance.randrange(1, 4)

    def new_path(self) -> Path:
        return self.folder / f"session-x{next(self.numbers)}.jsonl"

    def add(self, path: Path, data: bytes) -> None:
        with path.open("ab") as stream:
            stream.write(data)

    def end_half(self, path: Path) -> None:
        """An agent that comes back finishes the line, or begins a new one behind the rest."""
        left = self.half.pop(path, b"")
        if left:
            self.add(path, left if self.chance.random() < 0.7 else b"\n")

    def records(self, path: Path, count: int = 0) -> list[Record]:
        """Return new records of a prompt or of one response in several lines."""
        made = []
        for _ in range(count or self.some()):
            number = next(self.numbers)
            fields = {"sessionId": path.stem, "uuid": uuid_of("trace", number)}
            if self.chance.random() < 0.5:
                made.append(user(f"prompt {number} " + "x" * self.chance.randrange(600), **fields))
                self.note(fields["uuid"], "", 0)
            else:
                message_id = f"msg_{number - self.chance.randrange(2)}"
                tokens = self.chance.randrange(1, 1000)
                usage = claude_usage(output_tokens=tokens)
                made.append(assistant("done", message_id=message_id, usage=usage, **fields))
                self.note(fields["uuid"], message_id, tokens)
        return made

    def note(self, uuid: str, message_id: str, tokens: int) -> None:
        self.lines[uuid] = (message_id, tokens)
        self.written.add(message_id or uuid)


def is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def response_key(message_id: str) -> int:
    from agentpprof.keys import key_of

    return key_of("claude", "llm", message_id)


def run_trace(home: Path, seed: int) -> list[str]:
    trace = Trace(home / str(seed), seed)
    for _ in range(STEPS):
        trace.step()
    return trace.faults()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_nothing_is_lost_doubled_or_invented(tmp_path: Path, part: int) -> None:
    seeds = range(part, TRACES, 4)
    found = {seed: faults for seed in seeds if (faults := run_trace(tmp_path, seed))}
    assert not found


def test_a_tail_that_is_never_taken_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control for records without a newline."""
    monkeypatch.setattr(reader, "read_tail", lambda *_: None)
    assert any(run_trace(tmp_path, seed) for seed in range(20))


def test_identity_by_inode_and_size_alone_loses_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: how the simplest tailers do it."""

    def is_continued(descriptor: int, checkpoint: Checkpoint) -> bool:
        return os.fstat(descriptor).st_size >= checkpoint.offset

    monkeypatch.setattr(reader, "is_continued", is_continued)
    assert any(run_trace(tmp_path, seed) for seed in range(10))


def test_any_order_of_passes_gives_the_same_rows(tmp_path: Path) -> None:
    """The rows of purely appended logs don't depend on when passes ran."""
    dumps = []
    for passes in (False, True):
        trace = Trace(tmp_path / "home", 7)
        for number in range(8):
            trace.append(trace.folder / f"session-{number % 3}.jsonl")
            if passes:
                sync(trace.database, trace.roots)
        sync(trace.database, trace.roots)
        with closing(sqlite3.connect(trace.database)) as connection:
            dumps.append(canonical_dump(connection))
        (tmp_path / "home").rename(tmp_path / f"home-{passes}")
    assert dumps[0] == dumps[1]
