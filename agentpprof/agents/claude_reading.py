"""What decoding a Claude Code log carries: the state between reads, and one read's surroundings."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from agentpprof.agents.claude_records import CopiedRecord, Record, UsageRecord
from agentpprof.agents.claude_usage import decode_usage, tier_of
from agentpprof.agents.facts import Fact, PromptFact, SkippedFact, Usage, Where
from agentpprof.agents.times import to_ms

_INTERNAL_AGENTS = ("acompact", "aside_question", "prompt_suggestion")


class State(Struct, gc=False, omit_defaults=True):
    """What decoding carries from one read of a file to the next."""

    file_session: str = ""  # the session that the file belongs to
    agent_id: str = ""  # set in a sub-agent's file
    version: str = ""
    command: PromptFact | None = None  # a slash command that may yet become a prompt
    queued: list[PromptFact] = []


class Reading:
    """One read of one file: the facts so far, the state, and the surroundings seen."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.facts: list[Fact] = []
        self._wheres: dict[tuple[Any, ...], Where] = {}
        self._last: tuple[tuple[Any, ...], Where] | None = None  # of the record before
        self._usage_raw: Any = None
        self._usage: tuple[Usage, bool, str, UsageRecord] | None = None

    def file_where(self) -> Where:
        """Return surroundings for what belongs to the file as a whole."""
        return Where(self.state.file_session, version=self.state.version)

    def where(self, record: Record) -> Where:
        """Return the shared surroundings of a record's own facts."""
        key = (
            record.sessionId,
            record.agentId,
            record.isSidechain,
            record.cwd,
            record.gitBranch,
            record.version,
        )
        if self._last is not None and self._last[0] == key:
            return self._last[1]  # most records; to compare is cheaper than to hash
        where = self._wheres.get(key)
        if where is None:
            where = self._wheres[key] = self._new_where(record)
        self._last = (key, where)
        return where

    def _new_where(self, record: Record) -> Where:
        session = record.sessionId or self.state.file_session or "unknown"
        if not self.state.file_session:
            self.state.file_session = session
        agent_id = record.agentId or self.state.agent_id
        if not agent_id and record.isSidechain:
            agent_id = "sidechain"  # 1.x wrote its one sub-agent into the session's own file
        is_subagent = bool(agent_id) and (record.isSidechain is not False or bool(record.agentId))
        return Where(
            session_id=f"{session}/{agent_id}" if is_subagent else session,
            parent_session_id=session if is_subagent else "",
            thread=agent_id if is_subagent else "",
            agent_type=_internal_agent(agent_id, record.attributionAgent) if is_subagent else "",
            cwd=record.cwd or "",
            branch=record.gitBranch or "",
            version=record.version or "",
            is_foreign=session != self.state.file_session,
            is_subagent=is_subagent,
        )

    def copy_where(self, record: Record, agent_id: str) -> Where:
        """Return the surroundings of a copied sub-agent's message inside a progress record."""
        key = (record.sessionId, agent_id, "copy", record.cwd, record.gitBranch, record.version)
        where = self._wheres.get(key)
        if where is None:
            own = self.where(record)
            session = own.parent_session_id or own.session_id
            where = self._wheres[key] = replace(
                own,
                session_id=f"{session}/{agent_id}",
                parent_session_id=session,
                thread=agent_id,
                agent_type=_internal_agent(agent_id, None),
                is_copy=True,
                is_subagent=True,
            )
        return where

    def usage(self, raw: Any) -> tuple[Usage, bool, str, UsageRecord] | None:
        """Return (counts, valid, tier, record) of a usage object; None where there is none.

        The rows of one response mostly repeat it to the letter, then it is decoded once.
        """
        raw = bytes(raw)
        if raw == self._usage_raw:
            return self._usage
        record = UsageRecord.from_raw(raw)
        self._usage_raw = raw
        self._usage = None if record is None else (*decode_usage(record), tier_of(record), record)
        return self._usage

    def skip(
        self,
        where: Where,
        record: Record | CopiedRecord,
        offset: int,
        kind: str,
        *,
        is_unknown: bool = False,
    ) -> None:
        """Count a record that is no operation."""
        at_ms = to_ms(record.timestamp)
        self.facts.append(SkippedFact(where, offset, at_ms, kind, is_unknown))


def _internal_agent(agent_id: str, attributed: str | None) -> str:
    """Return the type of a sub-agent as far as its records say it; the call says the rest."""
    if attributed:
        return attributed
    name, _, _ = agent_id.rpartition("-")
    return name if name in _INTERNAL_AGENTS else ""
