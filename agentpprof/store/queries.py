"""What profiles read from the database: narrow, by numbers, names joined afterwards.

Statements of more than a line or two stand in sql/. Temporary tables carry what a run has computed
(groups of sessions and prompts) into the weights; they live in the reader's own connection and
touch no file.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from agentpprof.models import Bag, PromptRow, SessionInfo
from agentpprof.resources import read_text


def read_sessions(connection: sqlite3.Connection) -> list[SessionInfo]:
    """Return all sessions."""
    rows = connection.execute(read_text("sql", "select/sessions.sql"))
    return [SessionInfo(*row) for row in rows]


def read_sessions_of_files(connection: sqlite3.Connection, paths: Iterable[str]) -> frozenset[int]:
    """Return the keys of all sessions that some log files tell of."""
    from agentpprof.store.numbers import stored_path

    statement = read_text("sql", "select/sessions_of_file.sql")
    found = (connection.execute(statement, (stored_path(path),)) for path in paths)
    return frozenset(row[0] for rows in found for row in rows)


def read_sessions_of_branch(connection: sqlite3.Connection, branch: str) -> frozenset[int]:
    """Return the keys of all sessions on a git branch, sub-agents included."""
    statement = read_text("sql", "select/sessions_of_branch.sql")
    return frozenset(row[0] for row in connection.execute(statement, (branch,)))


def read_prompts(connection: sqlite3.Connection) -> list[PromptRow]:
    """Return all prompts, sorted by session and time."""
    rows = connection.execute(read_text("sql", "select/prompts.sql"))
    return list(map(PromptRow._make, rows))


def read_bags(connection: sqlite3.Connection) -> dict[int, Bag]:
    """Return all field bags by number."""
    rows = connection.execute(read_text("sql", "select/bags.sql"))
    return {row[0]: Bag(*row) for row in rows}


def read_names(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of some names by number."""
    statement = "select id, text from name where id in (select value from json_each(?))"
    return _read_by_id(connection, statement, ids)


def read_paths(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return some paths by number; undecodable bytes as lone surrogates."""
    statement = "select id, path from path where id in (select value from json_each(?))"
    found = _read_by_id(connection, statement, ids)
    return {
        number: os.fsdecode(path) if isinstance(path, bytes) else path
        for number, path in found.items()
    }


def read_texts(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of some operations by number."""
    statement = "select id, text from operation where id in (select value from json_each(?))"
    found = _read_by_id(connection, statement, ids)
    return {number: text or "" for number, text in found.items()}


def read_prompt_texts(
    connection: sqlite3.Connection, keys: Iterable[int]
) -> dict[int, tuple[str, str]]:
    """Return (text, skill) of some prompts by key."""
    statement = read_text("sql", "select/prompt_text.sql")
    rows = connection.execute(statement, (json.dumps(list(keys)),))
    return {key: (text or "", skill) for key, text, skill in rows}


def read_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """Return one setting of the database."""
    row = connection.execute("select value from meta where key = ?", (key,)).fetchone()
    return row[0] if row else None


def read_state(connection: sqlite3.Connection) -> list[str | None]:
    """Return what tells one content of one database from every other: any saved row changes it."""
    return [read_meta(connection, key) for key in ("made_at_ms", "generation", "sql_digest")]


def read_span(connection: sqlite3.Connection) -> tuple[int, int] | None:
    """Return the first and the last time of any session."""
    row = connection.execute("select min(started_at_ms), max(ended_at_ms) from session").fetchone()
    return None if row[0] is None else (row[0], row[1])


def count_by_prompt(connection: sqlite3.Connection) -> dict[int, int]:
    """Return prompt key -> number of its operations."""
    rows = connection.execute(
        "select prompt_key, count(*) from operation where prompt_key is not null group by 1"
    )
    return dict(rows)


def set_groups(
    connection: sqlite3.Connection,
    sessions: Mapping[int, int],
    prompts: Mapping[int, int],
    zone_spans: Iterable[tuple[int, int]],
) -> None:
    """Carry groups of sessions and prompts, and the zone's offsets, into temporary tables."""
    connection.executescript(read_text("sql", "select/temporary_tables.sql"))
    connection.executemany("insert into temp.session_group values (?, ?)", sessions.items())
    connection.executemany("insert into temp.prompt_group values (?, ?)", sorted(prompts.items()))
    connection.executemany("insert into temp.zone_span values (?, ?)", zone_spans)


def set_delegated(connection: sqlite3.Connection) -> None:
    """Compute how much of each delegating call's time its sub-agents cover."""
    connection.executescript(read_text("sql", "select/delegated_table.sql"))
    connection.execute(f"insert into temp.delegated {read_text('sql', 'select/delegated.sql')}")


def weigh(
    connection: sqlite3.Connection, view: str, parameters: Mapping[str, Any]
) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of one view's weights, to be summed: a number of parts, then its value."""
    return connection.execute(read_text("sql", f"weights/{view}.sql"), parameters)


def _read_by_id(
    connection: sqlite3.Connection, statement: str, ids: Iterable[int]
) -> dict[int, Any]:
    return dict(connection.execute(statement, (json.dumps(list(ids)),)))


def count_by_session(connection: sqlite3.Connection) -> dict[int, tuple[int, int, int, int]]:
    """Return session key -> (prompts, LLM calls, tool calls, failed ones)."""
    rows = connection.execute(read_text("sql", "select/session_counts.sql"))
    return {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}


def read_session_totals(connection: sqlite3.Connection) -> dict[int, tuple[int, ...]]:
    """Return session key -> the columns of sql/select/session_totals.sql behind it."""
    set_delegated(connection)
    rows = connection.execute(read_text("sql", "select/session_totals.sql"))
    return {row[0]: row[1:] for row in rows}


def read_timeline(connection: sqlite3.Connection, keys: Iterable[int]) -> list[tuple[Any, ...]]:
    """Return what was done in some sessions, by prompt, session, bag and result."""
    set_delegated(connection)
    statement = read_text("sql", "select/timeline.sql")
    return connection.execute(statement, {"session_keys": json.dumps(list(keys))}).fetchall()


def read_session_operations(
    connection: sqlite3.Connection, session_key: int, preview: int
) -> list[tuple[Any, ...]]:
    """Return a session's operations in the order of its log, with the first characters of texts."""
    return connection.execute(
        read_text("sql", "select/session_operations.sql"),
        {"session_key": session_key, "preview": preview},
    ).fetchall()


def count_side(
    connection: sqlite3.Connection, span: tuple[int | None, int | None], only_chosen_prompts: bool
) -> tuple[int, int, int]:
    """Return (people's prompts, sessions, tool calls) of the groups that were weighed last."""
    parameters = {
        "since_ms": span[0],
        "until_ms": span[1],
        "only_chosen_prompts": only_chosen_prompts,
    }
    row = connection.execute(read_text("sql", "select/side_counts.sql"), parameters).fetchone()
    return row[0], row[1], row[2]


def count_skipped(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return (damaged lines, records of unknown types) of all logs read."""
    bad = connection.execute("select count(*) from bad_line").fetchone()[0]
    unknown = connection.execute(
        "select coalesce(sum(records), 0) from skipped_record where is_unknown"
    ).fetchone()[0]
    return bad, unknown


def count_answers(
    connection: sqlite3.Connection, span: tuple[int | None, int | None], *, with_texts: bool
) -> list[tuple[int, str, str, int]]:
    """Return (session key, next phase, text if asked for, number) of LLM calls within a span."""
    parameters = {"since_ms": span[0], "until_ms": span[1], "with_texts": with_texts}
    next_phases = read_text("sql", "select/next_phases.sql")
    answers = read_text("sql", "select/answers.sql")
    statement = f"with next_phases as (\n{next_phases}\n)\n{answers}"
    return connection.execute(statement, parameters).fetchall()


def read_next_phases(connection: sqlite3.Connection) -> dict[int, str]:
    """Return LLM call's number -> phase of what the model did next, `answer` at an end."""
    return dict(connection.execute(read_text("sql", "select/next_phases.sql")))


def read_natural_ids(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, str]:
    """Return the ids that an agent gave to some operations, by key."""
    statement = (
        "select key, coalesce(natural_id, '') from operation "
        "where key in (select value from json_each(?))"
    )
    return _read_by_id(connection, statement, keys)


def read_answer_texts(
    connection: sqlite3.Connection, keys: Iterable[int], span: tuple[int | None, int | None]
) -> Iterable[tuple[int, str]]:
    """Return (number, text) of the LLM calls of some sessions within a span, the newest first."""
    parameters = {
        "session_keys": json.dumps(list(keys)),
        "since_ms": span[0],
        "until_ms": span[1],
    }
    return connection.execute(read_text("sql", "select/answer_texts.sql"), parameters)
