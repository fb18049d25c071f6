"""Views for people: what they count, that they agree with one another, and that they are fast."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils
from builders import ClaudeSession, claude_usage, text
from command_line import run
from conftest import REPOSITORY

from agentpprof.store.audits import read_counted_sums
from agentpprof.store.schema import bring_up_to_date
from agentpprof.store.schema_docs import shown_tables, shown_views

TOKENS = ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example history, indexed."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    logs = REPOSITORY / "agentpprof" / "data" / "demo"
    roots = ("--claude-root", logs / "claude/.claude", "--codex-root", logs / "codex/.codex")
    assert run("index", *roots, "--db", path).code == 0
    return path


@pytest.fixture
def rows(demo: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{demo}?mode=ro", uri=True)) as connection:
        yield connection


def index(home: Path, *logs: ClaudeSession) -> Path:
    for log in logs:
        log.write(home / ".claude")
    path = home / "x.db"
    assert run("index", "--claude-root", home / ".claude", "--db", path).code == 0
    return path


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


@pytest.mark.parametrize("view", ["responses", "daily", "sessions"])
def test_views_agree_with_the_audit(rows: sqlite3.Connection, view: str) -> None:
    counted = read_counted_sums(rows).values()
    for column in TOKENS:
        total = rows.execute(f"select sum({column}) from {view}").fetchone()[0]
        assert total == sum(getattr(sums, column) for sums in counted), column


def test_calls_and_prompts_agree(rows: sqlite3.Connection) -> None:
    counted = read_counted_sums(rows).values()
    for view, column, expected in (
        ("daily", "sum(tool_calls)", sum(sums.tool_calls for sums in counted)),
        ("tool_calls", "count(*)", sum(sums.tool_calls for sums in counted)),
        ("daily", "sum(prompts)", sum(sums.prompts for sums in counted)),
        ("prompts", "count(*)", sum(sums.prompts for sums in counted)),
        ("daily", "sum(responses)", sum(sums.responses for sums in counted)),
    ):
        assert rows.execute(f"select {column} from {view}").fetchone()[0] == expected, view


def test_sqlite_utils_shows_the_same_totals(demo: Path, rows: sqlite3.Connection) -> None:
    database = sqlite_utils.Database(demo)
    total = next(database.query("select sum(tokens) as n from token_usage"))["n"]
    assert total == sum(
        sum(getattr(sums, column) for column in TOKENS) for sums in read_counted_sums(rows).values()
    )
    assert "sessions" in database.view_names()


def test_parts_of_time_have_a_project(rows: sqlite3.Connection) -> None:
    parts = dict(rows.execute("select part, sum(duration_ms) from time_parts group by part"))
    assert set(parts) == {"tool", "model", "user", "idle"}
    total = rows.execute("select sum(active_ms + idle_ms) from operation").fetchone()[0]
    assert sum(parts.values()) == total
    assert rows.execute("select count(*) from time_parts where project is null").fetchone() == (0,)


def test_repeats_are_calls_with_a_repeat(rows: sqlite3.Connection) -> None:
    named = dict(rows.execute("select repeat, count(*) from repeats group by repeat"))
    assert set(named) == {"again", "retry", "loop"}
    assert rows.execute("select count(*) from tool_calls where repeat is not null").fetchone() == (
        sum(named.values()),
    )


def test_sub_agents_name_who_started_them(rows: sqlite3.Connection) -> None:
    children = rows.execute("select count(*) from sessions where parent_session_id is not null")
    found = rows.execute("select count(*), count(prompt_id), count(task) from subagents").fetchone()
    assert found == (children.fetchone()[0],) * 3


def usage(read: int, write: int, fresh: int = 10) -> dict[str, object]:
    return claude_usage(fresh, 50, cache_read=read, cache_write_5m=write)


@pytest.mark.parametrize(
    ("second", "after", "reasons"),
    [
        (usage(20_000, 500), 10, []),
        (usage(0, 20_500), 400, ["pause over five minutes"]),
        (usage(0, 20_500), 4_000, ["pause over an hour"]),
        (usage(0, 20_500), 10, ["changed context"]),
        (usage(0, 3_000), 10, []),  # compacted
        (usage(9_000, 11_500), 10, ["changed context"]),
        (usage(11_000, 9_500), 10, []),
    ],
)
def test_cache_misses(
    tmp_path: Path, second: dict[str, object], after: float, reasons: list[str]
) -> None:
    log = ClaudeSession("aaaa", cwd="/home/dev/shop")
    log.user("Fix it")
    log.respond([text("one")], usage=usage(0, 20_000))
    log.user("And that")
    log.respond([text("two")], usage=second, after=after)
    found = query(index(tmp_path, log), "select reason from cache_misses")
    assert [row[0] for row in found] == reasons


def test_another_model_misses_the_cache(tmp_path: Path) -> None:
    log = ClaudeSession("aaaa", cwd="/home/dev/shop")
    log.user("Fix it")
    log.respond([text("one")], usage=usage(0, 20_000))
    log.model = "claude-opus-4-6"
    log.respond([text("two")], usage=usage(0, 21_000))
    found = query(index(tmp_path, log), "select reason, missed_tokens from cache_misses")
    assert found == [("other model", 20_010)]


def test_days_are_those_of_the_zone_of_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    log = ClaudeSession("aaaa", cwd="/home/dev/shop", start="2026-05-04T20:00:00.000Z")
    log.user("Fix it")
    assert query(index(tmp_path, log), "select day, prompts from daily") == [("2026-05-05", 1)]


def test_summer_time_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    winter = ClaudeSession("aaaa", cwd="/home/dev/a", start="2026-01-04T22:30:00.000Z")
    winter.user("Fix it")
    summer = ClaudeSession("bbbb", cwd="/home/dev/a", start="2026-07-04T22:30:00.000Z")
    summer.user("Fix that")
    days = query(index(tmp_path, winter, summer), "select day from daily order by day")
    assert days == [("2026-01-04",), ("2026-07-05",)]


def test_every_view_and_table_says_what_a_row_is() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        bring_up_to_date(connection, 0)
        views, tables = shown_views(connection), shown_tables(connection)
        there = {row[0] for row in connection.execute("select name from sqlite_master")}
    for view in views:
        assert view.meaning.startswith("One row per"), view.name
        assert view.columns, view.name
    assert {table.name for table in tables} <= there
    assert {"operation", "search_text", "meta"} <= {table.name for table in tables}


def test_columns_that_people_rely_on(rows: sqlite3.Connection) -> None:
    found = {view.name: set(view.columns) for view in shown_views(rows)}
    for view, columns in json.loads(_RELIED_ON).items():
        assert set(columns) <= found[view], view


_RELIED_ON = """
{"sessions": ["session_id", "parent_session_id", "agent", "subagent", "project", "cwd",
  "git_branch", "agent_version", "tag", "started_at_ms", "ended_at_ms", "prompts", "tool_calls",
  "responses",
  "input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens"],
 "operations": ["operation_id", "op", "session_id", "prompt_id", "agent", "project",
  "started_at_ms", "ended_at_ms", "origin", "task", "subagent", "skill", "phase", "action",
  "object", "repeat", "result", "outcome", "tool", "category", "cmd", "effect", "model", "command"],
 "prompts": ["prompt_id", "session_id", "project", "started_at_ms", "origin", "tag", "task",
  "outcome", "text"],
 "token_usage": ["operation_id", "session_id", "project", "agent", "model", "started_at_ms",
  "token", "tokens"],
 "file_events": ["operation_id", "session_id", "path", "access"],
 "network_events": ["operation_id", "session_id", "domain", "access"],
 "time_parts": ["operation_id", "session_id", "part", "duration_ms"],
 "cache_misses": ["operation_id", "session_id", "reason", "pause_ms", "missed_tokens"],
 "repeats": ["operation_id", "session_id", "repeat", "tool", "object", "result_tokens"],
 "daily": ["day", "project", "agent", "sessions", "prompts", "tool_calls", "failed_calls"],
 "subagents": ["session_id", "parent_session_id", "subagent", "prompt_id", "total_tokens"]}
"""


def test_prompts_of_many_sub_agents_take_linear_time() -> None:
    """Each is placed among its parent's prompts: comparing all with all took 5 s for 2,000."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        bring_up_to_date(connection, 0)
        _many_sub_agents(connection, 2_000)
        begin = time.process_time()
        count = connection.execute("select count(*) from prompt_tasks").fetchone()[0]
        assert count == 4_000
        assert time.process_time() - begin < 2


def _many_sub_agents(connection: sqlite3.Connection, count: int) -> None:
    connection.execute("insert into field_bag select 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0")
    sessions = [(1, None), *((100 + at, 1) for at in range(count))]
    connection.executemany(
        "insert into session (key, agent, session_id, parent_key, agent_type_id, owner_rank, "
        "log_file_id, branch_id, version_id) select ?1, 'claude', ?1, ?2, 0, 0, 1, 0, 0",
        sessions,
    )
    prompts = [(10**7 + at, 1, at * 10, 0) for at in range(count)]
    prompts += [(2 * 10**7 + at, 100 + at, at * 10 + 5, 4) for at in range(count)]
    connection.executemany(
        "insert into operation (key, op, owner_rank, session_key, prompt_key, log_file_id, "
        "offset, started_at_ms, active_ms, idle_ms, bag_id, object_id, result, parser_version, "
        "origin, text_hash) values (?1, 0, 0, ?2, ?1, 1, 0, ?3, 0, 0, 1, 0, 0, 1, ?4, 1)",
        prompts,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("-o", "-", "--format", "folded", "--view", "time"),
        ("-o", "-", "--format", "json", "--view", "tokens", "--stack", "llm,action"),
        ("top", "--json"),
        ("tags", "--json"),
        ("sessions", "--json"),
    ],
    ids=lambda command: " ".join(command),
)
def test_profiles_need_no_views(demo: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    """A database of an older version, opened without a sync, has no views that came later."""
    bare = tmp_path / "bare.db"
    with closing(sqlite3.connect(demo)) as whole, closing(sqlite3.connect(bare)) as copy:
        whole.backup(copy)
        for (view,) in copy.execute(
            "select name from sqlite_master where type = 'view'"
        ).fetchall():
            copy.execute(f"drop view {view}")
        copy.commit()
    selectors = ("--no-sync", "--all-projects", "-q")
    with_views = run(*command, "--db", demo, *selectors)
    without = run(*command, "--db", bare, *selectors)
    assert without.code == with_views.code == 0, without.err
    assert without.out == with_views.out
