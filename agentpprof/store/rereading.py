"""Logs that are read again by a newer parser: what it says takes the place of what stood there.

All of it is asked once a pass, not once a log: neither operations nor usage have an index by log.
"""

import json
import sqlite3
from collections.abc import Iterable

from agentpprof.resources import read_text

_TABLES = ("files", "owned", "kept", "kept_key")
_QUERIES = ("fill_owned", "outdated", "untold", "join_kept")


class Rereading:
    """The logs that this pass reads again, and what is stored of them."""

    def __init__(self, connection: sqlite3.Connection, file_ids: Iterable[int]) -> None:
        """Take the numbers of the logs; note what they own now."""
        self._connection = connection
        self._file_ids = frozenset(file_ids)
        self._sql = {name: read_text("sql", f"reread/{name}.sql") for name in _TABLES + _QUERIES}
        if self._file_ids:
            self._note()

    def __bool__(self) -> bool:
        """Whether there is any such log."""
        return bool(self._file_ids)

    def _note(self) -> None:
        connection, sql = self._connection, self._sql
        connection.execute(sql["files"])
        connection.executemany(
            "insert into reread_file (id) values (?)", [(file_id,) for file_id in self._file_ids]
        )
        connection.execute(sql["owned"])
        connection.execute(sql["fill_owned"])
        connection.execute(sql["kept"])
        connection.execute(sql["kept_key"])
        connection.commit()

    def outdated(self, keys: Iterable[int], version: int) -> list[int]:
        """Return which of some operations an older parser read, from logs that are read again."""
        older = self._connection.execute(
            self._sql["outdated"], {"keys": json.dumps(list(keys)), "parser_version": version}
        )
        return [key for key, log_file_id in older if log_file_id in self._file_ids]

    def forget_places(self, keys: Iterable[int]) -> None:
        """Drop the paths and hosts of some operations: they are told anew, or the rows go."""
        values = [(key,) for key in keys]
        for table in ("operation_path", "operation_host"):
            self._connection.executemany(
                f"delete from {table} where operation_key = ?",  # noqa: S608 # our own names
                values,
            )

    def join_kept(self, keys: Iterable[int]) -> None:
        """Join counts that are told of by other logs, into responses that were replaced."""
        self._connection.executemany(self._sql["join_kept"], [{"key": key} for key in keys])

    def end(self, file_id: int, version: int, offset: int) -> None:
        """Delete what a log owned that the newer parser has not told of, once it is read whole."""
        if file_id not in self._file_ids:
            return
        values = {"log_file_id": file_id, "parser_version": version, "offset": offset}
        keys = [key for (key,) in self._connection.execute(self._sql["untold"], values)]
        self.forget_places(keys)
        self._connection.executemany(
            "delete from operation where key = ?", [(key,) for key in keys]
        )
