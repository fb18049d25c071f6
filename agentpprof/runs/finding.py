"""Find the session that is meant; what to say when none is: projects, and the command to copy."""

import sqlite3

from agentpprof.agents import titles
from agentpprof.counts import counted_sessions
from agentpprof.errors import NothingFoundError, UsageError
from agentpprof.models import SessionInfo
from agentpprof.moments import moment
from agentpprof.places import with_tilde
from agentpprof.profile.selection import (
    Selection,
    choose_sessions,
    count_subagents,
    home_of,
    top_sessions,
)
from agentpprof.store import queries

_SHOWN = 10


def no_session_message(connection: sqlite3.Connection, selection: Selection) -> str:
    """Return the one message that may show folders, with `~` for home, newest project first."""
    every = {session.key: session for session in queries.read_sessions(connection)}
    if selection.session_keys is not None and not selection.session_keys:
        return "the chosen log files hold no session: name others, or leave --scan-files out"
    project_alone = Selection(selection.project_root, session_keys=selection.session_keys)
    others = choose_sessions(every.values(), project_alone)
    found = counted_sessions(len(others), count_subagents(others, every))
    if others and project_alone != selection._replace(project_name=None):
        return (
            f"no session matches{_what_was_asked(selection)}; without {_narrowing(selection)} "
            f"{found} would"
        )
    latest: dict[str, int] = {}
    for session in every.values():
        root = home_of(session, every).root
        if root is not None:
            latest[root] = max(latest.get(root, 0), session.ended_at_ms or 0)
    if not latest:
        return (
            f"no session of {titles()} was found: name the logs with --claude-root or "
            "--codex-root, see what was read with agentpprof index -v, or look at an example "
            "history with agentpprof demo"
        )
    newest = sorted(latest, key=lambda root: (-latest[root], root))
    lines = [
        f"no session matches{_what_was_asked(selection)}. Projects with sessions, newest first:"
    ]
    lines += [f"  {_day(latest[root])}  {with_tilde(root)}" for root in newest[:_SHOWN]]
    if len(newest) > _SHOWN:
        lines.append(f"  and {len(newest) - _SHOWN} more; --all-projects takes them all")
    lines.append(f"Try: agentpprof -o agent.pb.gz --project-root {with_tilde(newest[0])}")
    return "\n".join(lines)


def named_session(name: str, every: dict[int, SessionInfo]) -> SessionInfo:
    """Return the session of an id or of the beginning of one; raises errors that list some."""
    exact = [each for each in every.values() if each.session_id == name]
    found = exact or [each for each in top_sessions(every) if each.session_id.startswith(name)]
    if not found:
        raise NothingFoundError(
            f"no session's id begins with {name!r}: agentpprof sessions --all-projects lists them"
        )
    if len(found) > 1:
        some = ", ".join(sorted(each.session_id for each in found)[:_SHOWN])
        raise UsageError(f"{len(found)} sessions begin with {name!r}, write more of it: {some}")
    return found[0]


def _narrowing(selection: Selection) -> str:
    """Return the options that narrow a project's sessions down, as far as they were given."""
    given = {
        "--agent": selection.agent,
        "--session-id": selection.session_id,
        "--since": selection.since_ms,
        "--until": selection.until_ms,
    }
    names = [name for name, value in given.items() if value is not None]
    *first, last = names or ["the other options"]
    return f"{', '.join(first)} and {last}" if first else last


def _what_was_asked(selection: Selection) -> str:
    parts = [
        f" the project {with_tilde(selection.project_root)}" if selection.project_root else "",
        f" agent {selection.agent}" if selection.agent else "",
        " the session id" if selection.session_id else "",
        " the time" if selection.since_ms is not None or selection.until_ms is not None else "",
    ]
    return ",".join(part for part in parts if part)


def _day(time_ms: int) -> str:
    at = moment(time_ms)
    return at.date().isoformat() if at else "unknown   "
