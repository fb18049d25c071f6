"""Save what was read: rows and checkpoints of several files in one transaction.

Every statement is an idempotent join, so reading anything again, in any order, changes nothing
(docs/architecture.md, "Exactly once"). Numbers of names, paths, bags and files are kept in
memory while the writer lives, and dropped after a rollback.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentpprof.models import Checkpoint, LogFile
from agentpprof.resources import read_text
from agentpprof.store.forgetting import read_forgettings, reset_log_files
from agentpprof.store.numbers import Numbers, stored_path, stored_text
from agentpprof.store.operation_writer import OperationWriter
from agentpprof.store.rereading import Rereading
from agentpprof.store.rows import FileRows
from agentpprof.store.tombstones import Tombstones
from agentpprof.store.transactions import bump_generation, transaction

_PER_FILE_TABLES = ("usage_line", "bad_line", "skipped_record", "stray_result", "told_record")


class FileRead(NamedTuple):
    """One read of one file: its rows, and the state behind them."""

    log_file: LogFile
    checkpoint: Checkpoint
    parser_version: int
    state: bytes
    rows: FileRows
    base_offset: int  # where the read began; -1 when the file was not known, or is read anew
    damage: str | None = None
    moved_id: int | None = None  # the number under which another path of the file is known
    file_version: int | None = None  # the parser version that the file goes by; None: the read's
    is_reread: bool = False  # the file was read by an older parser before
    ends_reread: bool = False
    is_tail_seen: bool = False  # what stands behind the offset was looked at


def _file_version(read: FileRead) -> int:
    """Return the parser version that a file goes by: the older one until it is read whole."""
    return read.parser_version if read.file_version is None else read.file_version


class Writer:
    """The one connection that writes; the caller holds the write lock."""

    def __init__(self, connection: sqlite3.Connection, reread_files: Iterable[int] = ()) -> None:
        """`reread_files`: the numbers of all logs that this pass reads by a newer parser."""
        self._connection = connection
        self._sql = {
            name: read_text("sql", f"save/{name}.sql")
            for name in (
                "log_file",
                "session",
                "session_owner",
                "agent_type",
                "insert_stray_result",
                "join_stray_results",
            )
        }
        self._operations = OperationWriter(connection)
        self._rereading = Rereading(connection, reread_files)
        self._forgetful_files: set[int] = set()  # nothing of what was read of them may be kept
        self._begin_anew_in_memory()

    @property
    def inserted(self) -> int:
        """How many operations were stored that were not known before."""
        return self._operations.inserted

    def _begin_anew_in_memory(self) -> None:
        """Read again what the database says is forgotten, and know no number of a row."""
        self._forgettings = read_forgettings(self._connection)
        self._tombstones = Tombstones(self._connection)
        self._numbers = Numbers(self._connection)
        self._stray_keys: set[int] | None = None

    def save(self, reads: Sequence[FileRead]) -> None:
        """Save a batch: all of it, or, when anything fails, nothing."""
        try:
            with transaction(self._connection):
                if read_forgettings(self._connection) != self._forgettings:
                    self._begin_anew_in_memory()  # somebody has removed names since
                for read in reads:
                    self._save_file(read)
                if any(read.rows.operations or read.rows.sessions for read in reads):
                    bump_generation(self._connection)
        except BaseException:
            self._begin_anew_in_memory()
            raise

    def mark_gone(self, log_file_ids: Iterable[int], is_gone: bool) -> None:
        """Note which files the last scan did not find; their rows stay."""
        self._connection.executemany(
            "update log_file set gone = ? where id = ?",
            [(int(is_gone), log_file_id) for log_file_id in log_file_ids],
        )

    def read_state(self, log_file_id: int) -> bytes | None:
        """Return the stored state of a file."""
        row = self._connection.execute(
            "select state from log_file_state where log_file_id = ?", (log_file_id,)
        ).fetchone()
        return row[0] if row else None

    def _is_outdated(self, read: FileRead) -> bool:
        """Say whether another process has read the same bytes in the meantime."""
        row = self._connection.execute(
            "select offset, parser_version from log_file where path = ?",
            (stored_path(read.log_file.logical_path),),
        ).fetchone()
        if read.base_offset < 0:
            return False  # a whole file replaces what describes it
        return row is None or row != (read.base_offset, _file_version(read))

    def _save_file(self, read: FileRead) -> None:
        if read.moved_id is not None:
            self._connection.execute(
                "update or ignore log_file set path = ? where id = ?",
                (stored_path(read.log_file.logical_path), read.moved_id),
            )
        if self._is_outdated(read):
            return
        file_id = self._save_log_file(read)
        rows = read.rows
        if self._tombstones:
            self._keep_out(rows, file_id)
        if read.base_offset < 0:
            self._begin_anew(file_id)
        self._save_sessions(rows, file_id, read.log_file.agent)
        origin = (file_id, read.parser_version)
        self._operations.save(rows, self._numbers, origin, self._rereading)
        self._save_places(rows)
        self._save_lines(rows, file_id)
        self._join_stray_results(rows)
        if read.ends_reread:
            self._rereading.end(file_id, read.parser_version, read.checkpoint.offset)

    def _begin_anew(self, file_id: int) -> None:
        """Drop what described a file that is now read from its start."""
        for table in _PER_FILE_TABLES:
            self._connection.execute(
                f"delete from {table} where log_file_id = ?",  # noqa: S608 # our own names
                (file_id,),
            )

    def _keep_out(self, rows: FileRows, file_id: int) -> None:
        """Drop what was forgotten; remember logs of which nothing else was read."""
        if self._tombstones.drop(rows):
            self._forgetful_files.add(file_id)
        elif rows.operations:
            self._forgetful_files.discard(file_id)

    @property
    def has_forgotten_files(self) -> bool:
        """Whether logs were read that hold nothing but what was forgotten."""
        return bool(self._forgetful_files)

    def reset_forgotten(self) -> None:
        """After a pass: keep no state of such logs."""
        reset_log_files(self._connection, sorted(self._forgetful_files))
        self._forgetful_files.clear()

    def _save_log_file(self, read: FileRead) -> int:
        log_file, checkpoint = read.log_file, read.checkpoint
        row = self._connection.execute(
            self._sql["log_file"],
            (
                stored_path(log_file.logical_path),
                *log_file[1:],
                *checkpoint,
                read.parser_version if read.ends_reread else _file_version(read),
                read.damage,
                int(read.is_tail_seen),
            ),
        ).fetchone()
        self._connection.execute(
            "insert or replace into log_file_state (log_file_id, state) values (?, ?)",
            (row[0], read.state),
        )
        return int(row[0])

    def _save_sessions(self, rows: FileRows, file_id: int, agent: str) -> None:
        values, owners = [], []
        numbers = self._numbers
        for session in (*rows.displaced_sessions, *rows.sessions.values()):
            workspace = numbers.workspaces[session.cwd] if session.cwd else None
            agent_type = session.agent_type or rows.agent_types.get(session.key, "")
            ranked = (session.owner_rank, file_id, workspace)
            ids = (numbers.names[session.branch], numbers.names[session.version])
            values.append(
                (
                    session.key,
                    agent,
                    stored_text(session.session_id),
                    session.parent_key,
                    numbers.names[agent_type],
                    *ranked,
                    *ids,
                    session.started_at_ms,
                    session.ended_at_ms,
                )
            )
            owners.append(
                dict(
                    zip(
                        ("owner_rank", "log_file_id", "workspace_id", "branch_id", "version_id"),
                        (*ranked, *ids),
                        strict=True,
                    ),
                    key=session.key,
                )
            )
        self._connection.executemany(self._sql["session"], values)
        self._connection.executemany(self._sql["session_owner"], owners)
        self._connection.executemany(
            "insert or ignore into session_spawn (session_key, call_key) values (?, ?)",
            sorted(rows.spawns),
        )
        self._connection.executemany(
            self._sql["agent_type"],
            [
                (numbers.names[agent_type], key)
                for key, agent_type in rows.agent_types.items()
                if key not in rows.sessions
            ],
        )

    def _save_places(self, rows: FileRows) -> None:
        numbers = self._numbers
        self._connection.executemany(
            "insert or ignore into operation_path values (?, ?, ?)",
            [(key, numbers.paths[path], access) for key, path, access in rows.paths],
        )
        self._connection.executemany(
            "insert or ignore into operation_host values (?, ?, ?)",
            [(key, numbers.names[host], access) for key, host, access in rows.hosts],
        )

    def _save_lines(self, rows: FileRows, file_id: int) -> None:
        """Save what describes the file itself: usage, bad lines, skipped and stray records."""
        self._connection.executemany(
            "insert or replace into usage_line values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(file_id, *line) for line in rows.usage_lines],
        )
        self._connection.executemany(
            "insert or replace into bad_line values (?, ?, ?, ?)",
            [(file_id, *line) for line in rows.bad_lines],
        )
        self._connection.executemany(
            "insert into skipped_record values (?, ?, ?, ?, ?) "
            "on conflict do update set records = records + excluded.records",
            [
                (file_id, stored_text(kind), version, int(is_unknown), count)
                for (kind, version, is_unknown), count in rows.skipped.items()
            ],
        )
        self._connection.executemany(
            "insert into told_record values (?, ?, ?, ?, ?) "
            "on conflict do update set records = records + excluded.records",
            [(file_id, *told, count) for told, count in rows.told.items()],
        )
        self._connection.executemany(
            self._sql["insert_stray_result"],
            [(stray.operation_key, file_id, *stray[1:]) for stray in rows.stray_results],
        )

    def _join_stray_results(self, rows: FileRows) -> None:
        """Join stray results with calls, whichever of the two came now."""
        if self._stray_keys is None:
            self._stray_keys = {
                key for (key,) in self._connection.execute("select operation_key from stray_result")
            }
        new = {stray.operation_key for stray in rows.stray_results}
        joined = new | (self._stray_keys & rows.operations.keys())
        self._stray_keys |= new
        self._connection.executemany(
            self._sql["join_stray_results"], [{"key": key} for key in joined]
        )
