"""What a pass tells: how far it is, and what it did. Commands that read no log need no more."""

from typing import NamedTuple


class Progress(NamedTuple):
    """How far a pass is, for a bar on a terminal."""

    bytes_done: int
    bytes_total: int


class SyncReport(NamedTuple):
    """What one pass did."""

    files: int = 0
    files_read: int = 0
    quiet_files: int = 0  # of those read: unchanged, looked at for a last record without newline
    bytes_read: int = 0
    operations: int = 0  # that were read; copies and re-reads of known ones among them
    new_operations: int = 0  # that were not stored before
    bad_lines: int = 0
    unknown_records: int = 0
    unreadable: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def has_news(self) -> bool:
        """Whether any log had changed."""
        return self.files_read > self.quiet_files
