"""The command line: a group whose default command is the profile itself.

Every error a person can act on is caught here, once; a traceback is shown only with `--debug`.
Exit codes: 0 done, 1 nothing could be done, 2 the command line is wrong, 130 interrupted.
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem
from click_default_group import DefaultGroup

from agentpprof import __version__
from agentpprof.commands.sections import Guided, no_such_command, write_sections
from agentpprof.errors import AgentPprofError, sqlite_name
from agentpprof.streams import encoding_of, readable, ready_streams
from agentpprof.terminal import show_lines

_COMMANDS = {
    "profile": "one view of agent activity, as pprof, folded stacks, SVG or JSON (the default)",
    "audit": "why the numbers are what they are: raw, dropped by reason, counted",
    "top": "the largest frames of a view on the terminal: a table, a tree, or JSON",
    "diff": "what changed between two times, branches, projects or saved profiles",
    "sessions": "the sessions: tag, prompts, tokens, time, outcome; sorted and filtered",
    "show": "one session's timeline: what each prompt led to and cost",
    "check": "is a pprof file sound for every reader?",
    "config": "your settings, and where each value comes from",
    "index": "read new log lines into the database",
    "demo": "profiles of a bundled example history",
    "ask": "worked questions: tokens, re-reads, failures, loops, cache misses, time …",
    "search": "find words in prompts, commands and answers",
    "sql": "any question to the database, read-only",
    "watch": "keep the database up to date while agents work",
    "status": "what is stored, what is pending, who watches, what needs attention",
    "doctor": "check the database, its surroundings and, with --deep, the logs against it",
    "backup": "write a copy of the database, also while others use it",
    "restore": "put a copy in the place of the database",
    "forget": "remove sessions for good",
    "tags": "how well tags cover your history; list them, set them by hand",
    "service": "watch from login on: install, uninstall or look at the service",
    "explain": "the fields derived from a command, call, path, URL or prompt, and why",
}
DEFAULT_COMMAND = "profile"
# SQLite's names for a statement of ours that can't be carried out: no file is at fault, no disk.
_OUR_FAULTS = frozenset(
    f"SQLITE_{name}" for name in ("ERROR", "INTERNAL", "MISMATCH", "MISUSE", "RANGE", "TOOBIG")
)


class _ReaderGoneError(Exception):
    """The reader of our output has gone: a quiet end."""


class LazyGroup(Guided, DefaultGroup):
    """Imports a command only when it is called, and shows the default command's options."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command's module; a first word that is an option belongs to the default."""
        if name not in _COMMANDS:
            if not name.startswith("-"):
                context.fail(no_such_command(name, _COMMANDS))
            context.arg0 = name  # type: ignore[attr-defined] # where DefaultGroup looks for it
            name = DEFAULT_COMMAND
        command: click.Command = import_module(f"agentpprof.commands.{name}").command
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run the command; click would end with an error of its own where nobody reads on."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise _ReaderGoneError from None

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse; while a shell completes the first word, no command is chosen yet."""
        if not args and context.resilient_parsing:
            return click.Group.parse_args(self, context, args)
        return super().parse_args(context, args)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the first word: a command, or an option of the default one."""
        found = super().shell_complete(context, incomplete)
        default = self.get_command(context, DEFAULT_COMMAND)
        if default is not None:
            inner = default.make_context(DEFAULT_COMMAND, [], context, resilient_parsing=True)
            found += default.shell_complete(inner, incomplete)
        return found

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the default command's options, then the commands."""
        default = self.get_command(context, DEFAULT_COMMAND)
        if default is not None:
            write_sections(default, context, formatter, self)
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(
    cls=LazyGroup,
    default=DEFAULT_COMMAND,
    default_if_no_args=True,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)
@click.version_option(__version__, "-V", "--version", prog_name="agentpprof")
def group() -> None:
    """Show where the work, tokens, time, file and network effects of AI coding agents went.

    Reads the logs of Claude Code and Codex, indexes what is new, and writes one profile. It is no
    CPU profile: a width is tokens, operations, files, hosts or seconds of the agents' work.

    \b
      agentpprof -o agent.pb.gz
      agentpprof -o agent.svg --all-projects --view time
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; the console script."""
    ready_streams()
    if arguments is None:
        _begin_again_in_utf8()
        arguments = sys.argv[1:]
    arguments = list(arguments)
    try:
        result = group.main(args=arguments, prog_name="agentpprof", standalone_mode=False)
    except click.exceptions.Exit as done:
        _exit(done.exit_code)
    except click.ClickException as error:
        _echo(_shown(error))
        _exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        _exit(130)
    except (BrokenPipeError, _ReaderGoneError):
        _forget_stdout()
        _exit(0)
    except AgentPprofError as error:
        _fail(error, error.exit_code, arguments)
    except OSError as error:
        _forget_stdout()
        _fail(error, 1, arguments)
    except Exception as error:  # noqa: BLE001 # the one place: a fault of ours is told, not dumped
        _fail(error, 1, arguments)
    _exit(result if isinstance(result, int) else 0)


def _begin_again_in_utf8() -> None:
    """Start once more in Python's UTF-8 mode where the locale has another encoding.

    Names of files and words of the command line are bytes: what is stored of them must not depend
    on the locale of the run. What is printed stays in the locale's encoding.
    """
    if sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    encoding = os.environ.get("PYTHONIOENCODING") or encoding_of(sys.stdout)
    words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    os.execve(sys.executable, [os.fsencode(word) for word in words], environment)  # noqa: S606 # itself


def _forget_stdout() -> None:
    """Let nothing that stdout still holds be written: Python would complain once more at exit."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        return  # no file of the system's, so nothing is held
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _fail(error: Exception, exit_code: int, arguments: Sequence[str]) -> None:
    """Tell one error in one line; `--debug` adds where it came from, never what it held."""
    _echo(f"Error: {show_lines(_message(error, arguments))}")
    if "--debug" in arguments:
        _echo_frames(error)
    _exit(exit_code)


def _echo(text: str) -> None:
    """Write a line on stderr, as its encoding can show it; the exit code says it all the same."""
    with suppress(OSError):
        click.echo(readable(text, encoding_of(sys.stderr)), err=True)


def _shown(error: click.ClickException) -> str:
    """Return what click says of an error: the usage, a hint, the error."""
    told = io.StringIO()
    error.show(told)
    return told.getvalue().rstrip("\n")


def _message(error: Exception, arguments: Sequence[str]) -> str:
    """Return what a person can do about an error; texts of foreign errors may quote a log."""
    if isinstance(error, AgentPprofError):
        return str(error)
    kind = type(error).__name__
    if isinstance(error, UnicodeError) and not all(map(_is_text, arguments)):
        return (
            "a word of the command line is no text in this locale: choose one of UTF-8, for "
            "example with LC_ALL=C.UTF-8, or leave out the bytes that are none"
        )
    reason = sqlite_name(error)
    if kind in ("DatabaseError", "OperationalError") and reason not in _OUR_FAULTS:
        return (
            f"the database can't be used ({reason}): free space, wait for other programs, or name "
            "another with --db; a damaged one is made anew by moving it away and indexing again"
        )
    if isinstance(error, OSError):
        return (
            f"the system refused to read or write ({error.strerror or kind}): see to space on the "
            "disk and to rights, or name other places with -o and --db"
        )
    if isinstance(error, MemoryError):
        return "there is not enough memory: choose fewer sessions with --since or --project-root"
    return (
        f"{reason} inside agentpprof: see whether agentpprof doctor finds the database sound; if "
        "so, run it again with --debug and report it"
    )


def _is_text(word: str) -> bool:
    """Say whether a word of the command line could be decoded whole."""
    return not any("\ud800" <= character <= "\udfff" for character in word)


def _echo_frames(error: BaseException) -> None:
    """Print files and lines of a traceback; texts of errors may quote what a log says."""
    import traceback

    origin = error.__cause__ or error
    for step in traceback.extract_tb(origin.__traceback__):
        click.echo(f"  {step.filename}:{step.lineno} in {step.name}", err=True)
    click.echo(f"  {type(error).__name__}", err=True)


def _exit(code: Any) -> None:
    sys.exit(code)
