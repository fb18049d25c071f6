"""What the store knows of log files: identities and checkpoints."""

import os
import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from agentpprof.errors import DamagedError
from agentpprof.models import Checkpoint, FileIdentity, LogFile

_LOOKED_UP_ONE_BY_ONE = 500  # log files; of more than that all are read
_SELECT_KNOWN = """
select
    path, id, device, inode, size, mtime_ns, ctime_ns,
    offset, head_length, head_hash, tail_hash, parser_version, gone, {is_tail_seen}
from log_file
"""
_TAIL_SEEN = "is_tail_seen"  # a column of schema 5; older ones are looked at before they are raised
_COLUMNS = "select name from pragma_table_info('log_file')"


class KnownFile(NamedTuple):
    """One stored log file."""

    log_file_id: int
    identity: FileIdentity
    stored_checkpoint: tuple[int, int, bytes, bytes]
    parser_version: int
    is_gone: bool
    is_tail_seen: bool = False  # what stands behind the offset was looked at

    @property
    def size(self) -> int:
        """How long the file was when it was last looked at, in bytes on disk."""
        return self.identity[2]

    @property
    def offset(self) -> int:
        """How many bytes are read."""
        return self.stored_checkpoint[0]

    @property
    def checkpoint(self) -> Checkpoint:
        """How far the file is read; made when asked for, as most files have not changed."""
        return Checkpoint(*self.stored_checkpoint)


def read_known_files(
    connection: sqlite3.Connection, among: Collection[LogFile] | None = None
) -> dict[str, KnownFile]:
    """Return known files by path, undecodable bytes as lone surrogates.

    With `among`, a few files: only what is known of their paths and inodes. Raises DamagedError
    where a path is neither text nor bytes any more.
    """
    columns = {name for (name,) in connection.execute(_COLUMNS)}
    statement = _SELECT_KNOWN.format(is_tail_seen=_TAIL_SEEN if _TAIL_SEEN in columns else "0")
    values: list[str | bytes | int] = []
    if among is not None and len(among) <= _LOOKED_UP_ONE_BY_ONE:
        from agentpprof.store.numbers import stored_path

        marks = ", ".join("?" * len(among))
        statement += f" where path in ({marks}) or inode in ({marks})"
        values = [stored_path(each.logical_path) for each in among]
        values += [each.inode for each in among]
    rows = connection.execute(statement, values)
    try:
        return {
            os.fsdecode(path): KnownFile(
                log_file_id,
                (device, inode, size, mtime_ns, ctime_ns),
                (offset, head_length, head_hash, tail_hash),
                parser_version,
                bool(gone),
                bool(is_tail_seen),
            )
            for (
                path,
                log_file_id,
                device,
                inode,
                size,
                mtime_ns,
                ctime_ns,
                offset,
                head_length,
                head_hash,
                tail_hash,
                parser_version,
                gone,
                is_tail_seen,
            ) in rows
        }
    except (UnicodeDecodeError, TypeError):
        raise DamagedError from None
