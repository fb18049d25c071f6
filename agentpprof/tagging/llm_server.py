"""Where a model is, and how asking it may end; without a network library, so that it is light."""

from dataclasses import dataclass, field

from agentpprof.errors import AgentPprofError


class ServerError(AgentPprofError):
    """The server is of no use: nothing more is asked in this run."""


class RequestError(AgentPprofError):
    """One request failed; the next one may go well."""


class BrokenError(RequestError):
    """The connection broke; an idle one may have been closed just then."""


class TooLongError(RequestError):
    """The text does not fit into the model's context."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a model is, and how it is spoken to; the key shows itself nowhere."""

    url: str
    model: str = "local"
    timeout_seconds: float = 30.0
    key: str = field(default="", repr=False)
    loading_seconds: float = 600.0  # how long a server may load its model


@dataclass(slots=True)
class Run:
    """How the asking went; `error` says why it ended early."""

    tagged: int = 0
    untagged: int = 0  # answered twice, never with a tag
    failed: int = 0
    requests: int = 0
    error: str = ""
