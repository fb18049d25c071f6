"""`agentpprof ask`: the worked questions of the cookbook."""

from typing import Any, Unpack

import click

from agentpprof.commands.asking_options import WordsCommand, asking_options, parameter_option
from agentpprof.commands.completing import questions
from agentpprof.commands.sections import QUESTION, option
from agentpprof.cookbook import read_recipe, recipe_names
from agentpprof.errors import UsageError
from agentpprof.models import Answer
from agentpprof.option_groups import AnswerOptions, DatabaseOptions
from agentpprof.output import STDOUT, write_output
from agentpprof.runs.asking import asked_database, chosen_format, read_parameters, write_answer
from agentpprof.store.guard import Limits, opened_guarded

_LIMITS = Limits(seconds=60)  # ours end; a large history takes some seconds


class AskOptions(DatabaseOptions, AnswerOptions):
    """The options of `agentpprof ask`."""

    parameters: tuple[str, ...]
    show_sql: bool


@click.command("ask", cls=WordsCommand)
@click.argument(
    "name", required=False, shell_complete=lambda _context, _parameter, text: questions(text)
)
@parameter_option
@option(QUESTION, "--show-sql", is_flag=True, help="Print the statement instead of asking it.")
@asking_options
def command(name: str | None, **options: Unpack[AskOptions]) -> None:
    """Ask a worked question; without a name, list them.

    It is about all projects unless -p project=NAME names one; texts are shown where a parameter
    asks for them.

    \b
      agentpprof ask
      agentpprof ask prompts-by-tokens -p limit=5
    """
    chosen_format(options)
    parameters = read_parameters(options["parameters"])
    if name is None:
        if parameters or options["show_sql"]:
            raise UsageError("name a question: agentpprof ask lists them")
        write_answer(listed_questions(), options, ("parameters",))
        return
    recipe = read_recipe(name)
    filled = recipe.filled(parameters)
    if options["show_sql"]:
        write_output(recipe.sql.encode(), STDOUT)
        return
    with asked_database(options) as path, opened_guarded(path) as guarded:
        answer = guarded.run(recipe.sql, filled, _LIMITS)
    write_answer(answer, options)


def listed_questions() -> Answer:
    """Return all questions with their parameters."""
    rows: list[tuple[Any, ...]] = []
    for recipe in map(read_recipe, recipe_names()):
        parameters = ", ".join(
            f"{each.name}={'null' if each.default is None else each.default}"
            for each in recipe.parameters
        )
        rows.append((recipe.name, recipe.question, parameters))
    return Answer(("name", "question", "parameters"), rows)
