"""One reading of a rollout: the state, the facts so far, and where they stand."""

import msgspec
from msgspec.structs import replace

from agentpprof.agents.codex_records import (
    BARE_DECODER,
    WHOLE_DECODER,
    Line,
    WholePayload,
)
from agentpprof.agents.codex_state import State
from agentpprof.agents.facts import (
    Fact,
    LinkFact,
    OutcomeFact,
    SkippedFact,
    Where,
)
from agentpprof.agents.lines import decode_values

_NO_PAYLOAD = WholePayload()


class Reading:
    """What one call of `decode` works on."""

    __slots__ = ("at_ms", "base", "data", "facts", "offset", "state", "where")

    def __init__(self, data: bytes, base: int, state: State) -> None:
        """Begin where `state` stands; `data` are the lines from byte `base` on."""
        self.data, self.base = data, base
        self.state = replace(
            state,
            ancestors=list(state.ancestors),
            pending=list(state.pending),
            open_calls={call_id: list(names) for call_id, names in state.open_calls.items()},
            joined=dict(state.joined),
            sessions=dict(state.sessions),
            closed=list(state.closed),
        )
        self.facts: list[Fact] = []
        self.offset = base
        self.at_ms: int | None = None
        self.where = self._new_where()

    # Surroundings ---------------------------------------------------------------------------

    @property
    def is_copy(self) -> bool:
        """Whether the lines here are another thread's."""
        return bool(self.state.owner)

    @property
    def owner(self) -> str:
        """The thread that the lines here belong to."""
        return self.state.owner or self.state.thread

    def renew_where(self) -> None:
        """Make new surroundings, after a field of the state that they show has changed."""
        self.where = self._new_where()

    def _new_where(self) -> Where:
        state = self.state
        if state.owner:
            return Where(
                state.owner,
                thread=state.owner,
                cwd=state.cwd,
                version=state.cli_version,
                is_copy=True,
                copied_into=state.thread,
                is_foreign=True,
            )
        return Where(
            state.thread,
            parent_session_id=state.parent,
            agent_type=state.agent_type,
            cwd=state.cwd,
            branch=state.branch,
            version=state.cli_version,
            is_subagent=state.is_subagent,
        )

    # Reading a line again -------------------------------------------------------------------

    def whole(self) -> WholePayload:
        """Read the payload of the line here with all its fields."""
        raw = self._raw_line()
        try:
            return WHOLE_DECODER.decode(raw).payload or _NO_PAYLOAD
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            found = decode_values(raw + b"\n", 0, WHOLE_DECODER, lambda line: bool(line.payload))
        payload = found.values[0].payload if found.values else None
        return payload or _NO_PAYLOAD

    def bare(self) -> WholePayload:
        """Read the line here as an item without an envelope."""
        found = decode_values(self._raw_line() + b"\n", 0, BARE_DECODER, lambda item: True)
        return found.values[0] if found.values else _NO_PAYLOAD

    def _raw_line(self) -> bytes:
        at = self.offset - self.base
        return self.data[at : self.data.index(b"\n", at)]

    # Adding facts ---------------------------------------------------------------------------

    def skip(self, kind: str, is_unknown: bool = False) -> None:
        """Count a record that is no operation."""
        self.facts.append(SkippedFact(self.where, self.offset, self.at_ms, kind, is_unknown))

    def add_outcome(self, outcome: str) -> None:
        """Say how a turn ended; a copied turn has ended elsewhere."""
        if not self.is_copy:
            self.facts.append(OutcomeFact(self.where, self.offset, self.at_ms, outcome, True))

    def add_link(self, agent: str, natural_id: str) -> None:
        """Link a child thread to the call that started it, where its id is known."""
        if agent and not self.is_copy:
            link = LinkFact(self.where, self.offset, self.at_ms, agent, natural_id)
            self.facts.append(link)


def is_line(line: Line) -> bool:
    """Tell a line from an inner object of a damaged one."""
    return line.payload is not None and bool(line.type)
