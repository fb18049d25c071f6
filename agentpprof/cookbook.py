"""The cookbook: worked questions as SQL files, `sql/cookbook/*.sql`.

The head comment of a file is its question; `-- :limit = 20  how many rows` declares a parameter
with its default. Everything else is one statement over the views.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from agentpprof.errors import UsageError, did_you_mean
from agentpprof.resources import folder, read_text

_PARAMETER = re.compile(r"-- :(\w+) = (\S+)\s*(.*)")
_WHOLE_NUMBER = re.compile(r"-?\d+")


class Parameter(NamedTuple):
    """One parameter of a question."""

    name: str
    default: int | str | None
    meaning: str


class Recipe(NamedTuple):
    """One worked question."""

    name: str
    question: str
    parameters: tuple[Parameter, ...]
    sql: str

    def filled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, the given ones over the defaults; raises UsageError."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        for name, value in given.items():
            if name not in defaults:
                there = ", ".join(defaults) or "none"
                raise UsageError(f"{self.name} has no parameter {name}; it has {there}")
            if isinstance(defaults[name], int) and not isinstance(value, int):
                shown = "null" if value is None else value
                raise UsageError(
                    f"-p {name}={shown}: write a whole number, for example -p "
                    f"{name}={defaults[name]}"
                )
        return {**defaults, **given}


def recipe_names() -> list[str]:
    """Return the names of all questions."""
    return sorted(path.stem for path in (folder("sql") / "cookbook").glob("*.sql"))


def read_recipe(name: str) -> Recipe:
    """Return one question by name; raises UsageError with the nearest names."""
    names = recipe_names()
    if name not in names:
        hint = did_you_mean(name, names, most=3, cutoff=0.5) or "agentpprof ask lists them"
        raise UsageError(f"no question is called {name!r}: {hint}")
    return parse_recipe(name, read_text("sql", f"cookbook/{name}.sql"))


def parse_recipe(name: str, text: str) -> Recipe:
    """Take a file apart: question, parameters, statement."""
    lines = text.splitlines()
    head = next((at for at, line in enumerate(lines) if not line.startswith("--")), len(lines))
    question: list[str] = []
    parameters: list[Parameter] = []
    for line in lines[:head]:
        found = _PARAMETER.fullmatch(line)
        if found:
            parameters.append(Parameter(found[1], _default(found[2]), found[3]))
        else:
            question.append(line.removeprefix("--").strip())
    sql = "\n".join(lines[head:]).strip() + "\n"
    return Recipe(name, " ".join(question), tuple(parameters), sql)


def _default(text: str) -> int | str | None:
    if text == "null":
        return None
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else text


def datasette_metadata() -> dict[str, Any]:
    """Return the cookbook as canned queries; Datasette gives every parameter as text, or empty."""
    queries = {}
    for recipe in map(read_recipe, recipe_names()):
        sql = recipe.sql.replace(":project is null", ":project = ''")
        for parameter in recipe.parameters:
            if parameter.default is not None:
                # Empty means the default, and a number has to be one.
                value = f"cast(coalesce(nullif(:{parameter.name}, ''), {parameter.default}) as int)"
                sql = re.sub(rf":{parameter.name}\b", value, sql)
        queries[recipe.name] = {"title": recipe.question, "sql": sql}
    views = {"title": "History of AI coding agents", "queries": queries}
    return {"title": "agentpprof", "databases": {"agentpprof": views}}
