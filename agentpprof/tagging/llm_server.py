"""Where a model is, and how asking it may end; without a network library, so that it is light."""

from typing import NamedTuple

from agentpprof.defaults import DEFAULT_LLM_SECONDS, DEFAULT_MODEL
from agentpprof.errors import AgentPprofError


class ServerError(AgentPprofError):
    """The server is of no use: nothing more is asked in this run."""


class RequestError(AgentPprofError):
    """One request failed; the next one may go well."""


class BrokenError(RequestError):
    """The connection broke; an idle one may have been closed just then."""


class TooLongError(RequestError):
    """The text does not fit into the model's context."""


class Server(NamedTuple):
    """Where a model is, and how it is spoken to; the key shows itself nowhere."""

    url: str
    model: str = DEFAULT_MODEL
    timeout_seconds: float = DEFAULT_LLM_SECONDS
    key: str = ""
    loading_seconds: float = 600.0  # how long a server may load its model

    def __repr__(self) -> str:
        """Name the server without its key."""
        return f"Server(url={self.url!r}, model={self.model!r})"


class Run:
    """How the asking went so far."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.tagged = 0
        self.untagged = 0  # answered twice, never with a tag
        self.failed = 0
        self.requests = 0
        self.error = ""  # why it ended early
