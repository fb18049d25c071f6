"""Calls drawn from the sample logs, judged by hand, and what holds for all of them.

`data/sample-calls.json` was written by reading each call before our answer was looked at: 100 of
the 529 calls of both homes, by `random.Random(6).sample`. It holds no text of the logs: objects
are the first 12 digits of their SHA-256.
"""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from agentpprof.agents import decoder_of
from agentpprof.agents.facts import CallFact
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.semantics.tools import describe_call
from agentpprof.vocabulary import (
    ACCESSES,
    ACTIONS,
    ACTIONS_OF_PHASE,
    CATEGORIES,
    EFFECTS,
    OPS,
    ORIGINS,
    OUTCOMES,
    PARTS,
    PHASE_OF,
    PHASES,
    REPEATS,
    RESULTS,
    TAGS,
    TOKENS,
    UNTAGGED,
)

DATA = Path(__file__).parent / "data" / "sample-calls.json"
CLOSED = {
    "select op from operations": OPS,
    "select phase from operations": PHASES,
    "select action from operations": ACTIONS,
    "select repeat from operations": REPEATS,
    "select result from operations": RESULTS,
    "select outcome from operations": OUTCOMES,
    "select origin from operations": ORIGINS,
    "select category from operations where op = 'tool'": CATEGORIES,
    "select effect from operations where op = 'tool'": EFFECTS,
    "select tag from prompts": (*TAGS, UNTAGGED),
    "select task from prompts": (*TAGS, UNTAGGED),
    "select tag from sessions": (*TAGS, UNTAGGED),
    "select token from token_usage": TOKENS,
    "select access from file_events": ACCESSES,
    "select access from network_events": ACCESSES,
    "select part from time_parts": PARTS,
}


def calls_of(path: Path, agent: str) -> Iterator[CallFact]:
    """The tool calls of one log, in its order."""
    decoder = decoder_of(agent)
    facts, _ = decoder.decode(path.read_bytes(), 0, str(path), decoder.initial_state(str(path)))
    return (fact for fact in facts if isinstance(fact, CallFact))


def agreement(samples: Path) -> dict[str, list[str]]:
    """The calls on which we and the hand agree, by field."""

    @cache
    def known(name: str) -> list[CallFact]:
        (path,) = samples.rglob(name)
        return list(calls_of(path, path.relative_to(samples).parts[0]))

    agreed: dict[str, list[str]] = {"phase": [], "action": [], "object": []}
    for right in json.loads(DATA.read_text(encoding="utf-8")):
        place = f"{right['file']}:{right['offset']}:{right['number']}"
        at = [call for call in known(right["file"]) if call.offset == right["offset"]]
        call = at[right["number"]]
        meaning = describe_call(call.name, call.input, call.where.cwd)
        found = {
            "phase": PHASE_OF[meaning.action],
            "action": meaning.action,
            "object": hashlib.sha256(meaning.object.encode()).hexdigest()[:12],
        }
        for field, places in agreed.items():
            if found[field] == right[field]:
                places.append(place)
    return agreed


def test_the_hand_and_we_agree_on_at_least_95_of_100_calls(samples: Path) -> None:
    agreed = agreement(samples)
    assert {field: len(places) >= 95 for field, places in agreed.items()} == {
        "phase": True,
        "action": True,
        "object": True,
    }


@pytest.fixture(scope="module")
def indexed(
    samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sqlite3.Connection]:
    """A database of both sample homes."""
    database = tmp_path_factory.mktemp("calls") / "agent.db"
    homes = {"claude": "claude/.claude/projects", "codex": "codex/.codex/sessions"}
    sync(database, [Root(agent, str(samples / home)) for agent, home in homes.items()])
    with closing(sqlite3.connect(database)) as connection:
        yield connection


def test_few_tool_calls_are_only_run(indexed: sqlite3.Connection) -> None:
    phases = Counter(
        phase for (phase,) in indexed.execute("select phase from operations where op = 'tool'")
    )
    assert phases.total() > 500
    assert phases["run"] / phases.total() < 0.05


def test_no_tool_call_lacks_an_action_or_an_object(indexed: sqlite3.Connection) -> None:
    query = (
        "select count(*) from operations where op = 'tool' "
        "and (coalesce(action, '') = '' or coalesce(object, '') = '')"
    )
    assert indexed.execute(query).fetchone() == (0,)


@pytest.mark.parametrize("query", CLOSED)
def test_every_value_of_the_samples_is_in_its_vocabulary(
    query: str, indexed: sqlite3.Connection
) -> None:
    found = {value for (value,) in indexed.execute(query)} - {None, ""}
    assert found <= set(CLOSED[query])


def test_an_action_stands_in_its_phase(indexed: sqlite3.Connection) -> None:
    for phase, action in indexed.execute("select distinct phase, action from operations"):
        assert action in ACTIONS_OF_PHASE[phase]
