"""The two sides of a difference: a saved profile, or a filter over the database."""

import re
import sqlite3
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from agentpprof.encoders import format_of_path
from agentpprof.encoders.decode import READABLE_FORMATS, decode_profile
from agentpprof.errors import NothingFoundError, UsageError
from agentpprof.models import Profile, Samples
from agentpprof.option_groups import ProfileOptions, ViewOptions
from agentpprof.privacy import PublicText, shortened
from agentpprof.profile.diff import SideCounts
from agentpprof.profile.selection import home_of, no_project, project_names
from agentpprof.profile.views import view_named
from agentpprof.runs.asked import Asked, read_options
from agentpprof.runs.chosen import check_text
from agentpprof.runs.making import make_on
from agentpprof.runs.source import Synced
from agentpprof.store import queries

EVERYTHING = "all"
# Words of a filter, and the options of a profile that they set.
_OfFilter = Literal["since", "until", "agent", "session_id", "session_tag", "prompt_tag"]
_OPTIONS: Final[dict[str, _OfFilter]] = {
    "since": "since",
    "until": "until",
    "agent": "agent",
    "session": "session_id",
    "session-tag": "session_tag",
    "prompt-tag": "prompt_tag",
}
_WORDS = (*_OPTIONS, "project", "branch", "where")
_NEXT_WORD = re.compile(rf",(?=(?:{'|'.join(_WORDS)})=)")


class Filter(NamedTuple):
    """A side that is still to be made: what was asked, and the git branch it is about."""

    asked: Asked
    project: str | None = None
    branch: str | None = None


class Side(NamedTuple):
    """One finished side; `counts` is None where nobody knows them."""

    profile: Profile
    counts: SideCounts | None
    facts: tuple[PublicText, ...]


def read_side(text: str, options: ProfileOptions, name: str, by: str | None) -> Side | Filter:
    """Return a saved profile, or a checked filter; raises UsageError that names the side."""
    is_filter = text == EVERYTHING or "=" in text.partition(",")[0]
    if not is_filter or Path(text).is_file():
        return _saved(text, options)
    chosen = options.copy()
    project = branch = None
    words: set[str] = set()
    for part in _NEXT_WORD.split(text) if text != EVERYTHING else ():
        word, _, value = part.partition("=")
        if word not in _WORDS or not value:
            raise UsageError(
                f"{name} {text!r}: write a saved profile, {EVERYTHING}, or words with values, for "
                f"example since=7d,project=shop; words are {', '.join(_WORDS)}"
            )
        if word in words and word != "where":
            raise UsageError(f"{name} {text!r}: {word} is given twice: leave one out")
        words.add(word)
        if word == "branch":
            check_text(f"{name} branch", value)
            branch = value
        elif word == "where":
            chosen["where"] = (*chosen["where"], value)
        elif word == "project" and value.startswith(("/", ".", "~")):
            chosen["project_root"], chosen["all_projects"] = value, False
        elif word == "project":
            project = value
            chosen["project_root"], chosen["all_projects"] = None, True
            chosen["project_name"] = value
        else:
            chosen[_OPTIONS[word]] = value
    try:
        return Filter(read_options(chosen, by), project, branch)
    except UsageError as error:
        options_of_side = (
            f"--{key.replace('_', '-')}"
            for (key, value), given in zip(chosen.items(), options.values(), strict=True)
            if value != given
        )
        if not str(error).startswith(tuple(options_of_side)):
            raise
        raise UsageError(f"{name} {text!r}: {error}") from None


def _saved(path: str, options: ViewOptions) -> Side:
    if format_of_path(path) in READABLE_FORMATS and not Path(path).exists():
        raise UsageError(f"{path!r} is no saved profile: there is no such file")
    if format_of_path(path) not in READABLE_FORMATS or not Path(path).is_file():
        raise UsageError(
            f"{path!r} is no saved profile (.pb.gz, .pb, .json, .folded) and no filter such as "
            "since=7d"
        )
    view = view_named(options["view_name"])
    name = PublicText(Path(path).name.split(".")[0])
    empty = Profile(view.name, view.sample_type, view.unit, Samples(), project=name)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read ({error.strerror})") from None
    profile = decode_profile(data, path, empty)
    try:
        counts = _counts_of_sessions(profile.sessions) if profile.sessions else None
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"{path}: its sessions have no counts") from None
    return Side(profile, counts, _filters(profile))


def _counts_of_sessions(sessions: tuple[dict[str, Any], ...]) -> SideCounts:
    """Return the counts that stand in a JSON output; sub-agents are no sessions of their own."""
    return SideCounts(
        sum(int(each["prompt_count"]) for each in sessions),
        sum(each["agent_role"] == "agent" for each in sessions),
        sum(int(each["tool_count"]) for each in sessions),
    )


def make_side(
    connection: sqlite3.Connection, database: Path, chosen: Filter, synced: Synced, name: str
) -> Side:
    """Return a side made from the database; NothingFoundError names it."""
    keys = _chosen_keys(connection, chosen, name)
    asked = chosen.asked
    if keys is not None:
        asked = asked._replace(selection=asked.selection._replace(session_keys=keys))
    try:
        made = make_on(connection, database, asked, synced)
    except NothingFoundError as error:
        raise NothingFoundError(f"{name}: {error}") from None
    selection = asked.selection
    span = selection.since_ms, selection.until_ms
    found = queries.count_side(connection, span, selection.prompt_tag is not None)
    counts = SideCounts(*found)
    branch = (shortened(f"filter:branch:{chosen.branch}"),) if chosen.branch else ()
    return Side(made.profile, counts, (*_filters(made.profile), *branch))


def _chosen_keys(
    connection: sqlite3.Connection, chosen: Filter, name: str
) -> frozenset[int] | None:
    """Return the sessions of a project's name and of a branch; None where neither is asked for."""
    keys = None
    if chosen.project is not None:
        every = {session.key: session for session in queries.read_sessions(connection)}
        names = project_names(every.values())
        of_session = {
            key: names.get(home_of(each, every).root or "") for key, each in every.items()
        }
        keys = frozenset(key for key, found in of_session.items() if found == chosen.project)
        if not keys:
            raise NothingFoundError(f"{name}: {no_project(chosen.project, of_session.values())}")
    if chosen.branch is not None:
        on_branch = queries.read_sessions_of_branch(connection, chosen.branch)
        if not on_branch:
            raise NothingFoundError(f"{name}: no session ran on the branch {chosen.branch}")
        keys = on_branch if keys is None else keys & on_branch
    return keys


def _filters(profile: Profile) -> tuple[PublicText, ...]:
    return tuple(text for text in profile.comments if text.startswith("filter:"))
