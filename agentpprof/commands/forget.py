"""`agentpprof forget`: remove sessions for good."""

from pathlib import Path
from typing import Unpack

import click

from agentpprof.commands.confirming import confirm
from agentpprof.commands.options import database_option, loudness_options
from agentpprof.commands.sections import OnceCommand
from agentpprof.counts import counted, counted_sessions
from agentpprof.errors import UsageError
from agentpprof.option_groups import LoudnessOptions
from agentpprof.profile.selection import project_names, root_of_project
from agentpprof.profile.times import parse_time
from agentpprof.runs.chosen import named_database
from agentpprof.runs.finding import named_session
from agentpprof.store import queries
from agentpprof.store.database import default_path, look_at, opened_for_reading, renew_schema
from agentpprof.store.forgetting import (
    Forgotten,
    Wish,
    count_forgettable,
    finish_forgetting,
    forget,
)
from agentpprof.text.telling import say

_SHOWN = 5  # projects that the question names
_HELD = "a reader still holds the old bytes: run agentpprof forget when it is done"


class ForgetOptions(LoudnessOptions):
    """The options of `agentpprof forget`."""

    session_id: str | None
    project: str | None
    before: str | None
    yes: bool
    database: str | None


@click.command("forget", cls=OnceCommand)
@click.option(
    "--session-id", metavar="ID", help="The session whose id begins so, and its sub-agents."
)
@click.option("--project", metavar="NAME|DIR", help="All sessions of a project.")
@click.option(
    "--before",
    metavar="TIME",
    help="All that was done before a day or time; undated sessions stay.",
)
@click.option("--yes", is_flag=True, help="Don't ask.")
@database_option
@loudness_options
def command(**options: Unpack[ForgetOptions]) -> None:
    """Remove sessions for good: rows, texts, names only they used, and the bytes in the file.

    Conditions that are given hold together. A log that still lies on the disk does not bring them
    back, and is not touched. Backups that you made keep what they hold. Without a condition it ends
    what an earlier run could not: to rewrite the file without the old bytes.
    """
    path = named_database(options["database"]) or default_path()
    if look_at(path):
        renew_schema(path)
    root = _root_of(options["project"], path)
    session_id = _session_id(options["session_id"], path)
    wish = Wish(session_id, root, _before_ms(options["before"], path))
    if not any(condition is not None for condition in wish):
        if _has_finished(path, options["quiet"]):
            return
        raise UsageError("forget what? Name --session-id, --project or --before")
    asked = count_forgettable(path, wish)
    if not options["yes"]:
        confirm(f"Forget {_text(asked)}{_projects(asked, path)}?")
    gone = forget(path, wish)
    if gone.sessions == asked.sessions:
        gone = gone._replace(subagents=asked.subagents)
    if not options["quiet"]:
        say(
            f"forgot {_text(gone)}, {counted(gone.paths, 'path')}, {counted(gone.names, 'name')}",
            on_stderr=True,
        )
    if not gone.is_compacted:
        say(_HELD, on_stderr=True)


def _has_finished(path: Path, is_quiet: bool) -> bool:
    """Take out of the file what an earlier run had to leave in it; False where nothing was left."""
    is_done = finish_forgetting(path)
    if is_done is None:
        return False
    if not is_done:
        say(_HELD, on_stderr=True)
    elif not is_quiet:
        say("what was forgotten before has left the file now", on_stderr=True)
    return True


def _session_id(name: str | None, path: Path) -> str | None:
    """Return the whole id of the session that `--session-id` names by a beginning."""
    if name == "":
        raise UsageError("--session-id '' is empty: write the beginning of an id")
    if name is None or not look_at(path):
        return name
    with opened_for_reading(path) as connection:
        every = {session.key: session for session in queries.read_sessions(connection)}
    return named_session(name, every).session_id


def _root_of(project: str | None, path: Path) -> str | None:
    """Return the root of the project that `--project` names."""
    if project is None or not look_at(path):
        return project
    with opened_for_reading(path) as connection:
        return root_of_project(queries.read_sessions(connection), project)


def _projects(asked: Forgotten, path: Path) -> str:
    """Return what the question says of the projects that lose something."""
    with opened_for_reading(path) as connection:
        names = project_names(queries.read_sessions(connection))
    shown = sorted(names[root] for root in asked.roots)
    if not shown:
        return " for good"
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f" of {', '.join(shown[:_SHOWN])}{more} for good"


def _before_ms(before: str | None, path: Path) -> int | None:
    """Return the time that `--before` names, in the zone of the database."""
    if before is None:
        return None
    zone = "UTC"
    if look_at(path):
        with opened_for_reading(path) as connection:
            zone = queries.read_meta(connection, "zone") or zone
    return parse_time(before, zone, option="--before")


def _text(counts: Forgotten) -> str:
    sessions = counted_sessions(counts.sessions, counts.subagents)
    prompts = counted(counts.prompts, "prompt")
    return f"{sessions} with {counted(counts.operations, 'operation')}, {prompts}"
