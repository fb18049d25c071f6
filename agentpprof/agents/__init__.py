"""The agents whose logs we read: the facts of each, and which module decodes its logs.

Light on purpose: a run that finds nothing new never imports a decoder. A new agent is one module
that is a `Decoder`, and one entry in AGENTS. Nothing else need know it but the command line, whose
options (`--claude-root`) are written by hand.
"""

import importlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from msgspec import Struct

    from agentpprof.agents.facts import Fact


class Retention(NamedTuple):
    """How long an agent keeps its logs: so many days, or what its own settings say."""

    days: float
    settings_file: str  # JSON, in the agent's home
    settings_key: str


class Agent(NamedTuple):
    """What is known of one agent before any of its logs is opened."""

    title: str  # as people call it
    home_variable: str  # a comma list of homes in the environment, instead of the usual ones
    homes: tuple[str, ...]
    log_folders: tuple[str, ...]  # below a home
    log_name: re.Pattern[str]
    module: str
    parser_version: int  # raised when a log would now be read differently; files are read again
    copy_reason: str = "copy"  # of vocabulary.REASONS: a prompt or call told of as somebody else's
    is_line_enough: bool = False  # a line alone gives its rows: no id hangs on the lines before
    retention: Retention | None = None  # None: the agent deletes no log


AGENTS: dict[str, Agent] = {
    "claude": Agent(
        title="Claude Code",
        home_variable="CLAUDE_CONFIG_DIR",
        homes=("~/.claude", "~/.config/claude"),
        log_folders=("projects",),
        log_name=re.compile(r"(?!journal\.jsonl$|history\.jsonl$).+\.jsonl\Z", re.DOTALL),
        module="agentpprof.agents.claude",
        parser_version=2,
        copy_reason="progress",
        is_line_enough=True,
        retention=Retention(30, "settings.json", "cleanupPeriodDays"),
    ),
    "codex": Agent(
        title="Codex",
        home_variable="CODEX_HOME",
        homes=("~/.codex",),
        log_folders=("sessions", "archived_sessions"),
        log_name=re.compile(r"rollout-.+\.jsonl(?:\.zst)?\Z", re.DOTALL),
        module="agentpprof.agents.codex",
        parser_version=2,
        copy_reason="inherited",
    ),
}


class Decoder(Protocol):
    """The module that turns an agent's logs into facts; all of it is pure."""

    @property
    def RECORD_KINDS(self) -> dict[str, str]:
        """Every kind of record that is known, and what it is used for."""

    @property
    def State(self) -> "type[Struct]":
        """What decoding carries from one read of a file to the next: plain and bounded."""

    def looks_like(self, head: bytes, /) -> bool:
        """Say whether the first bytes of a file are those of this agent's log."""

    def initial_state(self, path: str, /) -> Any:
        """Return the state at byte 0 of a file."""

    def decode(
        self, data: bytes, offset: int, path: str, state: Any, /
    ) -> "tuple[list[Fact], Any]":
        """Decode whole lines that begin at byte `offset`; the state given stays as it is."""

    def sidecar_path(self, path: str, /) -> str | None:
        """Return the path of a small file beside a log that says more of it, None for none."""

    def decode_sidecar(self, data: bytes, path: str, /) -> "list[Fact]":
        """Return the facts of that file; `path` is the log's."""


def decoder_of(agent: str) -> Decoder:
    """Return the module that decodes an agent's logs."""
    return cast(Decoder, importlib.import_module(AGENTS[agent].module))


def titles() -> str:
    """Return what people call the agents, as a choice."""
    return " or ".join(agent.title for agent in AGENTS.values())


if TYPE_CHECKING:  # a module that is imported by its name is looked at here alone
    from agentpprof.agents import claude, codex

    _DECODERS: tuple[Decoder, ...] = (claude, codex)
