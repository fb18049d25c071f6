"""Token counts of Claude Code records and how far they can be trusted.

Input and cache fields are equal on all rows of a response, output grows, so the store keeps the
maximum of each; some versions write placeholders (docs/formats.md, "Counts of one response").
"""

from functools import lru_cache
from typing import Any

from agentpprof.agents.claude_records import (
    CacheSplit,
    ExactUsage,
    Iteration,
    UsageRecord,
)
from agentpprof.agents.facts import LARGEST_COUNT, Usage
from agentpprof.agents.versions import version_of

_STANDARD = (None, "", "standard")  # tiers and speeds that change no price

RESULT_OF_STOP_REASON = {
    "tool_use": "tool-use",
    "end_turn": "final",
    "stop_sequence": "final",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
}


def count(value: Any) -> int | None:
    """Return a token count, 0 for a missing one, None for one that can't be right."""
    if type(value) is int and 0 <= value < LARGEST_COUNT:
        return value
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value != value or not 0 <= value < LARGEST_COUNT or value != int(value):
        return None
    return int(value)


def decode_usage(record: UsageRecord | Iteration) -> tuple[Usage, bool]:
    """Return the counts of one usage object, and whether all of them were valid."""
    if isinstance(record, ExactUsage):
        return _exact_usage(record), True
    long_writes, short_writes, are_writes_valid = _cache_writes(
        record.cache_creation_input_tokens, record.cache_creation
    )
    uncached = count(record.input_tokens)
    reads = count(record.cache_read_input_tokens)
    output = count(record.output_tokens)
    usage = Usage(
        uncached or 0, reads or 0, short_writes, long_writes, output or 0, _reasoning(record)
    )
    if isinstance(record, UsageRecord) and record.server_tool_use is not None:
        usage.web_searches = count(record.server_tool_use.web_search_requests) or 0
    is_valid = are_writes_valid and None not in (uncached, reads, output)
    return usage, is_valid


def _exact_usage(record: ExactUsage) -> Usage:
    """Do the same where all counts are valid."""
    writes, split = record.cache_creation_input_tokens, record.cache_creation
    long_writes = 0 if split is None else split.ephemeral_1h_input_tokens
    if writes is None:
        short_writes = 0 if split is None else split.ephemeral_5m_input_tokens
    else:
        long_writes = min(long_writes, writes)
        short_writes = writes - long_writes
    tools = record.server_tool_use
    return Usage(
        record.input_tokens,
        record.cache_read_input_tokens,
        short_writes,
        long_writes,
        record.output_tokens,
        _reasoning(record),
        0 if tools is None else count(tools.web_search_requests) or 0,
    )


def _cache_writes(total: Any, split: CacheSplit | None) -> tuple[int, int, bool]:
    """Return (1-hour writes, 5-minute writes, valid); without a split all are 5-minute ones."""
    writes = count(total)
    long_writes = count(split.ephemeral_1h_input_tokens) if split is not None else 0
    short_writes = count(split.ephemeral_5m_input_tokens) if split is not None else 0
    if writes is None or long_writes is None or short_writes is None:
        return 0, writes or 0, False
    if total is None:
        return long_writes, short_writes, True
    long_writes = min(long_writes, writes)
    return long_writes, writes - long_writes, True


def _reasoning(record: UsageRecord | Iteration) -> int:
    """Return the thinking tokens where the log says them; they are part of the output."""
    details = record.output_tokens_details if isinstance(record, UsageRecord) else None
    if details is None:
        return 0
    return (count(details.get("thinking_tokens")) or 0) if isinstance(details, dict) else 0


def tier_of(record: UsageRecord) -> str:
    """Return the service tier or speed that changes the price; empty for the standard one."""
    if record.service_tier in _STANDARD and record.speed in _STANDARD:
        return ""
    names = [
        name
        for name in (record.service_tier, record.speed)
        if isinstance(name, str) and name not in _STANDARD
    ]
    return "+".join(names)


@lru_cache(maxsize=512)
def quality_of(version: str, has_stop_reason: bool) -> str:
    """Say how exact an output count is: by the version that wrote it and whether it is final.

    2.1.12 to 2.1.29 wrote placeholders on all rows; later ones write the final count on the last
    row only, which is the one with a stop reason (docs/formats.md, "Counts of one response").
    """
    if has_stop_reason or version_of(version) < (2, 1, 12):
        return "exact"
    return "placeholder" if version_of(version) <= (2, 1, 29) else "partial"
