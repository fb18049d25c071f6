"""Which sessions a profile is made of, and what each is called."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from agentpprof.models import SessionInfo


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person chose; None and empty mean everything."""

    project_root: str | None = None  # None: all projects
    project_name: str | None = None
    agent: str | None = None
    session_id: str | None = None  # any part of the id
    since_ms: int | None = None
    until_ms: int | None = None
    session_tag: str | None = None
    prompt_tag: str | None = None
    max_sessions: int | None = None


def choose_sessions(
    sessions: Iterable[SessionInfo], selection: Selection
) -> list[SessionInfo]:
    """Return the chosen sessions; a sub-agent goes with its session where it says less."""
    every = {session.key: session for session in sessions}
    return [
        session
        for session in every.values()
        if _is_chosen(session, every, selection)
    ]


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


def _is_chosen(
    session: SessionInfo, every: Mapping[int, SessionInfo], selection: Selection
) -> bool:
    if selection.agent and session.agent != selection.agent:
        return False
    if selection.session_id and selection.session_id not in session.session_id:
        return False
    if selection.project_root is None:
        return True
    home = home_of(session, every)
    return any(
        is_within(folder, selection.project_root)
        for folder in (home.root, home.cwd)
        if folder is not None
    )


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


def name_of_root(root: str) -> str:
    """Return the name of a chosen project root."""
    return PurePath(root).name or "project"
