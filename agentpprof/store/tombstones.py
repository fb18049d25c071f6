"""Keep out what was forgotten: rows of a log that is read again are dropped before they are saved.

Without tombstones this costs one look per writer.
"""

import sqlite3

from agentpprof.store.rows import (
    USAGE_OPERATION_KEY,
    USAGE_SESSION_KEY,
    FileRows,
    OperationRow,
)


class Tombstones:
    """What must not come back; to be made anew when something is forgotten meanwhile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read the sessions; operations are looked up one by one, there may be many."""
        self._connection = connection
        self._sessions: dict[int, int] = dict(
            connection.execute("select session_key, until_ms from forgotten_session")
        )
        self._has_operations = (
            connection.execute("select 1 from forgotten_operation limit 1").fetchone() is not None
        )

    def __bool__(self) -> bool:
        """Say whether there is anything to keep out."""
        return bool(self._sessions) or self._has_operations

    def drop(self, rows: FileRows) -> bool:
        """Remove what was forgotten from what one read adds; says whether all of it was."""
        every = [*rows.displaced, *rows.operations.values()]
        gone = {row.key for row in every if self._is_gone(row)}
        told = {line[USAGE_OPERATION_KEY] for line in rows.usage_lines}
        told |= {each.operation_key for each in rows.stray_results}
        gone |= {key for key in told if self._is_known(key)}
        kept = {row.session_key for row in every if row.key not in gone}
        sessions = self._sessions.keys() - kept
        was_dropped = bool(gone) or any(key in sessions for key in rows.sessions)
        _without_operations(rows, gone)
        _without_sessions(rows, sessions)
        for key in rows.sessions.keys() & self._sessions.keys():
            session = rows.sessions[key]
            if session.started_at_ms is not None:
                session.started_at_ms = max(session.started_at_ms, self._sessions[key])
        return was_dropped and not rows.operations

    def _is_gone(self, row: OperationRow) -> bool:
        until_ms = self._sessions.get(row.session_key)
        if until_ms is not None:
            at_ms = row.started_at_ms if row.started_at_ms is not None else row.ended_at_ms
            if (at_ms or 0) <= until_ms:
                return True
        return self._is_known(row.key)

    def _is_known(self, key: int) -> bool:
        if not self._has_operations:
            return False
        found = self._connection.execute("select 1 from forgotten_operation where key = ?", (key,))
        return found.fetchone() is not None


def _without_operations(rows: FileRows, gone: set[int]) -> None:
    rows.operations = {key: row for key, row in rows.operations.items() if key not in gone}
    rows.displaced = [row for row in rows.displaced if row.key not in gone]
    rows.paths = {(key, path, access) for key, path, access in rows.paths if key not in gone}
    rows.hosts = {(key, host, access) for key, host, access in rows.hosts if key not in gone}
    rows.usage_lines = [line for line in rows.usage_lines if line[USAGE_OPERATION_KEY] not in gone]
    rows.stray_results = [each for each in rows.stray_results if each.operation_key not in gone]
    rows.spawns = {(session, call) for session, call in rows.spawns if call not in gone}
    for row in rows.operations.values():
        if row.prompt_key in gone:
            row.prompt_key = None


def _without_sessions(rows: FileRows, gone: set[int]) -> None:
    rows.sessions = {key: session for key, session in rows.sessions.items() if key not in gone}
    rows.displaced_sessions = [row for row in rows.displaced_sessions if row.key not in gone]
    rows.usage_lines = [line for line in rows.usage_lines if line[USAGE_SESSION_KEY] not in gone]
    rows.spawns = {(session, call) for session, call in rows.spawns if session not in gone}
    rows.told = {
        (session, op, is_copy): count
        for (session, op, is_copy), count in rows.told.items()
        if session not in gone
    }
