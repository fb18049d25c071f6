"""What the store knows of log files: identities and checkpoints."""

import os
import sqlite3
from typing import NamedTuple

from agentpprof.errors import DamagedError
from agentpprof.models import Checkpoint


class KnownFile(NamedTuple):
    """One stored log file."""

    log_file_id: int
    identity: tuple[int, int, int, int, int]  # device, inode, size, mtime_ns, ctime_ns
    checkpoint: Checkpoint
    parser_version: int
    is_gone: bool


def read_known_files(connection: sqlite3.Connection) -> dict[str, KnownFile]:
    """Return all known files by path, undecodable bytes as lone surrogates.

    Raises DamagedError where a path is neither text nor bytes any more.
    """
    rows = connection.execute(
        """
        select
            path, id, device, inode, size, mtime_ns, ctime_ns,
            offset, head_length, head_hash, tail_hash, parser_version, gone
        from log_file
        """
    )
    try:
        return {
            os.fsdecode(row[0]): KnownFile(
                row[1], row[2:7], Checkpoint(*row[7:11]), row[11], bool(row[12])
            )
            for row in rows
        }
    except (UnicodeDecodeError, TypeError):
        raise DamagedError from None
