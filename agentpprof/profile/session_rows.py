"""One row per session, its sub-agents counted in: what `agentpprof sessions` lists. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agentpprof.models import PromptRow, SessionInfo
from agentpprof.privacy import PublicText
from agentpprof.profile.fields import outcome_named
from agentpprof.profile.selection import home_of, project_names, top_of
from agentpprof.vocabulary import UNTAGGED

SHORTEST = 8  # characters of an id, as long as they tell all sessions apart


class Totals(NamedTuple):
    """What was done in one session, as sql/select/session_totals.sql gives it."""

    prompts: int = 0
    responses: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    repeated_calls: int = 0
    tokens: int = 0
    work_ms: int = 0

    def plus(self, other: "Totals") -> "Totals":
        """Add a sub-agent; what it was asked is no prompt of a person."""
        added = Totals(*(one + more for one, more in zip(self, other, strict=True)))
        return added._replace(prompts=self.prompts)


class ListedSession(NamedTuple):
    """One session with all that its sub-agents did."""

    session_id: PublicText
    agent: str
    project: PublicText
    tag: str
    started_at_ms: int | None
    ended_at_ms: int | None
    totals: Totals
    subagents: int
    outcome: str  # of the last prompt of a person


def session_rows(
    chosen: Iterable[SessionInfo],
    every: Mapping[int, SessionInfo],
    totals: Mapping[int, Totals],
    tags: Mapping[int, str],
    outcomes: Mapping[int, str],
) -> list[ListedSession]:
    """Return a row per session that has no parent, the latest first; `tags` by session."""
    families: dict[int, list[SessionInfo]] = {}
    for session in chosen:
        families.setdefault(top_of(session, every).key, []).append(session)
    names = project_names(every.values())
    rows = []
    for key, members in families.items():
        top = every[key]
        sums = totals.get(key, Totals())
        subagents = [member for member in members if member.key != key]
        for member in subagents:
            sums = sums.plus(totals.get(member.key, Totals()))
        project = names.get(home_of(top, every).root or "", "unknown")
        rows.append(
            ListedSession(
                PublicText(top.session_id),
                top.agent,
                PublicText(project),
                tags.get(key, UNTAGGED),
                top.started_at_ms,
                top.ended_at_ms,
                sums,
                len(subagents),
                outcomes.get(key, ""),
            )
        )
    return sorted(rows, key=lambda row: (-(row.started_at_ms or 0), row.session_id))


def last_outcomes(prompts: Iterable[PromptRow]) -> dict[int, str]:
    """Return session -> how the last prompt of a person ended; prompts come sorted by time."""
    return {
        prompt.session_key: outcome_named(prompt.outcome)
        for prompt in prompts
        if not prompt.is_of_agent
    }


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return id -> the shortest beginning that no other id has, of eight characters or more."""
    ordered = ["", *sorted(set(ids)), ""]
    shorts = {}
    for before, each, after in zip(ordered, ordered[1:], ordered[2:], strict=False):
        shared = max(_shared(each, other) for other in (before, after))
        shorts[each] = each[: max(SHORTEST, shared + 1)]
    return shorts


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((place for place, (a, b) in pairs if a != b), shorter)
