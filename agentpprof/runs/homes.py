"""Homes of agents that a person configured, and that are not there."""

from collections.abc import Iterator, Mapping

from agentpprof.config import HOMES, Setting
from agentpprof.errors import AgentPprofError
from agentpprof.origins import Configured
from agentpprof.places import expanded, with_tilde


def missing_homes(found: Mapping[str, Setting]) -> Iterator[str]:
    """Yield one sentence per home of an agent that was configured and is not there."""
    for name in HOMES:
        if found[name].source in ("environment", "file"):
            for text in found[name].value:
                try:
                    check_home(text)
                except AgentPprofError as error:
                    yield str(error)


def check_home(text: str) -> None:
    """Raise AgentPprofError for a home that is no folder, naming the place it was configured at."""
    place = expanded(text)
    if not place.is_dir():
        origin = f"{text.origin} " if isinstance(text, Configured) else ""
        raise AgentPprofError(f"{origin}there is no folder {with_tilde(place)}")
