"""Which sessions a profile is made of, and what each is called."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath
from typing import NamedTuple

from agentpprof.errors import NothingFoundError, UsageError
from agentpprof.models import PromptRow, SessionInfo


class Selection(NamedTuple):
    """What a person chose; None and empty mean everything."""

    project_root: str | None = None  # None: all projects
    project_name: str | None = None
    agent: str | None = None  # how its name begins
    session_id: str | None = None  # any part of the id
    since_ms: int | None = None
    until_ms: int | None = None
    session_tag: str | None = None
    prompt_tag: str | None = None
    max_sessions: int | None = None
    session_keys: frozenset[int] | None = None  # those of the log files that a run is about


def choose_sessions(sessions: Iterable[SessionInfo], selection: Selection) -> list[SessionInfo]:
    """Return the chosen sessions; a sub-agent goes with its session where it says less."""
    every = {session.key: session for session in sessions}
    return [session for session in every.values() if _is_chosen(session, every, selection)]


def home_of(session: SessionInfo, every: Mapping[int, SessionInfo]) -> SessionInfo:
    """Return the session whose folder is this one's: itself, or the nearest above that has one."""
    at, seen = session, {session.key}
    while at.root is None and at.parent_key is not None:
        above = every.get(at.parent_key)
        if above is None or above.key in seen:
            break
        seen.add(above.key)
        at = above
    return at


def top_of(session: SessionInfo, every: Mapping[int, SessionInfo]) -> SessionInfo:
    """Return the session that a sub-agent belongs to, however deep."""
    at, seen = session, {session.key}
    while at.parent_key is not None:
        above = every.get(at.parent_key)
        if above is None or above.key in seen:
            break
        seen.add(above.key)
        at = above
    return at


def top_sessions(every: Mapping[int, SessionInfo]) -> list[SessionInfo]:
    """Return the sessions that belong to no other that is known."""
    return [session for session in every.values() if top_of(session, every).key == session.key]


def count_subagents(chosen: Iterable[SessionInfo], every: Mapping[int, SessionInfo]) -> int:
    """Return how many of the chosen sessions are sub-agents of a session that is known."""
    return sum(top_of(session, every).key != session.key for session in chosen)


def _is_chosen(
    session: SessionInfo, every: Mapping[int, SessionInfo], selection: Selection
) -> bool:
    if selection.session_keys is not None and session.key not in selection.session_keys:
        return False
    if selection.agent and not session.agent.startswith(selection.agent):
        return False
    if selection.session_id and selection.session_id not in session.session_id:
        return False
    if not _is_in_span(session, selection):
        return False
    if selection.project_root is None:
        return True
    home = home_of(session, every)
    return any(
        is_within(folder, selection.project_root)
        for folder in (home.root, home.cwd)
        if folder is not None
    )


def _is_in_span(session: SessionInfo, selection: Selection) -> bool:
    """Say whether a session may have operations in the chosen time; one without times has none."""
    if selection.since_ms is not None and (session.ended_at_ms or 0) < selection.since_ms:
        return False
    starts_at_ms = session.started_at_ms
    return selection.until_ms is None or (
        starts_at_ms is not None and starts_at_ms < selection.until_ms
    )


def newest_sessions(
    chosen: list[SessionInfo], every: Mapping[int, SessionInfo], limit: int | None
) -> list[SessionInfo]:
    """Keep the `limit` newest sessions, each with its sub-agents; None keeps all."""
    if limit is None:
        return chosen
    tops = {top_of(session, every).key for session in chosen}
    kept = set(sorted(tops, key=lambda key: (-(every[key].ended_at_ms or 0), key))[:limit])
    return [session for session in chosen if top_of(session, every).key in kept]


def tasks_of_sessions(
    every: Mapping[int, SessionInfo], prompts: Iterable[PromptRow], tasks: Mapping[int, str]
) -> dict[int, set[str]]:
    """Return session -> the tasks of its prompts, for sub-agents those of the whole session."""
    of_top: dict[int, set[str]] = {}
    for prompt in prompts:
        session = every.get(prompt.session_key)
        if session is not None:
            of_top.setdefault(top_of(session, every).key, set()).add(tasks[prompt.key])
    return {key: of_top.get(top_of(session, every).key, set()) for key, session in every.items()}


def with_tag(
    chosen: list[SessionInfo], tagged: Mapping[int, set[str]], kind: str, tag: str
) -> list[SessionInfo]:
    """Keep the sessions with a tag; raises NothingFoundError with the tags that there are.

    `kind` is what has the tag: session, prompt.
    """
    kept = [session for session in chosen if tag in tagged.get(session.key, ())]
    if not kept:
        there = sorted({each for session in chosen for each in tagged.get(session.key, ())})
        raise NothingFoundError(
            f"no {kind} of the chosen sessions has the tag {tag!r}; "
            + (f"the tags are {', '.join(there)}" if there else "none has any tag")
        )
    return kept


def is_within(folder: str, root: str) -> bool:
    """Say whether `folder` is `root` or lies below it."""
    root = root.rstrip("/") or "/"
    return folder == root or folder.startswith(root.rstrip("/") + "/")


def project_names(sessions: Iterable[SessionInfo]) -> dict[str, str]:
    """Return project root -> name; two roots of one name are told apart by their parent's."""
    roots = {
        session.root: (session.project or "", session.parent_folder or "")
        for session in sessions
        if session.root is not None
    }
    times = Counter(name for name, _ in roots.values())
    return {
        root: f"{parent}/{name}" if times[name] > 1 and parent else name
        for root, (name, parent) in roots.items()
    }


def root_of_project(sessions: Collection[SessionInfo], project: str) -> str:
    """Return the root of a project by the name that tables show, or by its folder.

    Raises UsageError where several go by that name, NothingFoundError where none does.
    """
    names = project_names(sessions)
    bare = {each.root: each.project for each in sessions if each.root is not None}
    if project.rstrip("/") in names:
        return project.rstrip("/")
    found = [root for root, name in names.items() if name == project]
    found = found or [root for root, name in bare.items() if name == project]
    if not found:
        raise no_project(project, names.values())
    if len(found) > 1:
        shown = sorted(root if names[root] == project else names[root] for root in found)
        raise UsageError(f"several projects are called {project}: name {' or '.join(shown)}")
    return found[0]


def no_project(project: str, known: Iterable[str | None]) -> NothingFoundError:
    """Return the error for a project that goes by no known name."""
    there = ", ".join(sorted({name for name in known if name}))
    return NothingFoundError(f"no project {project}" + (f"; there are {there}" if there else ""))


def name_of_root(root: str) -> str:
    """Return the name of a chosen project root."""
    return PurePath(root).name or "project"
