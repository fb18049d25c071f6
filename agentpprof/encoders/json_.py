"""JSON for scripts: the stacks, their summary and the sessions.

| key | content |
|---|---|
| `schema_version` | 1 |
| `comments` | texts: version, view, filters |
| `profile.view`, `.sample_type`, `.unit`, `.project` | what is measured, and of which project |
| `profile.started_at_ms`, `.ended_at_ms` | span of the data, UTC milliseconds, or null |
| `profile.stacks` | list of `{"stack": [frames, root first], "value": n}`, largest first |
| `profile.summary.total_weight`, `.unique_stacks` | sum of all values; how many stacks |
| `profile.summary.compression_ratio`, `.max_stack_reuse` | value per stack; the largest value |
| `profile.summary.top` | the 20 largest as `{"stack": [frames], "weight": n}` |
| `sessions` | one object per session |

Keys are sorted; each stack and each session is one line, so that `grep` and `diff` work on it.
There is no clock in it: equal data give equal bytes.
"""

import json
from typing import Any

from agentpprof.encoders.samples import stack_values
from agentpprof.models import OutputOptions, Profile, Stack

SCHEMA_VERSION = 1  # grows when a key changes its meaning or goes; new keys alone do not count
_TOP = 20
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)


def encode(profile: Profile, options: OutputOptions) -> bytes:
    """Return the profile and its sessions."""
    document = {
        "comments": list(profile.comments),
        "profile": _profile(profile),
        "schema_version": SCHEMA_VERSION,
        "sessions": list(profile.sessions),
    }
    # A lone surrogate, from a name that is not UTF-8, becomes its JSON escape.
    return f"{_text(document, '')}\n".encode("utf-8", "backslashreplace")


def _profile(profile: Profile) -> dict[str, Any]:
    """Return the part about the one view."""
    values = stack_values(profile)
    ranked = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    stacks = [{"stack": stack, "value": value} for stack, value in ranked]
    return {
        "ended_at_ms": profile.ended_at_ms,
        "project": profile.project,
        "sample_type": profile.sample_type,
        "stacks": stacks,
        "started_at_ms": profile.started_at_ms,
        "summary": _summary(ranked),
        "unit": profile.unit,
        "view": profile.view,
    }


def _summary(ranked: list[tuple[Stack, int]]) -> dict[str, Any]:
    """Return the totals: weight, stacks, weight per stack, the largest stacks."""
    total = sum(value for _, value in ranked)
    return {
        "compression_ratio": round(total / len(ranked), 6) if ranked else 0.0,
        "max_stack_reuse": ranked[0][1] if ranked else 0,
        "top": [{"stack": stack, "weight": weight} for stack, weight in ranked[:_TOP]],
        "total_weight": total,
        "unique_stacks": len(ranked),
    }


def _text(value: Any, indent: str) -> str:
    """Write objects key by key and lists row by row, each row on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        rows = [f"{_line(key)}: {_text(value[key], inner)}" for key in sorted(value)]
        opening, closing = "{", "}"
    elif isinstance(value, list) and value:
        rows = [_line(row) for row in value]
        opening, closing = "[", "]"
    else:
        return _line(value)
    body = f",\n{inner}".join(rows)
    return f"{opening}\n{inner}{body}\n{indent}{closing}"


def _line(value: Any) -> str:
    """Write any value on one line."""
    return _ENCODER.encode(value)
