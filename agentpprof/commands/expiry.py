"""Transcripts that Claude Code will soon delete, and that are not in the database yet."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

from agentpprof.counts import counted
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.store.database import look_at, opened_for_reading
from agentpprof.store.files import read_known_files

_DEFAULT_DAYS = 30
_WARNED_DAYS = 3
_DAY_SECONDS = 86_400


def expiry_warning(database: Path, roots: Iterable[Root], now: float | None = None) -> str:
    """Return one line on transcripts that are about to go unindexed; empty when none are."""
    now = time.time() if now is None else now
    known: dict[str, int] = {}
    if look_at(database):
        with opened_for_reading(database) as connection:
            known = {path: file.identity[2] for path, file in read_known_files(connection).items()}
    count = sum(
        log_file.size > 0 and known.get(log_file.path) != log_file.size
        for root in roots
        if root.agent == "claude"
        for log_file in find_log_files([root], [])
        if _is_due(log_file.mtime_ns / 1e9, _kept_days(root), now)
    )
    if not count:
        return ""
    what = counted(count, "transcript is", "transcripts are")
    return (
        f"{what} not indexed yet and will be deleted by Claude Code within {_WARNED_DAYS} days: "
        "run agentpprof index"
    )


def _is_due(written_at: float, days: float, now: float) -> bool:
    return written_at + days * _DAY_SECONDS < now + _WARNED_DAYS * _DAY_SECONDS


def _kept_days(root: Root) -> float:
    """Return how long Claude Code keeps the transcripts of a home; its settings say so."""
    settings = Path(root.path).parent / "settings.json"
    try:
        days = json.loads(settings.read_bytes())["cleanupPeriodDays"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return _DEFAULT_DAYS  # no settings, or none of ours to judge
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    return days if is_number and 0 < days < 1e6 else _DEFAULT_DAYS
