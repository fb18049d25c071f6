"""What commands tell on stderr; one line each, no text of a log, no path below a project."""

from collections.abc import Iterator

from agentpprof.ingest.indexer import SyncReport


def report_lines(report: SyncReport, verbose: bool) -> Iterator[str]:
    """Yield what one pass did, and what it had to leave out."""
    if verbose or report.files_read:
        yield (
            f"{report.files_read:,} of {report.files:,} log files read: "
            f"{report.bytes_read / 1e6:,.1f} MB, {report.operations:,} operations, "
            f"{report.seconds:.1f} s"
        )
    skipped = skipped_text(report.bad_lines, report.unknown_records, len(report.unreadable))
    if skipped:
        yield skipped


def skipped_text(bad_lines: int, unknown_records: int, unreadable: int) -> str:
    """Return one line on what was skipped, empty when nothing was."""
    counts = (
        (bad_lines, "damaged line", "damaged lines"),
        (unknown_records, "record of an unknown type", "records of unknown types"),
        (unreadable, "unreadable file or folder", "unreadable files or folders"),
    )
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count]
    return "skipped: " + ", ".join(parts) if parts else ""
