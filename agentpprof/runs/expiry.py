"""Logs that an agent will soon delete, and that are not in the database yet."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

from agentpprof.agents import AGENTS, Retention
from agentpprof.counts import counted
from agentpprof.ingest.discover import Root, find_log_files
from agentpprof.store.database import look_at, opened_for_reading
from agentpprof.store.files import read_known_files

_WARNED_DAYS = 3
_DAY_SECONDS = 86_400


def expiry_warning(database: Path, roots: Iterable[Root], now: float | None = None) -> str:
    """Return one line on transcripts that are about to go unindexed; empty when none are."""
    now = time.time() if now is None else now
    known: dict[str, int] = {}
    if look_at(database):
        with opened_for_reading(database) as connection:
            known = {path: file.size for path, file in read_known_files(connection).items()}
    expiring = [
        AGENTS[root.agent].title
        for root in roots
        if (retention := AGENTS[root.agent].retention) is not None
        for log_file in find_log_files([root], [])
        if log_file.size > 0 and known.get(log_file.path) != log_file.size
        if _is_due(log_file.mtime_ns / 1e9, _kept_days(root, retention), now)
    ]
    if not expiring:
        return ""
    what = counted(len(expiring), "transcript is", "transcripts are")
    who = " and ".join(dict.fromkeys(expiring))
    return (
        f"{what} not indexed yet and will be deleted by {who} within {_WARNED_DAYS} days: "
        "run agentpprof index"
    )


def _is_due(written_at: float, days: float, now: float) -> bool:
    return written_at + days * _DAY_SECONDS < now + _WARNED_DAYS * _DAY_SECONDS


def _kept_days(root: Root, retention: Retention) -> float:
    """Return how long an agent keeps the logs of a home; its settings say so."""
    settings = Path(root.path).parent / retention.settings_file
    try:
        days = json.loads(settings.read_bytes())[retention.settings_key]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return retention.days  # no settings, or none of ours to judge
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    return days if is_number and 0 < days < 1e6 else retention.days
