"""What a shell completes behind an option: names of closed lists, files, folders."""

from collections.abc import Callable, Iterable
from typing import Final

from click.shell_completion import CompletionItem

_SEPARATOR: Final = ","


def completions(names: Iterable[str], metavar: str | None, incomplete: str) -> list[CompletionItem]:
    """Return what may stand behind an option of these names; nothing where anything may."""
    if metavar in _PLACES:
        return [CompletionItem(incomplete, type=_PLACES[metavar])]
    values = next((_VALUES[name]() for name in names if name in _VALUES), ())
    before, comma, last = incomplete.rpartition(_SEPARATOR)
    found = (f"{before}{comma}{value}" for value in values if value.startswith(last))
    return [CompletionItem(value) for value in found]


def questions(incomplete: str) -> list[CompletionItem]:
    """Return the names of the cookbook's questions that begin so."""
    from agentpprof.cookbook import recipe_names

    return [CompletionItem(name) for name in recipe_names() if name.startswith(incomplete)]


def _views() -> Iterable[str]:
    from agentpprof.profile.views import VIEWS

    return VIEWS


def _formats() -> Iterable[str]:
    from agentpprof.encoders import ENCODERS

    return ENCODERS


def _agents() -> Iterable[str]:
    from agentpprof.agents import AGENTS

    return AGENTS


def _frames() -> Iterable[str]:
    from agentpprof.profile.fields import FIELDS

    return [name for name, field in FIELDS.items() if field.may_be_frame]


def _taggers() -> Iterable[str]:
    from agentpprof.runs.tagger_choice import TAGGERS

    return TAGGERS


_PLACES: Final = {"PATH": "file", "DIR": "dir"}
_VALUES: Final[dict[str, Callable[[], Iterable[str]]]] = {
    "--view": _views,
    "--format": _formats,
    "--agent": _agents,
    "--stack": _frames,
    "--by": _frames,
    "--label": _frames,
    "--tagger": _taggers,
}
