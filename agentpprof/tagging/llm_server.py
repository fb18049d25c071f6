"""Where a model is; light, since options are read without a network library."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Server:
    """Where a model is, and how it is spoken to; the key shows itself nowhere."""

    url: str
    model: str = "local"
    timeout_seconds: float = 30.0
    key: str = field(default="", repr=False)
    loading_seconds: float = 600.0  # how long a server may load its model
