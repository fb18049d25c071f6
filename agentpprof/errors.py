"""Errors a person can act on; raised deep, caught once in `cli.py`.

Each message says what happened and what to do next, and never quotes the text of a log.
"""

from collections.abc import Iterable


class AgentPprofError(Exception):
    """Nothing could be done; the command ends with exit code 1."""

    exit_code = 1


class UsageError(AgentPprofError):
    """The options can't be carried out as given; exit code 2, as click's own usage errors."""

    exit_code = 2


class StoreError(AgentPprofError):
    """The database can't be used: newer, foreign, locked, or its folder can't be written."""


class DamagedError(StoreError):
    """What stands in the database can't be what was written there."""

    def __init__(self) -> None:
        """Say what to do; what was found is never told."""
        super().__init__(
            "the database is damaged: run agentpprof doctor, then restore a backup, or move the "
            "database away and index again"
        )


class ReplacedError(StoreError):
    """The database's file is no longer the one that was opened."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__(
            "the database was moved, replaced or deleted while it was written to, so the rest was "
            "not stored: run agentpprof index once more"
        )


class NoHomeError(AgentPprofError):
    """There is no home folder, and something was to lie in it."""


class NothingFoundError(AgentPprofError):
    """No session, or no sample, is left after the selection."""


class NoDatabaseError(StoreError, NothingFoundError):
    """There is no database at the place that was named."""


class NoSessionError(NothingFoundError):
    """No session is left after the project, agent, id and time were looked at."""


class StoppedError(AgentPprofError):
    """A question took more time or memory than it may."""


class OutputError(AgentPprofError):
    """The output can't be written."""


def did_you_mean(name: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6) -> str:
    """Return the question for the known names nearest to one that is none; empty for none near."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=most, cutoff=cutoff)
    return f"did you mean {' or '.join(near)}?" if near else ""


def sqlite_name(error: BaseException) -> str:
    """Return SQLite's name of an error, else its type's; its text could quote what was stored."""
    return getattr(error, "sqlite_errorname", None) or type(error).__name__
