"""No text of a log trips the code that reads it; a line that did would cost nothing but itself."""

import copy
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from builders import ClaudeSession, Record, encode_log
from canonical import canonical_dump
from command_line import database, run

from agentpprof.agents import claude, decoder_of
from agentpprof.agents.codex_code_mode import nested_calls
from agentpprof.agents.facts import BadLineFact, Fact
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.state import AssemblyState
from agentpprof.resources import folder
from agentpprof.store.database import default_path

ODD: tuple[Any, ...] = (
    "",
    "0.\u00b2.\u00b2",  # digits that `int` does not take
    "1\u0663",
    "9" * 5000,  # longer than `int` takes
    f"{'9' * 5000}.{'9' * 5000}.1",
    "<command-name>",
    "tools.exec_command({timeout: 1\u0663, cmd: '\\ud83d'})",
    "*** Begin Patch\n*** Update File:",
    "psql -h; rsync --delete '",
    "\ud83d",
    "\0\x1b[31m",
    "../" * 3000,
    -1,
    2**70,
    1e308,
    True,
    None,
    [],
    {},
    [["x"]],
    {"type": "text", "id": 7, "name": [], "input": "x", "text": {}},
)
AGENTS = ("claude", "codex")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a record, inner ones too."""
    if path:
        yield path
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value[:2])
    for key, inner in pairs:
        yield from leaves(inner, (*path, key))


def changed(record: Record, path: tuple[Any, ...], value: Any) -> Record:
    """Return the record with another value at `path`."""
    found = inner = copy.deepcopy(record)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return found


@cache
def records_of_each_shape(agent: str) -> tuple[Record, ...]:
    """The first record of each shape in the example history."""
    shapes: dict[Any, Record] = {}
    for log in sorted((folder("data") / "demo" / agent).rglob("*.jsonl")):
        for line in log.read_bytes().splitlines():
            record: Record = json.loads(line)
            payload = record.get("payload", {})
            kinds = (record["type"], payload.get("type"), payload.get("name"))
            shapes.setdefault((kinds, *leaves(record)), record)
    by_path: dict[Any, Record] = {}  # one record for each path is enough
    for (kinds, *paths), record in shapes.items():
        by_path |= {(kinds, path): record for path in paths if (kinds, path) not in by_path}
    return tuple({id(record): record for record in by_path.values()}.values())


def read(agent: str, *records: Record) -> list[Fact]:
    """Decode and assemble records; return the facts."""
    decoder = decoder_of(agent)
    path = f"/logs/{agent}.jsonl"
    facts, _ = decoder.decode(encode_log(records), 0, path, decoder.initial_state(path))
    assemble(list(facts), AssemblyState(), agent)
    return facts  # type: ignore[no-any-return] # decoders are modules


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
@pytest.mark.parametrize("agent", AGENTS)
def test_no_value_of_a_record_trips_the_reading(agent: str, odd: Any) -> None:
    for record in records_of_each_shape(agent):
        read(agent, *(changed(record, path, odd) for path in leaves(record)))


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_no_value_of_a_header_trips_what_follows(odd: Any) -> None:
    header, *others = records_of_each_shape("codex")
    assert header["type"] == "session_meta"
    counts = [each for each in others if each["payload"].get("type") == "token_count"]
    for path in leaves(header):
        read("codex", changed(header, path, odd), *others)
        read("codex", changed(header, path, odd), *counts)


@pytest.mark.parametrize("number", ["1\u0663", "\u0661", "-1.\u0663"])
def test_a_script_with_digits_of_other_scripts_is_read_like_any_other(number: str) -> None:
    (call,) = nested_calls(f"tools.exec_command({{timeout: {number}, cmd: 'ls'}})")
    assert call.input["cmd"] == "ls"


def test_half_a_character_in_a_script_is_replaced() -> None:
    (call,) = nested_calls('tools.exec_command({"cmd": "rm a\\ud83d", "timeout": 5})')
    assert call.input == {"cmd": "rm a\ufffd", "timeout": 5}


@pytest.fixture
def tripping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the reading of assistant records stumble over one of a message `trap`."""
    real = claude.add_assistant

    def add(reading: Any, record: Any, *others: Any) -> None:
        real(reading, record, *others)
        if record.message.id == "trap":
            raise IndexError

    monkeypatch.setattr(claude, "add_assistant", add)


def write_story(home: Path) -> tuple[Path, bytes]:
    """Write a session; return its log and the line that trips."""
    log = ClaudeSession()
    log.user("Fix the test")
    log.call("Bash", {"command": "pytest -q"})
    record = log.assistant("It holds a trap", message_id="trap")
    log.call("Read", {"file_path": "/home/dev/shop/a.py"})
    log.assistant("Done")
    return log.write(home / ".claude"), encode_log([record])


@pytest.mark.usefixtures("tripping")
def test_a_line_that_trips_the_code_costs_nothing_but_itself(isolated_machine: Path) -> None:
    log, line = write_story(isolated_machine)
    assert run("index").code == 0
    with database(default_path()) as connection:
        bad = connection.execute("select offset, length, reason from bad_lines").fetchall()
        found = canonical_dump(connection)
    assert bad == [(log.read_bytes().index(line), len(line), "not_understood")]
    log.write_bytes(log.read_bytes().replace(line, b" " * (len(line) - 1) + b"\n"))
    assert run("index", "--db", isolated_machine / "other.db").code == 0
    with database(isolated_machine / "other.db") as connection:
        expected = canonical_dump(connection)
    assert len(found["operation"]) > 3
    for table in ("operation", "usage_line", "session"):
        assert found[table] == expected[table]


@pytest.mark.usefixtures("tripping")
def test_a_last_line_that_trips_the_code_stops_nothing(isolated_machine: Path) -> None:
    log, line = write_story(isolated_machine)
    data = log.read_bytes()
    log.write_bytes(data[: data.index(line) + len(line) - 1])
    os.utime(log, (1, 1))  # quiet for long, so that a last line without an end is looked at
    assert run("index").code == 0
    with database(default_path()) as connection:
        assert connection.execute("select count(*) from operations").fetchone()[0] == 3
        assert not connection.execute("select 1 from bad_lines").fetchall()
    log.write_bytes(data)
    assert run("index").code == 0
    with database(default_path()) as connection:
        bad = connection.execute("select reason from bad_lines").fetchall()
    assert bad == [("not_understood",)]


def test_the_example_history_has_no_line_that_trips_the_code() -> None:
    for agent in AGENTS:
        facts = read(agent, *records_of_each_shape(agent))
        assert not [fact for fact in facts if isinstance(fact, BadLineFact)]
