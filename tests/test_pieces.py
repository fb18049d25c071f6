"""Reading in pieces equals reading at once: any split of the bytes, any order of the files.

The homes are generated from small pools of ids, so that copies, duplicates, results without calls
and clocks that go back meet in every combination.
"""

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from builders import (
    Record,
    assistant,
    claude_usage,
    encode_log,
    progress_copy,
    system,
    text,
    tool_block,
    tool_result,
    user,
    uuid_of,
)
from canonical import canonical_dump, differences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentpprof.ingest import assemble, discover, indexer, reader, repeats
from agentpprof.ingest.indexer import sync
from agentpprof.ingest.report import SyncReport
from agentpprof.store.database import opened_for_writing

HOUR_NS = 3600 * 10**9
Files = dict[str, bytes]
SLUG = "projects/-home-dev-shop"
SESSIONS = ("session-a", "session-b", "session-c")
AGENTS = ("a1", "acompact-2")
MAIN_PATHS = [f"{SLUG}/{session}.jsonl" for session in SESSIONS]
AGENT_PATHS = [
    f"{SLUG}/session-a/subagents/agent-a1.jsonl",
    f"{SLUG}/session-b/subagents/agent-acompact-2.jsonl",
    f"{SLUG}/agent-a1.jsonl",
]
# Ends of lines, and what stands there instead of a record, in real logs now and then.
DAMAGE = (
    b"",
    b" \t\r",
    b"\0" * 9,
    b'{"type":"user","message":{"role":"us',
    b'"a text"',
    b"[1]",
    b'{"no":"type"}',
    b'{"type":"new-kind","version":"2.1.140"}',
    b"\xff\xfe",
)
COMMANDS = ("pytest -q", "grep -n x src/a.py", "cat src/a.py", "sed -i s/a/b/ src/a.py")
WORDS = ("Fix the test", "yes", "/deploy now", "<bash-input>ls</bash-input>", "Fix the test\nmore")


class Step(NamedTuple):
    """One record of a generated log: which kind, which ids, how much later."""

    kind: int
    unit: int  # the response, call or prompt that it tells of
    variant: int
    seconds: float


def at(seconds: float) -> str:
    """Return a time on the day of all generated logs."""
    millis = round(seconds * 1000) % 86_400_000
    whole, rest = divmod(millis, 1000)
    minutes, second = divmod(whole, 60)
    return f"2026-05-04T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{rest:03d}Z"


def records_of(step: Step, when: str, session: str, agent: str) -> list[Record]:
    """Return the records of one step; equal steps at equal times are equal records."""
    fields = surroundings(session, agent, step.variant)
    return KINDS[step.kind](step, when, fields)


def surroundings(session: str, agent: str, variant: int) -> Record:
    """Return the fields that say where a record belongs; some records lack some of them."""
    fields: Record = {"sessionId": session}
    if agent:
        fields |= {"isSidechain": True, "agentId": agent}
    if variant % 5 == 1:
        fields |= {"cwd": None, "gitBranch": "", "version": None}
    elif variant % 5 == 2:
        fields |= {"cwd": "/home/dev/shop/.claude/worktrees/x", "gitBranch": "x"}
    elif variant % 5 == 3:
        fields |= {"version": "2.1.20"}
    return fields


def _prompt(step: Step, when: str, fields: Record) -> list[Record]:
    words = WORDS[step.variant % len(WORDS)]
    return [user(words, at=when, **fields, uuid=uuid_of("prompt", step.unit))]


def _command(step: Step, when: str, fields: Record) -> list[Record]:
    words = f"<command-name>/go{step.unit}</command-name><command-args>x</command-args>"
    return [user(words, at=when, **fields, uuid=uuid_of("command", step.unit))]


def _response(step: Step, when: str, fields: Record) -> list[Record]:
    usage = claude_usage(step.variant, 3 + 7 * step.variant, cache_write_1h=step.variant % 2)
    usage["cache_creation"] = usage["cache_creation"] if step.variant % 4 else None
    long = " x" * (600 * step.variant) if step.unit == 4 else ""  # near the bound of a text
    words = text(f"Answer {step.unit}, part {step.variant}{long}")
    stop = (None, "end_turn", "max_tokens")[step.variant % 3]
    more = {**fields, "uuid": uuid_of("response", step.unit, step.variant)}
    if step.variant == 4:
        more |= {"requestId": None}
    message_id = f"msg_{step.unit}" if step.variant != 6 else ""
    record = assistant(
        [words], at=when, message_id=message_id, usage=usage, stop_reason=stop, **more
    )
    if step.variant == 6:
        record["message"]["id"] = None
    if step.unit > 2:
        del record["message"]["usage"]
    return [record]


def _call(step: Step, when: str, fields: Record) -> list[Record]:
    command = COMMANDS[step.variant % len(COMMANDS)]
    tools: list[tuple[str, Any]] = [
        ("Bash", {"command": command}),
        ("Bash", {"command": "curl https://example.com/x"}),
        ("Edit", {"file_path": "/home/dev/shop/src/a.py", "old_string": "a", "new_string": "b"}),
        ("Task", {"subagent_type": "searcher", "prompt": "Look"}),
        ("Skill", {"skill": "release"}),
    ]
    name, value = tools[step.unit % len(tools)]
    block = tool_block(name, value, f"toolu_{step.unit}")
    more = {**fields, "uuid": uuid_of("call", step.unit, step.variant)}
    stop = "tool_use" if step.variant % 2 else None
    message_id = f"msg_{step.unit + step.variant % 2}"
    return [assistant([block], at=when, message_id=message_id, stop_reason=stop, **more)]


def _result(step: Step, when: str, fields: Record) -> list[Record]:
    content, is_error = (
        ("ok", None),
        ("Exit code 1\n", True),
        ("Exit code 2\nbroken", True),
        ("The user doesn't want to proceed", True),
        ("done\nagentId: a1", False),
    )[step.variant % 5]
    more = {**fields, "uuid": uuid_of("result", step.unit, step.variant)}
    return [tool_result(f"toolu_{step.unit}", content, is_error=is_error, at=when, **more)]


def _comment(step: Step, when: str, fields: Record) -> list[Record]:
    record = _result(step, when, fields)[0]
    record["message"]["content"].append(text("Allowed, but hurry"))
    return [record]


def _interrupt(step: Step, when: str, fields: Record) -> list[Record]:
    words = [text("[Request interrupted by user]")]
    return [user(words, at=when, **fields, uuid=uuid_of("interrupt", step.unit))]


def _meta(step: Step, when: str, fields: Record) -> list[Record]:
    return [user("Caveat", at=when, **fields, uuid=uuid_of("meta", step.unit), isMeta=True)]


def _failed(step: Step, when: str, fields: Record) -> list[Record]:
    more = {**fields, "uuid": uuid_of("failed", step.unit)}
    return [assistant("API Error: 500", at=when, model="<synthetic>", **more)]


def _queue(step: Step, when: str, fields: Record) -> list[Record]:
    operation = ("enqueue", "dequeue", "remove", "popAll")[step.variant % 4]
    content = {} if operation == "dequeue" else {"content": f"Typed {step.unit % 2}"}
    record = {"type": "queue-operation", "operation": operation, "timestamp": when}
    return [{**record, **content, "sessionId": fields["sessionId"]}]


def _queued(step: Step, when: str, fields: Record) -> list[Record]:
    attachment = {"type": "queued_command", "prompt": f"Typed {step.unit % 2}"}
    record = user("", at=when, **fields, uuid=uuid_of("queued", step.unit))
    del record["message"]
    return [{**record, "type": "attachment", "attachment": attachment}]


def _copy(step: Step, when: str, fields: Record) -> list[Record]:
    """A sub-agent's record inside the main file, the same that stands in the sub-agent's own."""
    make = (_prompt, _response, _call, _result)[step.variant % 4]
    agent = AGENTS[step.unit % 2]
    original = make(step, when, {**fields, "isSidechain": True, "agentId": agent})[0]
    return [progress_copy(original, agent, f"toolu_{step.unit}", **fields)]


def _side(step: Step, when: str, fields: Record) -> list[Record]:
    return [system("turn_duration", at=when, **fields), {"type": "summary", "summary": "x"}]


KINDS: tuple[Callable[[Step, str, Record], list[Record]], ...] = (
    _response,
    _call,
    _result,
    _prompt,
    _copy,
    _command,
    _comment,
    _interrupt,
    _queue,
    _queued,
    _meta,
    _failed,
    _side,
)

steps = st.builds(
    Step,
    kind=st.integers(0, len(KINDS) - 1),
    unit=st.integers(0, 4),
    variant=st.integers(0, 7),
    seconds=st.sampled_from((0.0, 0.5, 2.0, 60.0, 2500.0, -3.0)),
)


@st.composite
def logs(draw: st.DrawFn, session: str, agent: str, history: Sequence[bytes]) -> list[bytes]:
    """Draw the lines of one file, maybe begun with lines of another."""
    lines = list(history[: draw(st.integers(0, len(history)))]) if history else []
    clock = draw(st.sampled_from((100.0, 200.0, 230.0)))
    for step in draw(st.lists(steps, min_size=1, max_size=14)):
        clock += step.seconds
        own = [encode_log([one])[:-1] for one in records_of(step, at(clock), session, agent)]
        lines += own
        special = draw(st.integers(0, 15))
        if special == 0:  # the same record again, as one release wrote them
            lines += own
        elif special == 1:
            lines.append(draw(st.sampled_from(DAMAGE)))
        elif special == 2 and len(lines) > 1:  # glued to the line before
            glued = lines.pop()
            lines[-1] += glued
        elif special == 3 and len(lines) > 1:  # a cut record with a whole one behind it
            whole = lines.pop()
            lines[-1] = lines[-1][: len(lines[-1]) // 2] + whole
    return lines


@st.composite
def homes(draw: st.DrawFn) -> Files:
    """Draw a small home: sessions, forks and resumed ones, sub-agents' files."""
    files: dict[str, list[bytes]] = {}
    number = draw(st.integers(1, 3))
    for path, session in list(zip(MAIN_PATHS, SESSIONS, strict=True))[:number]:
        before = list(files.values())[-1] if files else []
        is_fork = bool(before) and draw(st.booleans())
        files[path] = draw(logs(session, "", before if is_fork else []))
    for path in draw(st.sets(st.sampled_from(AGENT_PATHS), max_size=2)):
        session = "session-b" if "session-b" in path else "session-a"
        files[path] = draw(logs(session, AGENTS["acompact" in path], []))
    tail = draw(st.sampled_from((b"", b'{"type":"user"', b'{"type":"assistant"}')))
    return {path: b"".join(line + b"\n" for line in lines) + tail for path, lines in files.items()}


# A step of growth: which file, and up to which part of its bytes.
growths = st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), max_size=6)


class Machine:
    """A folder with a growing home and a database; every sync starts from the stored state."""

    def __init__(self, folder: Path, empty: Path) -> None:
        """Begin with an empty home and a copy of the empty database."""
        folder.mkdir(parents=True)
        self.home = folder / "home"
        self.database = folder / "agent.db"
        shutil.copyfile(empty, self.database)

    def grow(self, path: str, data: bytes) -> None:
        """Append to a log so that it holds `data`."""
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        have = place.stat().st_size if place.exists() else 0
        with place.open("ab") as file:
            file.write(data[have:])

    def sync(self, late_ns: int = 0) -> SyncReport:
        """Bring the database up to date, now or as if it were later."""
        roots = [discover.Root("claude", str(self.home / "projects"))]
        return sync(self.database, roots, now_ns=time.time_ns() + late_ns)

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return what the database says, whatever folder the home lies in."""
        with closing(sqlite3.connect(self.database)) as connection:
            dump = canonical_dump(connection)
        here = str(self.home)
        return {
            table: [
                tuple(one.replace(here, "~") if isinstance(one, str) else one for one in row)
                for row in rows
            ]
            for table, rows in dump.items()
        }


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database with the schema, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "agent.db"
    with opened_for_writing(path) as connection:
        connection.execute("pragma journal_mode = delete")
    return path


@pytest.fixture
def machines(
    tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Machine]]:
    """Give `machines()`: a new empty machine; old ones are deleted to keep the disk small."""
    monkeypatch.setattr("agentpprof.store.database._set_up_writer", without_waiting)
    made: list[Path] = []

    def make() -> Machine:
        made.append(tmp_path / f"machine-{len(made)}")
        if len(made) > 8:
            shutil.rmtree(made[len(made) - 9])
        return Machine(made[-1], empty_database)

    yield make


def without_waiting(connection: sqlite3.Connection) -> None:
    """Set up a writer that doesn't wait for the disk: these tests lose no power."""
    connection.execute("pragma journal_mode = memory")
    connection.execute("pragma synchronous = off")


in_home = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=int(os.environ.get("AGENTPPROF_EXAMPLES", "40")),
)


def at_once(machine: Machine, files: Files) -> Machine:
    """Write all files whole and index them in one pass."""
    for path, data in files.items():
        machine.grow(path, data)
    machine.sync()
    return machine


def in_pieces(machine: Machine, files: Files, steps: Sequence[tuple[int, float]]) -> Machine:
    """Let files grow step by step, with a sync behind each; then all whole, and a last sync."""
    paths = list(files)
    for number, part in steps:
        path = paths[number % len(paths)]
        machine.grow(path, files[path][: round(part * len(files[path]))])
        machine.sync()
    return at_once(machine, files)


def assert_same(one: Machine, other: Machine) -> None:
    """Compare two databases by all that they say."""
    assert differences(one.dump(), other.dump()) == []


@in_home
@given(homes(), growths)
def test_logs_that_grow_by_any_bytes_in_any_order_give_what_reading_them_at_once_gives(
    machines: Callable[[], Machine], files: Files, steps: list[tuple[int, float]]
) -> None:
    assert_same(at_once(machines(), files), in_pieces(machines(), files, steps))


@in_home
@given(homes(), growths)
def test_a_last_record_that_is_taken_without_its_newline_changes_nothing_later(
    machines: Callable[[], Machine], files: Files, steps: list[tuple[int, float]]
) -> None:
    machine, paths = machines(), list(files)
    for number, part in steps:
        path = paths[number % len(paths)]
        data = files[path]
        machine.grow(path, data[: data.find(b"\n", round(part * len(data)))])
        machine.sync(late_ns=HOUR_NS)
    whole = at_once(machines(), files)
    for each in (whole, at_once(machine, files)):
        each.sync(late_ns=HOUR_NS)
    assert_same(whole, machine)


@in_home
@given(homes(), growths)
def test_the_same_holds_where_the_state_has_room_for_two_of_each_thing_only(
    machines: Callable[[], Machine], files: Files, steps: list[tuple[int, float]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for bound in ("MAX_CALLS", "MAX_RESPONSES", "MAX_THREADS"):
            patch.setattr(assemble, bound, 2)
        patch.setattr(repeats, "_WINDOW", 2)
        assert_same(at_once(machines(), files), in_pieces(machines(), files, steps))


@in_home
@given(homes(), st.randoms(use_true_random=False))
def test_files_read_in_any_order_give_the_same(
    machines: Callable[[], Machine], files: Files, chance: random.Random
) -> None:
    shuffled = machines()
    paths = list(files)
    chance.shuffle(paths)
    for path in paths:
        shuffled.grow(path, files[path])
        shuffled.sync()
    with pytest.MonkeyPatch.context() as patch:
        find = indexer.find_log_files
        patch.setattr(indexer, "find_log_files", partial(_shuffled, find, chance))
        in_one_pass = at_once(machines(), files)
    whole = at_once(machines(), files)
    assert_same(whole, shuffled)
    assert_same(whole, in_one_pass)


def _shuffled(find: Callable[..., Any], chance: random.Random, *arguments: Any) -> list[Any]:
    found = list(find(*arguments))
    chance.shuffle(found)
    return found


@in_home
@given(homes(), st.integers(1, 900))
def test_the_size_of_the_pieces_in_which_a_file_is_read_changes_nothing(
    machines: Callable[[], Machine], files: Files, size: int
) -> None:
    whole = at_once(machines(), files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexer.reader, "read_pieces", partial(_read_in, reader.read_pieces, size))
        assert_same(whole, at_once(machines(), files))


def _read_in(read: Callable[..., Any], size: int, *arguments: Any) -> Any:
    return read(*arguments[:2], piece_bytes=size)


@in_home
@given(homes())
def test_indexing_again_changes_nothing_and_opens_no_log(
    machines: Callable[[], Machine], files: Files
) -> None:
    machine = at_once(machines(), files)
    before = machine.dump()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexer.reader, "opened", _not_to_be_opened)
        report = machine.sync()
    assert report.files == len(files)
    assert (report.files_read, report.bytes_read, report.unreadable) == (0, 0, ())
    assert machine.dump() == before


def _not_to_be_opened(path: str) -> None:
    raise AssertionError(f"{path} was opened")


@in_home
@given(homes(), st.integers(0, 4))
def test_reading_a_file_again_from_its_first_byte_changes_nothing(
    machines: Callable[[], Machine], files: Files, number: int
) -> None:
    machine = at_once(machines(), files)
    before = machine.dump()
    with closing(sqlite3.connect(machine.database)) as connection, connection:
        path = str(machine.home / list(files)[number % len(files)])
        connection.execute(
            "update log_file set head_hash = x'00', mtime_ns = 0 where path = ? and offset > 0",
            (path,),
        )
    machine.sync()
    assert differences(before, machine.dump()) == []
