"""What shared options name: roots, agents, the database; checked, and made where it has to be."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentpprof.agents import AGENTS
from agentpprof.config import configured_environment
from agentpprof.defaults import DATABASE_VARIABLE
from agentpprof.errors import StoreError, UsageError
from agentpprof.ingest.discover import Root, default_roots, roots_in
from agentpprof.output import stream_of
from agentpprof.places import with_tilde
from agentpprof.store.database import default_path
from agentpprof.text.telling import say


def check_loudness(quiet: bool, verbose: bool) -> None:
    """Refuse to say nothing and everything."""
    if quiet and verbose:
        raise UsageError("-q and -v contradict each other: leave one out")


def chosen_roots(claude_roots: tuple[str, ...], codex_roots: tuple[str, ...]) -> list[Root]:
    """Return the folders to read: those named, else the usual ones."""
    named = [("claude", folder) for folder in claude_roots]
    named += [("codex", folder) for folder in codex_roots]
    if not named:
        return default_roots(configured_environment())
    for agent, folder in named:
        if not Path(folder).is_dir():
            kind = "a file, not a folder" if Path(folder).exists() else "no such folder"
            raise UsageError(f"--{agent}-root {folder}: there is {kind}")
    return [root for agent, folder in named for root in roots_in(agent, folder)]


def checked_agent(agent: str | None) -> str | None:
    """Return the agent that was named, or the beginning of its name; raises UsageError."""
    if agent is not None and not (agent and any(name.startswith(agent) for name in AGENTS)):
        raise UsageError(f"--agent {agent!r}: there are {' and '.join(AGENTS)}")
    return agent


def check_text(what: str, text: str) -> None:
    """Refuse bytes that are no text, which SQLite could not be asked for; raises UsageError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} {text!r} is not UTF-8 text, as all that is stored is") from None


def named_database(database: str | None) -> Path | None:
    """Return the database that an option or the environment names, None where neither does.

    Raises UsageError that says which of them it was, for what can be no database's file.
    """
    in_environment = os.environ.get(DATABASE_VARIABLE, "")
    if database is not None and not database.strip():
        raise UsageError(f"--db {database!r} is empty: name a file, or leave it out")
    if database is None and not in_environment.strip():
        return None
    path, told = (
        (Path(in_environment), f"{DATABASE_VARIABLE}={in_environment}")
        if database is None
        else (Path(database), f"--db {database}")
    )
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return path  # the one who reads or makes it says why that fails
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name can't be one"
        raise UsageError(f"{told} can't be used ({reason}): name another file") from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"{told} is a folder: name a file in it")
    if not stat.S_ISREG(mode) or stream_of(str(path)) is not None:
        raise UsageError(f"{told} is a device or pipe: name a file")
    return path


@contextmanager
def chosen_database(named: Path | None, is_foreign: bool, is_quiet: bool) -> Iterator[Path]:
    """Yield the database in use: foreign logs get a temporary one unless a place is named.

    A named one that was not there before is told: its name may be mistyped.
    """
    if named is not None:
        is_new = not is_quiet and not named.exists()
        try:
            yield named
        except Exception:  # an interrupt is none: who stops a run knows what it was
            tell_new_database(named, is_new)
            raise
        tell_new_database(named, is_new)
        return
    if not is_foreign:
        yield default_path()
        return
    with temporary_folder() as folder:
        yield folder / "agentpprof.db"


def tell_new_database(database: Path, is_new: bool) -> None:
    """Say on stderr that a database was made, where it was."""
    if is_new and database.exists():
        say(f"a new database was made: {with_tilde(database)}", on_stderr=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that only its owner can enter, gone afterwards."""
    import shutil
    import tempfile

    try:
        folder = tempfile.mkdtemp(prefix="agentpprof-")
    except OSError as error:
        raise StoreError(
            f"no temporary folder can be made ({error.strerror}): name another place in TMPDIR, "
            "or a database with --db"
        ) from None
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
