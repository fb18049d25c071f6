"""Settings that a person makes once: `config.toml` in their own configuration folder.

A flag wins over an environment variable, that over the file, that over the default. The file is
looked for in one place only, never in a project's folder: a cloned repository must not decide what
is read or whom it is sent to.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

from agentpprof.agents import AGENTS
from agentpprof.defaults import DATABASE_VARIABLE, DEFAULT_LLAMA_URL, DEFAULT_MODEL
from agentpprof.errors import NoHomeError, UsageError, did_you_mean
from agentpprof.option_groups import ModelOptions, ProfileOptions, ProjectOptions
from agentpprof.origins import Configured
from agentpprof.places import expanded, user_folder

if TYPE_CHECKING:
    from agentpprof.tagging.tagger import Tagger

AskingModel = TypeVar("AskingModel", bound=ModelOptions)
OfProject = TypeVar("OfProject", bound=ProjectOptions)
PLACE: Final = "AGENTPPROF_CONFIG"
ALL: Final = "all"


class Definition(NamedTuple):
    """One setting: its variable, what parts a list in it, its option and its meaning."""

    variable: str
    separator: str  # empty: one text, no list
    option: str  # key of the option that sets it on a command line
    default: str | tuple[str, ...]
    meaning: str
    is_path: bool = False
    in_file: bool = True


def _roots_of(agent: str) -> str:
    """Return the name of the setting that holds an agent's homes."""
    return f"{agent}_roots"


HOMES: Final = tuple(_roots_of(name) for name in AGENTS)
SETTINGS: Final[Mapping[str, Definition]] = {
    **{
        _roots_of(name): Definition(
            agent.home_variable,
            ",",
            _roots_of(name),
            agent.homes,
            f"homes of {agent.title}, read into your own database",
            is_path=True,
        )
        for name, agent in AGENTS.items()
    },
    "database": Definition(
        DATABASE_VARIABLE,
        "",
        "database",
        "in your data folder",
        "the database; agentpprof status says where",
        is_path=True,
        in_file=False,
    ),
    "project": Definition(
        "AGENTPPROF_PROJECT",
        "",
        "project_root",
        ".",
        f"the project of a run that names none; {ALL} is every project",
        is_path=True,
    ),
    "tag_rules": Definition(
        "AGENTPPROF_TAG_RULES", "\n", "tag_rules", (), "rules behind those of --tag-rule"
    ),
    "op_map_files": Definition(
        "AGENTPPROF_OP_MAP_FILES",
        os.pathsep,
        "op_map_files",
        (),
        "files behind those of --op-map-file",
        is_path=True,
    ),
    "llama_url": Definition(
        "AGENTPPROF_LLAMA_URL",
        "",
        "llama_url",
        DEFAULT_LLAMA_URL,
        "the server of --tagger llm; nothing is sent without that flag",
    ),
    "model": Definition("AGENTPPROF_MODEL", "", "model", DEFAULT_MODEL, "the model's name there"),
}


class Setting(NamedTuple):
    """A value and where it comes from: flag, environment, file or default."""

    value: str | tuple[str, ...]
    source: str


def config_path() -> Path:
    """Return the one place where the file may be; raises NoHomeError."""
    named = os.environ.get(PLACE)
    if named:
        return expanded(named)
    return user_folder("config") / "config.toml"


def read_file() -> dict[str, Any]:
    """Return what the file sets, checked; raises UsageError that names file and setting."""
    try:
        path = config_path()
    except NoHomeError:
        return {}
    if not path.exists():
        if os.environ.get(PLACE):
            raise UsageError(f"{PLACE}={path}: there is no such file")
        return {}
    import tomllib

    try:
        found = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path} can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is no TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} is no configuration: its lists nest too deep") from None
    return {name: _checked(name, value, path) for name, value in found.items()}


def _checked(name: str, value: Any, path: Path) -> str | tuple[str, ...]:
    """Return one setting of the file as text or texts; paths are relative to the file's folder."""
    definition = SETTINGS.get(name)
    if definition is None or not definition.in_file:
        known = [each for each, made in SETTINGS.items() if made.in_file]
        hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
        raise UsageError(f"{path}: unknown setting {name!r}: {hint}")
    if definition.separator:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UsageError(f'{path}: {name} is a list of texts: {name} = ["…", "…"]')
        if definition.separator == "," and any("," in each for each in value):
            raise UsageError(f"{path}: {name}: a folder's name can't hold a comma")
        return tuple(_placed(each, definition, f"{path}: {name}") for each in value)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{path}: {name} is a text: {name} = "…"')
    return value if value == ALL else _placed(value, definition, f"{path}: {name}")


def _placed(text: str, definition: Definition, origin: str) -> str:
    """Return a text of the file that knows its place; paths are relative to the file's folder."""
    if not definition.is_path:
        return Configured(text, f"{origin}:")
    try:
        return Configured(str(config_path().parent / expanded(text)), f"{origin}:")
    except NoHomeError as error:
        raise UsageError(f"{origin}: {error}") from None


def settings(flags: Mapping[str, Any]) -> dict[str, Setting]:
    """Return every setting with its source; `flags` are the options of a command line."""
    in_file = read_file()
    return {name: _setting(name, flags, in_file) for name in SETTINGS}


def _setting(name: str, flags: Mapping[str, Any], in_file: Mapping[str, Any]) -> Setting:
    definition = SETTINGS[name]
    flag = flags.get(definition.option)
    if name == "project" and flags.get("all_projects"):
        flag = ALL
    if flag:
        return Setting(tuple(flag) if definition.separator else str(flag), "flag")
    text = os.environ.get(definition.variable, "")
    if text.strip():
        return Setting(_split(text, definition), "environment")
    if name in in_file:
        return Setting(in_file[name], "file")
    return Setting(definition.default, "default")


def _split(text: str, definition: Definition) -> str | tuple[str, ...]:
    origin = f"{definition.variable}:"
    if not definition.separator:
        return Configured(text, origin)
    parts = (part.strip() for part in text.split(definition.separator))
    return tuple(Configured(part, origin) for part in parts if part)


def configured_environment() -> dict[str, str]:
    """Return the environment, with the file's homes of agents where no variable names some."""
    in_file = read_file()
    environment = dict(os.environ)
    for name, agent in AGENTS.items():
        homes = in_file.get(_roots_of(name))
        if homes and not environment.get(agent.home_variable, "").strip():
            environment[agent.home_variable] = ",".join(homes)
    return environment


def configured_tagger() -> "Tagger":
    """Return the tagger whose tags the database's views show: configured rules, then our own."""
    from agentpprof.tagging.rules import parse_tag_rule
    from agentpprof.tagging.tagger import Tagger

    return Tagger(tuple(parse_tag_rule(text) for text in configured_tag_rules()))


def configured_tag_rules() -> tuple[str, ...]:
    """Return the configured rules for tags, as they were written."""
    return tuple(settings({})["tag_rules"].value)


def with_configuration(options: ProfileOptions) -> ProfileOptions:
    """Return a profile's options, filled in from environment and file; flags win."""
    found = settings({})
    filled = _with_project(options, found)
    if filled["tagger_name"] == "llm":
        filled = _with_server(filled, found)
    else:
        filled["tag_rules"] = (*filled["tag_rules"], *found["tag_rules"].value)
    filled["op_map_files"] = (*filled["op_map_files"], *found["op_map_files"].value)
    return filled


def with_model_server(options: AskingModel) -> AskingModel:
    """Return options with the model's server of environment and file; flags win."""
    return _with_server(options, settings({}))


def _with_server(options: AskingModel, found: Mapping[str, Setting]) -> AskingModel:
    filled = options.copy()
    name: Literal["llama_url", "model"]
    for name in ("llama_url", "model"):
        value, source = found[name]
        if filled[name] is None and source != "default" and isinstance(value, str):
            filled[name] = value
    return filled


def with_default_project(options: OfProject) -> OfProject:
    """Return options with the default project; logs named one by one are of any project."""
    return _with_project(options, settings({}))


def _with_project(options: OfProject, found: Mapping[str, Setting]) -> OfProject:
    filled = options.copy()
    is_named = filled["project_root"] is not None or filled["all_projects"]
    if is_named or filled["session_files"]:
        return filled
    value, source = found["project"]
    if source != "default" and value == ALL:
        filled["all_projects"] = True
    elif source != "default" and isinstance(value, str):
        filled["project_root"] = value
    return filled
