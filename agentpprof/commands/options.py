"""Options that several commands share, and what follows from them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentpprof.commands.sections import F, apply_options, option
from agentpprof.config import configured_environment
from agentpprof.errors import StoreError, UsageError
from agentpprof.ingest.discover import Root, default_roots, roots_in
from agentpprof.store.database import default_path

_STORE = "Logs and database"
_TELLING = "Other"


def store_options(function: F) -> F:
    """Add where the logs and the database lie."""
    return apply_options(
        function,
        option(
            _STORE,
            "--claude-root",
            "claude_roots",
            multiple=True,
            metavar="DIR",
            help="Claude Code's home or its projects folder, instead of ~/.claude. Logs of named "
            "roots go into a temporary database unless --db names one.",
        ),
        option(
            _STORE,
            "--codex-root",
            "codex_roots",
            multiple=True,
            metavar="DIR",
            help="Codex's home or its sessions folder, instead of ~/.codex.",
        ),
        option(
            _STORE,
            "--db",
            "database",
            metavar="PATH",
            help="The database, instead of the one in your data folder. [env: AGENTPPROF_DB]",
        ),
    )


def loudness_options(function: F) -> F:
    """Add how much is told on stderr."""
    return apply_options(
        function,
        option(_TELLING, "-q", "--quiet", is_flag=True, help="Say nothing but errors."),
        option(_TELLING, "-v", "--verbose", is_flag=True, help="Say what was read."),
        option(_TELLING, "--debug", is_flag=True, help="Show where an error came from."),
    )


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


def named_database(database: str | None) -> Path | None:
    """Return the database that an option or the environment names, None where neither does."""
    if database is not None and not database:
        raise UsageError("--db '' is empty: name a file, or leave it out")
    if database is not None and Path(database).is_dir():
        raise UsageError(f"--db {database} is a folder: name a file in it")
    if database is not None:
        return Path(database)
    return default_path() if os.environ.get("AGENTPPROF_DB") else None


@contextmanager
def chosen_database(named: Path | None, is_foreign: bool) -> Iterator[Path]:
    """Yield the database in use: foreign logs get a temporary one unless a place is named."""
    if named is not None or not is_foreign:
        yield named or default_path()
        return
    with temporary_folder() as folder:
        yield folder / "agentpprof.db"


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
