"""Options that several commands share, and what follows from them."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from agentpprof.errors import UsageError
from agentpprof.ingest.discover import Root, default_roots, roots_in
from agentpprof.store.database import default_path

F = TypeVar("F", bound=Callable[..., Any])


class OnceCommand(click.Command):
    """Refuses an option given twice that can be given once: silently taking the last one lies."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Check the options, then parse them as click does."""
        if "--help" not in args and "-h" not in args:
            _, rest, order = self.make_parser(context).parse_args(args=list(args))
            self._refuse_doubled(context, order)
            commands = context.parent.command.list_commands(context.parent) if context.parent else []
            for word in set(rest) & set(commands):
                context.fail(f"a command's name comes first: agentpprof {word} …")
        return super().parse_args(context, args)

    @staticmethod
    def _refuse_doubled(context: click.Context, order: list[click.Parameter]) -> None:
        once = [
            option.opts[-1]
            for option in order
            if isinstance(option, click.Option) and not option.multiple
        ]
        for name in once:
            if once.count(name) > 1:
                context.fail(f"{name} can be given only once")


def store_options(function: F) -> F:
    """Add where the logs and the database lie."""
    options = (
        click.option(
            "--claude-root",
            "claude_roots",
            multiple=True,
            metavar="DIR",
            help="Claude Code's home or its projects folder, instead of ~/.claude. Logs of named "
            "roots go into a temporary database unless --db names one.",
        ),
        click.option(
            "--codex-root",
            "codex_roots",
            multiple=True,
            metavar="DIR",
            help="Codex's home or its sessions folder, instead of ~/.codex.",
        ),
        click.option(
            "--db",
            "database",
            metavar="PATH",
            help="The database, instead of the one in your data folder. [env: AGENTPPROF_DB]",
        ),
    )
    return _apply(options, function)


def loudness_options(function: F) -> F:
    """Add how much is told on stderr."""
    options = (
        click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
        click.option("-v", "--verbose", is_flag=True, help="Say what was read."),
        click.option("--debug", is_flag=True, help="Show where an error came from."),
    )
    return _apply(options, function)


def _apply(options: tuple[Callable[[F], F], ...], function: F) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def chosen_roots(claude_roots: tuple[str, ...], codex_roots: tuple[str, ...]) -> list[Root]:
    """Return the folders to read: those named, else the usual ones."""
    named = [("claude", folder) for folder in claude_roots]
    named += [("codex", folder) for folder in codex_roots]
    if not named:
        return default_roots(os.environ)
    for agent, folder in named:
        if not Path(folder).is_dir():
            raise UsageError(f"--{agent}-root {folder}: there is no such folder")
    return [root for agent, folder in named for root in roots_in(agent, folder)]


@contextmanager
def chosen_database(database: str | None, is_foreign: bool) -> Iterator[Path]:
    """Yield the database in use: foreign logs get a temporary one unless a place is named."""
    if database is not None or not is_foreign or os.environ.get("AGENTPPROF_DB"):
        yield Path(database) if database is not None else default_path()
        return
    folder = tempfile.mkdtemp(prefix="agentpprof-")
    try:
        yield Path(folder) / "agentpprof.db"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
