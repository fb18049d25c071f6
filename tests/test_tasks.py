"""The task of a prompt: its own tag, the one it goes on with, or that of the person's prompt."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentpprof.models import PromptRow
from agentpprof.profile.session_tags import session_tags, tags_by_hand
from agentpprof.profile.tasks import effective_tasks, own_tasks, spawning_prompts
from agentpprof.store import queries
from agentpprof.store.database import opened_for_writing
from agentpprof.store.tags import read_tags, save_tags

AGENT = 4
TAGS = {1: "debug", 2: "follow", 3: "docs", 4: "chat", 6: "build"}  # 5 has none


INSERT = (
    "insert into operation (key, op, owner_rank, session_key, prompt_key, log_file_id, offset, "
    "started_at_ms, active_ms, idle_ms, bag_id, object_id, result, parser_version, origin, "
    "outcome, text_hash) values (?, ?, 0, ?, ?, 1, ?, ?, 0, 0, 1, 0, 0, 1, ?, 0, ?)"
)


class Prompt(NamedTuple):
    """A generated prompt."""

    session: int
    time: int | None
    text_hash: int
    origin: int


class Session(NamedTuple):
    """A generated session: its parent, and the prompts whose calls started it."""

    parent: int | None
    spawned_by: tuple[int, ...]


def prompt(key: int, session: int, time: int, text_hash: int, origin: int = 0) -> PromptRow:
    """A stored prompt."""
    return PromptRow(key, session, time, text_hash, origin, 0)


def test_a_prompt_that_only_goes_on_keeps_the_task_before_it_in_its_session() -> None:
    rows = [prompt(1, 7, 0, 1), prompt(2, 7, 1, 2), prompt(3, 7, 2, 3), prompt(4, 7, 3, 2)]
    assert own_tasks(rows, TAGS) == {1: "debug", 2: "debug", 3: "docs", 4: "docs"}


def test_a_first_prompt_that_only_goes_on_has_nothing_to_go_on_with() -> None:
    rows = [prompt(1, 7, 0, 1), prompt(2, 8, 1, 2), prompt(3, 8, 2, 2)]
    assert own_tasks(rows, TAGS) == {1: "debug", 2: "follow", 3: "follow"}


def test_a_sub_agents_prompt_stands_under_the_one_that_spawned_it_however_deep() -> None:
    rows = [prompt(1, 7, 0, 1), prompt(2, 7, 9, 3), prompt(3, 8, 5, 4, AGENT)]
    rows.append(prompt(4, 9, 6, 4, AGENT))
    above = spawning_prompts(rows, {7: None, 8: 7, 9: 8}, {8: 2})
    assert above == {3: 2, 4: 3}
    assert effective_tasks(own_tasks(rows, TAGS), above)[4] == "docs"


@pytest.mark.parametrize(("time", "found"), [(5, 1), (9, 2), (-1, 1)])
def test_without_its_call_it_stands_under_the_parents_latest_prompt_before_it(
    time: int, found: int
) -> None:
    rows = [prompt(1, 7, 0, 1), prompt(2, 7, 9, 3), prompt(3, 8, time, 4, AGENT)]
    assert spawning_prompts(rows, {7: None, 8: 7}, {}) == {3: found}


def test_a_circle_of_parents_ends() -> None:
    assert effective_tasks({1: "debug", 2: "docs"}, {1: 2, 2: 1}) == {1: "docs", 2: "debug"}


# ---------------------------------------------------------------------------- SQL says the same


@pytest.fixture(scope="module")
def database(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[], sqlite3.Connection]]:
    """Give `database()`: one connection to an emptied database."""
    path = tmp_path_factory.mktemp("tasks") / "agent.db"
    with opened_for_writing(path) as connection:
        connection.execute("insert into field_bag values (1,2,0,0,0,0,0,0,0,0,0,0,0,0)")

        def emptied() -> sqlite3.Connection:
            for table in ("operation", "session", "session_spawn", "tag", "tagger", "manual_tag"):
                connection.execute(f"delete from {table}")
            return connection

        yield emptied


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Session], list[Prompt]]:
    """Draw sessions, each maybe the child of an earlier one, and prompts."""
    sessions: list[Session] = []
    count = draw(st.integers(1, 5))
    prompts = draw(
        st.lists(
            st.builds(
                Prompt,
                st.integers(0, count - 1),
                st.integers(0, 6) | st.none(),
                st.integers(1, 6),
                st.sampled_from((0, 1, 3, AGENT, AGENT)),
            ),
            min_size=1,
            max_size=12,
        )
    )
    for number in range(count):
        parent = draw(st.none() | st.integers(0, number - 1)) if number else None
        of_parent = [n for n, one in enumerate(prompts) if one.session == parent]
        calls = draw(st.lists(st.sampled_from(of_parent), max_size=2)) if of_parent else []
        sessions.append(Session(parent, tuple(calls)))
    return sessions, prompts


def store(connection: sqlite3.Connection, sessions: list[Session], prompts: list[Prompt]) -> None:
    """Write a generated history into the tables."""
    connection.execute("begin")
    for key, one in enumerate(prompts, 100):
        row = (key, 0, one.session + 1, key, key, one.time, one.origin, one.text_hash)
        connection.execute(INSERT, row)
    for number, session in enumerate(sessions):
        parent = None if session.parent is None else session.parent + 1
        connection.execute(
            "insert into session values (?, 'claude', ?, ?, 0, 0, 1, null, 0, 0, 0, 0)",
            (number + 1, f"session-{number}", parent),
        )
        for place, spawning in enumerate(session.spawned_by):
            call = 1000 + 10 * number + place
            row = (call, 2, parent, spawning + 100, call, 0, None, None)
            connection.execute(INSERT, row)
            connection.execute("insert into session_spawn values (?, ?)", (number + 1, call))
    connection.execute("commit")
    save_tags(connection, "rules", "prompt", TAGS, is_current=True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories())
def test_the_view_prompt_tasks_says_what_profiles_say(
    database: Callable[[], sqlite3.Connection], history: tuple[list[Session], list[Prompt]]
) -> None:
    connection = database()
    store(connection, *history)
    prompts = queries.read_prompts(connection)
    sessions = queries.read_sessions(connection)
    above = spawning_prompts(
        prompts,
        {session.key: session.parent_key for session in sessions},
        {session.key: session.prompt_key for session in sessions},
    )
    tags = read_tags(connection, "rules", "prompt")
    tasks = effective_tasks(own_tasks(prompts, tags), above)
    assert dict(connection.execute("select key, task from prompt_tasks")) == tasks


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    histories(),
    st.lists(st.integers(0, 11), max_size=12),
    st.dictionaries(st.integers(1, 5), st.sampled_from(("release", "docs")), max_size=2),
)
def test_the_view_session_tags_says_what_profiles_say(
    database: Callable[[], sqlite3.Connection],
    history: tuple[list[Session], list[Prompt]],
    calls: list[int],
    by_hand: dict[int, str],
) -> None:
    connection = database()
    store(connection, *history)
    for place, number in enumerate(calls):  # of any prompt, so that prompts differ in weight
        prompt = history[1][number % len(history[1])]
        key = 100 + number % len(history[1])
        row = (5000 + place, 2, prompt.session + 1, key, place, 0, None, None)
        connection.execute(INSERT, row)
    for session, tag in by_hand.items():
        connection.execute("insert into manual_tag values ('session', ?, ?, 0)", (session, tag))
    every = {session.key: session for session in queries.read_sessions(connection)}
    counts = queries.count_by_prompt(connection)
    tags = read_tags(connection, "rules", "prompt")
    found = session_tags(counts, every, queries.read_prompts(connection), tags)
    found |= tags_by_hand(every)
    assert dict(connection.execute("select session_key, tag from session_tags")) == found


def test_untagged_prompts_have_a_task_too(tmp_path: Path) -> None:
    with opened_for_writing(tmp_path / "agent.db") as connection:
        connection.execute("insert into field_bag values (1,2,0,0,0,0,0,0,0,0,0,0,0,0)")
        store(connection, [Session(None, ())], [Prompt(0, 0, 5, 0)])
        assert connection.execute("select task from prompt_tasks").fetchall() == [("untagged",)]
    with closing(sqlite3.connect(tmp_path / "agent.db")) as reader:
        assert reader.execute("select tag from prompt_tags").fetchall() == [("untagged",)]
