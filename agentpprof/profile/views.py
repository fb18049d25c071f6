"""The five projections of agent activity: what one sample counts, and the stack it stands in."""

from typing import Final, NamedTuple

from agentpprof.errors import UsageError


class View(NamedTuple):
    """One projection. `name` is also the name of its file in sql/weights."""

    name: str
    sample_type: str
    unit: str
    stack: tuple[str, ...]
    counts: str  # what one unit of width is, for people


_STACK: Final = ("task", "skill", "phase", "action", "object", "repeat", "result", "outcome")
DEFAULT_VIEW: Final = "tokens"
VIEWS: Final[dict[str, View]] = {
    view.name: view
    for view in (
        View("operations", "operations", "count", _STACK, "one prompt, LLM call or tool call"),
        View("tokens", "tokens", "count", (*_STACK, "token"), "one token, by component"),
        View("files", "file_events", "count", _STACK, "one file that a tool call touched"),
        View("network", "network_events", "count", _STACK, "one host that a tool call reached"),
        View("time", "duration", "seconds", _STACK, "one second of the agent's time"),
    )
}


def view_named(name: str) -> View:
    """Return a view, or say which there are."""
    try:
        return VIEWS[name]
    except KeyError:
        raise UsageError(f"unknown view {name!r}; known views: {', '.join(VIEWS)}") from None
