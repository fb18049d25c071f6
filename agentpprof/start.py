"""The console script: an interrupt is told in a word, also while the program is being loaded."""

import sys


def main() -> None:
    """Load the command line and run it; its modules take a while to import."""
    try:
        from agentpprof.cli import main as run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)
