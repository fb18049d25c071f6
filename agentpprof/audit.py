"""Why the numbers are what they are: raw, dropped by reason, counted. Pure.

For every key raw = counted + dropped, per session, per agent and in total, and what counts equals
the views to the last token. It reads stored lines only, so it works when the logs are gone.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Final

from agentpprof.agents import AGENTS
from agentpprof.models import SessionInfo
from agentpprof.privacy import PublicText
from agentpprof.store.audits import AuditLine, CountedSums, SkippedKind
from agentpprof.vocabulary import PROMPT, TOOL

TOKEN_KEYS: Final = ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens")
KEYS: Final = (*TOKEN_KEYS, "responses", "prompts", "tool_calls")
_TOLD_AGAIN: Final = ("repeat", "copy", "progress")

Sums = dict[str, int]


class Account:
    """Raw, dropped and counted sums of one session, one agent, or everything."""

    def __init__(self) -> None:
        self.counted: Sums = dict.fromkeys(KEYS, 0)
        self.dropped: dict[str, Sums] = {}

    def drop(self, reason: str, key: str, value: int) -> None:
        """Add to what is dropped for a reason."""
        if value:
            self.dropped.setdefault(reason, dict.fromkeys(KEYS, 0))[key] += value

    def take_back(self, key: str, value: int) -> None:
        """Take from what is dropped as told again: the line that holds a maximum was one of it."""
        for reason in _TOLD_AGAIN:
            sums = self.dropped.get(reason)
            if sums is not None:
                taken = min(value, sums[key])
                sums[key] -= taken
                value -= taken
                if not any(sums.values()):
                    del self.dropped[reason]

    def raw(self) -> Sums:
        """Return what the logs hold, and what rewritten ones have held: counted and dropped."""
        return {
            key: self.counted[key] + sum(sums[key] for sums in self.dropped.values())
            for key in KEYS
        }

    def add(self, other: "Account") -> None:
        """Add another account's sums."""
        for key in KEYS:
            self.counted[key] += other.counted[key]
        for reason, sums in other.dropped.items():
            for key, value in sums.items():
                self.drop(reason, key, value)

    def as_json(self) -> dict[str, Any]:
        """Return the three parts as plain data."""
        dropped = {reason: self.dropped[reason] for reason in sorted(self.dropped)}
        return {"raw": self.raw(), "dropped": dropped, "counted": self.counted}


def build_accounts(
    lines: Iterable[AuditLine],
    counted: Mapping[int, CountedSums],
    told: Iterable[tuple[int, int, int, int]],
    agents: Mapping[int, str],
) -> dict[int, Account]:
    """Return session key -> account; `agents` is session key -> agent."""
    accounts: dict[int, Account] = {key: Account() for key in counted}
    held: dict[int, Sums] = {}  # what the counted lines hold, by session
    for line in lines:
        account = accounts.setdefault(line.session_key, Account())
        sums = held.setdefault(line.session_key, dict.fromkeys(KEYS, 0))
        for key in TOKEN_KEYS:
            value = getattr(line, key)
            if line.verdict == "counted":
                sums[key] += value
            else:
                account.drop(line.verdict, key, value)
        if line.verdict != "counted":
            account.drop(line.verdict, "responses", 1)
    for session_key, sums_of in counted.items():
        _count(accounts[session_key], sums_of, held.get(session_key, {}))
    _add_told(accounts, told, agents)
    return accounts


def _count(account: Account, counted: CountedSums, held: Mapping[str, int]) -> None:
    """Set what counts.

    More than the counted lines hold stands on another line, or stood in a log that was rewritten
    since: what counts stays, and no reason can drop less than nothing.
    """
    for key in KEYS:
        value = getattr(counted, key)
        account.counted[key] = value
        if key in TOKEN_KEYS:
            more = value - held.get(key, 0)
            account.drop("repeat", key, max(-more, 0))
            account.take_back(key, max(more, 0))


def _add_told(
    accounts: dict[int, Account],
    told: Iterable[tuple[int, int, int, int]],
    agents: Mapping[int, str],
) -> None:
    """Drop the prompts and calls that logs told of more often than they count."""
    keys = {PROMPT: "prompts", TOOL: "tool_calls"}
    times: dict[tuple[int, str], list[int]] = {}
    for session_key, op, is_copy, records in told:
        times.setdefault((session_key, keys[op]), [0, 0])[is_copy] += records
    for (session_key, key), (own, copies) in times.items():
        account = accounts.setdefault(session_key, Account())
        # A log that was rewritten may tell of less than counts.
        surplus = max(own + copies - account.counted[key], 0)
        from_copies = min(copies, surplus)
        agent = AGENTS.get(agents.get(session_key, ""))
        account.drop(agent.copy_reason if agent else "copy", key, from_copies)
        account.drop("copy", key, surplus - from_copies)


def total_of(accounts: Iterable[Account]) -> Account:
    """Return the sum of accounts."""
    total = Account()
    for account in accounts:
        total.add(account)
    return total


def line_rows(
    lines: Iterable[AuditLine], sessions: Mapping[int, SessionInfo]
) -> list[dict[str, Any]]:
    """Return the lines of chosen sessions, in the order of their logs, with their verdicts."""
    chosen = [line for line in lines if line.session_key in sessions]
    chosen.sort(key=lambda line: (line.path, line.offset, line.operation_key))
    return [
        {
            "session_id": sessions[line.session_key].session_id,
            "file": PurePath(line.path).name,
            "offset": line.offset,
            "verdict": line.verdict,
            **{key: getattr(line, key) for key in TOKEN_KEYS},
        }
        for line in chosen
    ]


def audit_document(
    accounts: Mapping[int, Account],
    sessions: Mapping[int, SessionInfo],
    skipped: Iterable[SkippedKind],
) -> dict[str, Any]:
    """Return the whole audit as plain data (docs/for-agents.md has its shape)."""
    by_agent: dict[str, list[Account]] = {}
    for key, account in accounts.items():
        if key in sessions:
            by_agent.setdefault(sessions[key].agent, []).append(account)
    agents = {agent: total_of(found).as_json() for agent, found in sorted(by_agent.items())}
    rows = sorted(accounts, key=lambda key: _order(sessions.get(key)))
    return {
        "agents": agents,
        "total": total_of(account for found in by_agent.values() for account in found).as_json(),
        "sessions": [
            {
                "session_id": sessions[key].session_id,
                "agent": sessions[key].agent,
                "project": sessions[key].project,
                **accounts[key].as_json(),
            }
            for key in rows
            if key in sessions
        ],
        "skipped": [_shown(kind) for kind in skipped],
    }


def _shown(kind: SkippedKind) -> dict[str, Any]:
    """Return a kind of record as it may be shown: an unknown one is any text from a log."""
    version = PublicText(kind.version) if kind.version else ""
    return {**kind._asdict(), "kind": PublicText(kind.kind), "version": version}


def _order(session: SessionInfo | None) -> tuple[int, str]:
    return (session.started_at_ms or 0, session.session_id) if session else (0, "")
