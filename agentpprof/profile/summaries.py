"""What is told of sessions and tags beside a profile; texts only where a person asked for them."""

import sqlite3
from collections import Counter
from typing import TYPE_CHECKING, Any

from agentpprof.privacy import PublicText
from agentpprof.profile.fields import PREVIEW
from agentpprof.profile.session_tags import session_tags, tags_by_hand
from agentpprof.profile.tasks import own_tag
from agentpprof.store import queries
from agentpprof.vocabulary import OPS, ORIGINS, RESULTS, UNTAGGED

if TYPE_CHECKING:
    from agentpprof.models import SessionInfo
    from agentpprof.profile.gather import Gathered


def session_summaries(
    connection: sqlite3.Connection, gathered: "Gathered", with_previews: bool
) -> tuple[dict[str, Any], ...]:
    """Return one summary a session, oldest first; `with_previews` adds its operations' texts."""
    counts = queries.count_by_session(connection)
    tags = _tags_of_sessions(connection, gathered)
    ordered = sorted(gathered.sessions, key=lambda s: (s.started_at_ms or 0, s.session_id))
    summaries = []
    for session in ordered:
        summary = _summary(session, counts.get(session.key, (0, 0, 0, 0)), tags)
        if with_previews:
            summary["operations"] = _operations(connection, session, gathered)
        summaries.append(summary)
    return tuple(summaries)


def _summary(
    session: "SessionInfo", counts: tuple[int, int, int, int], tags: dict[int, str]
) -> dict[str, Any]:
    prompts, llm_calls, tool_calls, failed_calls = counts
    return {
        "source": session.agent,
        "session_id": PublicText(session.session_id),
        "agent_role": PublicText(session.agent_type or "subagent")
        if session.parent_key is not None
        else "agent",
        "project": PublicText(session.project or "unknown"),
        "session_tag": tags.get(session.key, UNTAGGED),
        "start_ts_ms": session.started_at_ms,
        "end_ts_ms": session.ended_at_ms,
        "prompt_count": prompts,
        "llm_count": llm_calls,
        "tool_count": tool_calls,
        "failed_tool_count": failed_calls,
    }


def _operations(
    connection: sqlite3.Connection, session: "SessionInfo", gathered: "Gathered"
) -> list[dict[str, Any]]:
    rows = queries.read_session_operations(connection, session.key, PREVIEW)
    return [
        {
            "op": OPS[op],
            "ts_ms": at_ms,
            "result": RESULTS[result],
            "origin": None if origin is None else ORIGINS[origin],
            "tag": hand_tag or (gathered.tags.get(text_hash) if text_hash is not None else None),
            "tool": tool or None,
            "model": model or None,
            "preview": preview,
        }
        for op, at_ms, result, origin, text_hash, hand_tag, tool, model, preview in rows
    ]


def _tags_of_sessions(connection: sqlite3.Connection, gathered: "Gathered") -> dict[int, str]:
    if gathered.tag_of_session:
        return gathered.tag_of_session
    every = {session.key: session for session in queries.read_sessions(connection)}
    counts = queries.count_by_prompt(connection)
    return session_tags(counts, every, gathered.prompts, gathered.tags) | tags_by_hand(every)


def tagging_summary(gathered: "Gathered") -> dict[str, Any]:
    """Return how many people's prompts of the chosen sessions have which tag."""
    chosen = {session.key for session in gathered.sessions}
    tags = [
        own_tag(prompt, gathered.tags)
        for prompt in gathered.prompts
        if prompt.session_key in chosen and not prompt.is_of_agent
    ]
    matched = sum(tag != UNTAGGED for tag in tags)
    coverage = round(100 * matched / len(tags), 1) if tags else 0.0
    counted = {f"prompt:{tag}": count for tag, count in sorted(Counter(tags).items())}
    return {
        "prompts": {"total": len(tags), "matched": matched, "unmatched": len(tags) - matched},
        "coverage_pct": coverage,
        "tag_counts": counted,
    }
