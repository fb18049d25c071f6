"""The views that people query: their columns, their rows, and sums that equal the tables'."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession, claude_usage, progress_copy, text, tool_block
from canonical import index_home, rows_of

from agentpprof.resources import folder
from agentpprof.store.tag_cache import tag_new_prompts

# Columns that design and documentation promise; views may have more.
PROMISED = {
    "sessions": (
        "session_id parent_session_id agent subagent project cwd git_branch agent_version tag "
        "started_at_ms ended_at_ms prompts tool_calls responses input_tokens cache_write_tokens "
        "cache_read_tokens output_tokens"
    ),
    "operations": (
        "operation_id op session_id prompt_id agent project started_at_ms ended_at_ms origin task "
        "subagent skill phase action object repeat result outcome tool category cmd effect model "
        "command input_tokens cache_write_tokens cache_read_tokens output_tokens"
    ),
    "prompts": "prompt_id session_id project started_at_ms origin tag task outcome text",
    "token_usage": "operation_id session_id project agent model started_at_ms token tokens",
    "file_events": "operation_id session_id path access",
    "network_events": "operation_id session_id domain access",
    "time_parts": "operation_id session_id part duration_ms",
    "tags": "tagger kind text_hash tag",
    "log_files": "path agent size offset gone",
    "bad_lines": "path offset length reason",
}
VIEWS = sorted(path.stem for path in (folder("sql") / "views").glob("*.sql"))


def write_history(home: Path) -> None:
    """Write a history with something for every view."""
    log = ClaudeSession("session-1", gitBranch="fix")
    log.user("Fix the failing test")
    log.respond([text("Looking"), tool_block("Read", {"file_path": "/home/dev/shop/src/a.py"})])
    fetch = {"command": "curl https://example.com/x"}
    log.call("Bash", fetch, "Exit code 6\n", is_error=True)
    log.call("Bash", fetch)
    task = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    agent = ClaudeSession("session-1", agent_id="a1")
    agent.user("Look for it")
    agent.call("Write", {"file_path": "/etc/other.conf", "content": "x"})
    agent.assistant("Found", usage=claude_usage(output_tokens_details={"thinking_tokens": 20}))
    for record in agent.records:
        log.add(progress_copy(record, "a1", task))
    log.tool_result(task)
    log.user("yes")
    log.assistant("Done")
    path = log.write(home)
    path.write_bytes(path.read_bytes() + b"[1]\n")
    agent.write(home)
    other = ClaudeSession("session-2", cwd="/home/dev/else")
    other.user("Explain the build")
    other.assistant("It builds.")
    other.write(home)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A database of the history."""
    place = tmp_path_factory.mktemp("views")
    write_history(place / "home")
    connection = index_home(place / "home")
    tag_new_prompts(place / "agent.db")
    with closing(connection):
        yield connection


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_selected_and_says_what_a_row_is(
    view: str, database: sqlite3.Connection
) -> None:
    head = (folder("sql") / "views" / f"{view}.sql").read_text().splitlines()[0]
    assert re.match(r"-- One row per \w", head)
    count = database.execute(f"select count(*) from {view}").fetchone()[0]
    assert count > 0 or view not in PROMISED


@pytest.mark.parametrize("view", PROMISED)
def test_every_view_has_the_columns_that_are_promised(
    view: str, database: sqlite3.Connection
) -> None:
    columns = [column[0] for column in database.execute(f"select * from {view}").description]
    assert len(columns) == len(set(columns))
    assert set(PROMISED[view].split()) <= set(columns)


# View, the columns that tell its rows apart, and how many rows the tables say there are.
ROWS = [
    ("sessions", "session_id, agent", "select count(*) from session"),
    ("operations", "operation_id", "select count(*) from operation"),
    ("prompts", "prompt_id", "select count(*) from operation where op = 0 and origin < 4"),
    ("token_usage", "operation_id, token", None),
    (
        "file_events",
        "operation_id, path, access",
        "select count(*) from operation_path join operation on key = operation_key "
        "where result not in (7, 8)",
    ),
    (
        "network_events",
        "operation_id, domain, access",
        "select count(*) from operation_host join operation on key = operation_key "
        "where result not in (7, 8)",
    ),
    (
        "time_parts",
        "operation_id, part",
        "select sum((active_ms > 0) + (idle_ms > 0)) from operation",
    ),
    ("tags", "tagger, kind, text_hash", "select count(*) from tag"),
    ("log_files", "path", "select count(*) from log_file"),
    ("bad_lines", "path, offset", "select count(*) from bad_line"),
    ("prompt_tags", "key", "select count(*) from operation where op = 0"),
    ("prompt_tasks", "key", "select count(*) from operation where op = 0"),
    ("projects", "root", "select count(distinct root) from workspace"),
]


@pytest.mark.parametrize(("view", "key", "count"), ROWS)
def test_every_view_has_one_row_for_what_its_head_says(
    view: str, key: str, count: str | None, database: sqlite3.Connection
) -> None:
    rows = database.execute(f"select count(*) from {view}").fetchone()
    distinct = database.execute(f"select count(*) from (select distinct {key} from {view})")
    assert rows == distinct.fetchone()
    if count is not None:
        assert rows == database.execute(count).fetchone()


SUMS = [
    ("select sum(tokens) from token_usage where token = 'input'", "sum(input_tokens)"),
    ("select sum(tokens) from token_usage where token = 'cache_read'", "sum(cache_read_tokens)"),
    (
        "select sum(tokens) from token_usage where token = 'cache_write'",
        "sum(cache_write_5m_tokens + cache_write_1h_tokens)",
    ),
    (
        "select sum(tokens) from token_usage where token in ('output', 'reasoning')",
        "sum(output_tokens)",
    ),
    ("select sum(tokens) from token_usage where token = 'reasoning'", "sum(reasoning_tokens)"),
    ("select sum(duration_ms) from time_parts", "sum(active_ms + idle_ms)"),
    ("select sum(duration_ms) from time_parts where part = 'idle'", "nullif(sum(idle_ms), 0)"),
    ("select sum(tool_calls) from sessions", "sum(op = 2)"),
    ("select sum(responses) from sessions", "sum(op = 1 and input_tokens is not null)"),
    ("select sum(prompts) from sessions", "sum(op = 0 and origin < 4)"),
    ("select sum(output_tokens) from sessions", "sum(output_tokens)"),
    ("select sum(cache_write_tokens) from operations", "sum(cache_write_5m_tokens)"),
]


@pytest.mark.parametrize(("view", "table"), SUMS)
def test_sums_of_views_equal_sums_of_the_tables(
    view: str, table: str, database: sqlite3.Connection
) -> None:
    assert (
        database.execute(view).fetchone()
        == database.execute(f"select {table} from operation").fetchone()
    )


def test_an_object_is_relative_to_its_project_else_a_full_path_and_never_empty_for_a_call(
    database: sqlite3.Connection,
) -> None:
    objects = dict(database.execute("select object, tool from operations where op = 'tool'"))
    assert objects["src/a.py"] == "Read"
    assert objects["/etc/other.conf"] == "Write"
    assert all(objects)


def test_a_sub_agents_operations_stand_in_its_own_session_under_the_persons_task(
    database: sqlite3.Connection,
) -> None:
    query = "select distinct session_id, task, subagent, origin from operations where subagent > ''"
    (row,) = rows_of(database, query)
    of_person = "select task from prompts where text = 'Fix the failing test'"
    assert row["task"] == database.execute(of_person).fetchone()[0]
    assert (row["session_id"], row["subagent"], row["origin"]) == (
        "session-1/a1",
        "searcher",
        "agent",
    )


def test_a_prompt_that_only_goes_on_keeps_the_task_before_it(database: sqlite3.Connection) -> None:
    tasks = dict(database.execute("select text, task from prompts where session_id = 'session-1'"))
    tags = dict(database.execute("select text, tag from prompts where session_id = 'session-1'"))
    assert tags["yes"] == "follow"
    assert tasks["yes"] == tasks["Fix the failing test"]


def test_a_call_that_was_rejected_has_no_effect_on_files(tmp_path: Path) -> None:
    from builders import rejection

    log = ClaudeSession()
    log.user("Do it")
    call = log.tool_use("Write", {"file_path": "/home/dev/shop/a.py", "content": "x"})
    log.add(rejection(call, at=log.clock.tick()))
    log.write(tmp_path / "home")
    with closing(index_home(tmp_path / "home")) as connection:
        assert connection.execute("select count(*) from file_events").fetchone() == (0,)
        assert connection.execute("select count(*) from operation_path").fetchone() == (1,)
