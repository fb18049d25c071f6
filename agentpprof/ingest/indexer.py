"""One pass: find, read, decode, assemble, save.

A scan is the truth: what changed since the checkpoints is read, everything else is not opened.
Batches of several files are saved in one transaction each, under the write lock.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentpprof.agents import AGENTS, decoder_of
from agentpprof.ingest import reader
from agentpprof.ingest.compare import LogChanges, find_changes, is_outdated
from agentpprof.ingest.compressed import Plain, opened_plain
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.ingest.quiet import is_at_rest
from agentpprof.ingest.report import Progress, SyncReport
from agentpprof.memory import paused_collection
from agentpprof.models import Checkpoint, LogFile
from agentpprof.store.database import (
    held_for_writing,
    look_at,
    opened_for_reading,
    opened_for_writing,
)
from agentpprof.store.files import KnownFile, read_known_files
from agentpprof.store.in_place import check_in_place, identities
from agentpprof.store.schema import schema_version

if TYPE_CHECKING:
    from agentpprof.ingest.file_reading import FileReading
    from agentpprof.store.writer import FileRead, Writer

BATCH_ROWS = 20_000
BATCH_BYTES = 64 * 1024 * 1024
_LOCK_SECONDS = 60.0


class _Found(NamedTuple):
    """What a scan found, where and when; reading adds to what can't be read."""

    log_files: list[LogFile]
    roots: list[Root]
    now_ns: int
    unreadable: list[str]


def sync(
    database: Path,
    roots: Iterable[Root],
    on_progress: Callable[[Progress], None] | None = None,
    now_ns: int | None = None,
) -> SyncReport:
    """Bring the database up to date with the logs below `roots`; returns what was done.

    `now_ns` is the time by which a log counts as quiet; a test may give another than the clock's.
    """
    started = time.monotonic()
    unreadable: list[str] = []
    roots = list(roots)
    log_files = list(find_log_files(roots, unreadable))
    found = _Found(log_files, roots, _now_ns(now_ns), unreadable)
    report = _sync_found(database, found, on_progress)
    return report._replace(seconds=time.monotonic() - started)


def sync_files(
    database: Path,
    log_files: Iterable[LogFile],
    on_progress: Callable[[Progress], None] | None = None,
    now_ns: int | None = None,
) -> SyncReport:
    """Bring the database up to date with some log files; what it knows of others stays."""
    started = time.monotonic()
    found = _Found(list(log_files), [], _now_ns(now_ns), [])
    report = _sync_found(database, found, on_progress)
    return report._replace(seconds=time.monotonic() - started)


def _now_ns(given: int | None) -> int:
    return time.time_ns() if given is None else given


def _sync_found(
    database: Path, found: _Found, on_progress: Callable[[Progress], None] | None
) -> SyncReport:
    """Read what has changed in the files found; those missing below the roots are marked gone."""
    known = _known_files(database, None if found.roots else found.log_files)
    changes = find_changes(found.log_files, known, found.roots, found.now_ns)
    report = SyncReport()
    if changes or look_at(database) < schema_version():
        report = _read_and_save(database, changes, known, found, on_progress)
    return report._replace(
        files=len(found.log_files), quiet_files=changes.quiet, unreadable=tuple(found.unreadable)
    )


def _known_files(database: Path, among: list[LogFile] | None) -> dict[str, KnownFile]:
    if look_at(database) == 0:
        return {}
    with opened_for_reading(database) as connection:
        return read_known_files(connection, among)


def _read_and_save(
    database: Path,
    changes: LogChanges,
    known: Mapping[str, KnownFile],
    found: _Found,
    on_progress: Callable[[Progress], None] | None,
) -> SyncReport:
    """Read the changed files and save them batch by batch."""
    from agentpprof.store.writer import Writer

    counts = _Counts(sum(file.size for file in changes.files))
    with paused_collection(), opened_for_writing(database) as connection:
        writer = Writer(connection, _outdated_files(changes, known))
        files = identities(database)
        for batch in _batches(_read_files(changes, known, writer, found)):
            with held_for_writing(database, _LOCK_SECONDS):
                check_in_place(database, files)
                writer.save(batch)
            counts.add(batch)
            if on_progress is not None:
                on_progress(Progress(counts.bytes_read, counts.bytes_total))
        if changes.gone or changes.back:
            with held_for_writing(database, _LOCK_SECONDS):
                check_in_place(database, files)
                writer.mark_gone(changes.gone, True)
                writer.mark_gone(changes.back, False)
        if writer.has_forgotten_files:
            with held_for_writing(database, _LOCK_SECONDS):
                check_in_place(database, files)
                writer.reset_forgotten()
    return counts.report(len(changes.files))._replace(new_operations=writer.inserted)


def _outdated_files(changes: LogChanges, known: Mapping[str, KnownFile]) -> list[int]:
    """Return the numbers of the files that this pass reads again by a newer parser."""
    before = ((file, _known_as(file, changes, known)) for file in changes.files)
    return [was.log_file_id for file, was in before if was is not None and is_outdated(file, was)]


def _known_as(
    log_file: LogFile, changes: LogChanges, known: Mapping[str, KnownFile]
) -> KnownFile | None:
    """Return what is known of a file, under this path or the one that it had before."""
    path = log_file.logical_path
    return changes.moved.get(path) or known.get(path)


class _Counts:
    """Sums over the batches of one pass."""

    def __init__(self, bytes_total: int) -> None:
        self.bytes_total = bytes_total
        self.bytes_read = self.operations = self.bad_lines = self.unknown = 0

    def add(self, batch: "list[FileRead]") -> None:
        """Add one saved batch."""
        for read in batch:
            self.bytes_read += read.checkpoint.offset - max(read.base_offset, 0)
            self.operations += len(read.rows.operations)
            self.bad_lines += len(read.rows.bad_lines)
            self.unknown += sum(
                count for (_, _, is_unknown), count in read.rows.skipped.items() if is_unknown
            )

    def report(self, files_read: int) -> SyncReport:
        """Return the sums."""
        return SyncReport(
            files_read=files_read,
            bytes_read=self.bytes_read,
            operations=self.operations,
            bad_lines=self.bad_lines,
            unknown_records=self.unknown,
        )


def _batches(reads: "Iterator[FileRead]") -> "Iterator[list[FileRead]]":
    """Gather reads until there are enough rows or bytes for one transaction."""
    batch: list[FileRead] = []
    rows = size = 0
    for read in reads:
        batch.append(read)
        rows += len(read.rows.operations) + len(read.rows.usage_lines)
        size += read.checkpoint.offset - max(read.base_offset, 0)
        if rows >= BATCH_ROWS or size >= BATCH_BYTES or len(batch) >= BATCH_ROWS // 10:
            yield batch
            batch, rows, size = [], 0, 0
    if batch:
        yield batch


def _read_files(
    changes: LogChanges,
    known: Mapping[str, KnownFile],
    writer: "Writer",
    found: _Found,
) -> "Iterator[FileRead]":
    moved = changes.moved
    for log_file in changes.files:
        path = log_file.logical_path
        before = _known_as(log_file, changes, known)
        moved_id = moved[path].log_file_id if path in moved else None
        try:
            with opened_plain(log_file.path) as plain:
                plain_log = _PlainLog(log_file, plain, found.now_ns)
                for read in _read_file(plain_log, before, writer):
                    is_same = read.base_offset >= 0 or read.is_reread
                    yield read._replace(moved_id=moved_id) if is_same else read
        except OSError:
            found.unreadable.append(log_file.path)


class _PlainLog(NamedTuple):
    """One open log, as the scan saw it, and when that was."""

    log_file: LogFile
    plain: Plain
    now_ns: int


def _read_file(log: _PlainLog, before: KnownFile | None, writer: "Writer") -> "Iterator[FileRead]":
    """Yield one read a piece; at least one, so that an empty file is remembered as seen.

    A file of an older parser version is read from its start; it goes by the older version until
    its last piece is saved, so a reading that was broken off begins anew. So is a file whose
    stored state this release can't go on with.
    """
    from agentpprof.ingest.file_reading import FileReading, continued

    log_file, plain, now_ns = log
    version = AGENTS[log_file.agent].parser_version
    is_same = before is not None and reader.is_continued(plain.descriptor, before.checkpoint)
    is_reread = is_same and before is not None and before.parser_version < version
    file_version = before.parser_version if before is not None and is_reread else version
    checkpoint, base_offset, reading = Checkpoint(), -1, None
    decoder = decoder_of(log_file.agent)
    if before is not None and is_same and not is_reread and before.checkpoint.offset:
        reading = continued(log_file, decoder, version, writer.read_state(before.log_file_id))
        is_reread = reading is None
        if not is_reread:
            checkpoint, base_offset = before.checkpoint, before.checkpoint.offset
    reading = reading or FileReading(log_file, decoder, version, None)
    for number, piece in enumerate(_pieces(plain.descriptor, checkpoint)):
        read = reading.add(piece, base_offset)._replace(
            file_version=file_version, is_reread=is_reread, damage=plain.damage
        )
        if number == 0:  # by every pass: it may have come after the log's first lines
            reading.add_sidecar(read.rows)
        yield read
        checkpoint = piece.checkpoint
        base_offset = checkpoint.offset
        if base_offset >= log_file.size and not log_file.is_compressed:
            break  # what came since the scan waits for the next one: others have their turn
    at_rest = is_at_rest(log_file, plain, checkpoint, now_ns)
    if at_rest or is_reread:
        end = _end_piece(plain.descriptor, checkpoint, reading, at_rest)
        yield reading.add(end, base_offset)._replace(
            file_version=file_version,
            ends_reread=is_reread,
            is_tail_seen=at_rest,
            damage=plain.damage,
        )


def _end_piece(
    descriptor: int, checkpoint: Checkpoint, reading: "FileReading", at_rest: bool
) -> reader.Piece:
    """Return a last record that will never get its newline, else an empty piece."""
    tail = reader.read_tail(descriptor, checkpoint) if at_rest else None
    if tail is not None and reading.is_record(tail):
        return tail
    return reader.Piece(b"", checkpoint.offset, checkpoint)


def _pieces(descriptor: int, checkpoint: Checkpoint) -> Iterator[reader.Piece]:
    """Yield the new pieces of a file, an empty one where there is nothing new."""
    is_empty = True
    for piece in reader.read_pieces(descriptor, checkpoint):
        yield piece
        is_empty = False
    if is_empty:
        yield reader.Piece(b"", checkpoint.offset, checkpoint)
