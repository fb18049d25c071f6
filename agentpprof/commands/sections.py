"""How options are declared and shown: in sections, each once on a command line."""

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem
from click_default_group import DefaultGroup

from agentpprof.errors import did_you_mean
from agentpprof.resources import read_text
from agentpprof.streams import encoding_of, readable

F = TypeVar("F", bound=Callable[..., Any])
# Headings of help that several commands have.
OUTPUT: Final = "Output"
QUESTION: Final = "Question"
SESSIONS: Final = "Which sessions"
TAGS: Final = "Tags"
STORE: Final = "Logs and database"
OTHER: Final = "Other"


class SectionOption(click.Option):
    """An option that help shows under a heading."""

    def __init__(self, *arguments: Any, section: str = OTHER, **settings: Any) -> None:
        """Take what click's option takes, and the heading."""
        super().__init__(*arguments, **settings)
        self.section = section
        if isinstance(self.type, click.IntRange | click.FloatRange):
            # click says "'x' is not a valid integer range" otherwise
            self.type.name = "integer" if isinstance(self.type, click.IntRange) else "number"

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of closed lists, files and folders."""
        from agentpprof.commands.completing import completions

        found = completions(self.opts, self.metavar, incomplete)
        return found or super().shell_complete(context, incomplete)


def option(section: str, *names: str, **settings: Any) -> Callable[[F], F]:
    """Declare an option of a section."""
    return click.option(*names, cls=SectionOption, section=section, **settings)


def apply_options(function: F, *options: Callable[[F], F]) -> F:
    """Add several options to a command, the first one shown first."""
    for each in reversed(options):
        function = each(function)
    return function


def write_sections(
    command: click.Command,
    context: click.Context,
    formatter: click.HelpFormatter,
    group: click.Command | None = None,
) -> None:
    """Write the options of `command`, in sections; those of a group among the others."""
    sections: dict[str, list[tuple[str, str]]] = {}
    others: list[tuple[str, str]] = []
    own = group.params if group else []
    for parameter in (*command.params, *own, *filter(None, [command.get_help_option(context)])):
        record = parameter.get_help_record(context)
        if record is None or isinstance(parameter, click.Argument):
            continue  # the line of usage shows arguments
        section = parameter.section if isinstance(parameter, SectionOption) else OTHER
        (others if section == OTHER else sections.setdefault(section, [])).append(record)
    for title, records in (*sections.items(), (OTHER, others)):
        if records:
            with formatter.section(title):
                formatter.write_dl(records, col_max=26)


class Helpful(click.Command):
    """A command whose help can be printed whatever the encoding."""

    def get_help(self, context: click.Context) -> str:
        """Return the help as stdout can show it."""
        return readable(super().get_help(context), encoding_of(sys.stdout))


# Words that people try as commands, and what does it here.
_OPTIONS_OF_NAMES: Final = {
    "help": "agentpprof --help, or agentpprof COMMAND --help",
    "version": "agentpprof --version",
}


def no_such_command(name: str, known: Iterable[str]) -> str:
    """Return what to say of a word that is no command of a group."""
    if name in _OPTIONS_OF_NAMES:
        return f"no such command {name!r}: it is {_OPTIONS_OF_NAMES[name]}"
    names = list(known)
    hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
    return f"no such command {name!r}: {hint}"


class ListedGroup(click.Group):
    """A group whose help says what each command does in whole sentences, however narrow it is."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands; click would cut what it says of them to one line."""
        commands = {name: self.get_command(context, name) for name in self.list_commands(context)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(10_000)) for name, each in commands.items() if each]
            )


class OneOfGroup(ListedGroup, DefaultGroup):
    """A group with a default command; a first word that is no command is not taken for a value."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command; what begins with a dash belongs to the default one."""
        if name not in self.commands and not name.startswith("-"):
            context.fail(no_such_command(name, self.commands))
        command: click.Command | None = super().get_command(context, name)
        return command


class Guided(Helpful):
    """A command whose help ends with the guide of examples."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the guide as it stands: its examples must not be wrapped."""
        formatter.write_paragraph()
        formatter.write(read_text("data", "help/guide.txt"))


class OnceCommand(Helpful):
    """Refuses an option given twice that can be given once: silently taking the last one lies."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Know `-h`, also in a context of its own: click keeps what the first context says."""
        super().__init__(*arguments, **settings)
        self.context_settings = {"help_option_names": ["-h", "--help"], **self.context_settings}

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Check the options, then parse them as click does."""
        if "--help" not in args and "-h" not in args:
            _, rest, order = self.make_parser(context).parse_args(args=list(args))
            self._refuse_doubled(context, order)
            group = context.parent.command if context.parent else None
            if isinstance(group, click.Group) and context.parent:
                for word in set(rest) & set(group.list_commands(context.parent)):
                    context.fail(
                        f"a command's name comes first: {context.parent.command_path} {word} …"
                    )
        return super().parse_args(context, args)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections."""
        write_sections(self, context, formatter)

    @staticmethod
    def _refuse_doubled(context: click.Context, order: list[click.Parameter]) -> None:
        once = [
            "/".join(option.opts)
            for option in order
            if isinstance(option, click.Option) and not option.multiple
        ]
        for name in once:
            if once.count(name) > 1:
                context.fail(f"{name} can be given only once")
