"""Options that several commands share."""

from agentpprof.commands.sections import OTHER, STORE, F, apply_options, option


def store_options(function: F) -> F:
    """Add where the logs and the database lie."""
    return apply_options(
        function,
        option(
            STORE,
            "--claude-root",
            "claude_roots",
            multiple=True,
            metavar="DIR",
            help="Claude Code's home or its projects folder, instead of ~/.claude. Logs of named "
            "roots go into a temporary database unless --db names one.",
        ),
        option(
            STORE,
            "--codex-root",
            "codex_roots",
            multiple=True,
            metavar="DIR",
            help="Codex's home or its sessions folder, instead of ~/.codex.",
        ),
        database_option,
    )


def database_option(function: F) -> F:
    """Add where the database lies, for a command that reads no logs."""
    return option(
        STORE,
        "--db",
        "database",
        metavar="PATH",
        help="The database, instead of the one in your data folder. [env: AGENTPPROF_DB]",
    )(function)


def loudness_options(function: F) -> F:
    """Add how much is told on stderr."""
    return apply_options(
        function,
        quiet_option,
        option(OTHER, "-v", "--verbose", is_flag=True, help="Say what was read."),
        debug_option,
    )


def quiet_option(function: F) -> F:
    """Add that nothing is told, for a command that has nothing more to tell."""
    return option(OTHER, "-q", "--quiet", is_flag=True, help="Say nothing but errors.")(function)


def debug_option(function: F) -> F:
    """Add `--debug`; `cli.main` looks for it in the command line, so no command is given it."""
    return option(
        OTHER,
        "--debug",
        is_flag=True,
        expose_value=False,
        help="Show where an error came from.",
    )(function)
