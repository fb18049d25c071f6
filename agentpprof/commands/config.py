"""`agentpprof config`: what is set, and where each value comes from."""

import os
from typing import Any

import click

from agentpprof.commands.options import debug_option, store_options
from agentpprof.commands.sections import OUTPUT, ListedGroup, OnceCommand, option
from agentpprof.config import SETTINGS, config_path, settings
from agentpprof.models import Answer
from agentpprof.runs.setting_faults import setting_faults
from agentpprof.store.database import default_path
from agentpprof.text.printing import print_table
from agentpprof.text.telling import say, say_json


@click.group("config", cls=ListedGroup)
def command() -> None:
    """Show the settings of config.toml in your configuration folder.

    A flag wins over an environment variable, that over the file, that over the default.

    \b
      agentpprof config path
      agentpprof config show
    """


@command.command("path", cls=OnceCommand)
def path_command() -> None:
    """Print where the file is looked for; AGENTPPROF_CONFIG names another."""
    say(str(config_path()))


@command.command("show", cls=OnceCommand)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object.")
@option("Settings", "--project-root", metavar="DIR", help="As for a profile.")
@option("Settings", "--all-projects", is_flag=True, help="As for a profile.")
@option(
    "Settings",
    "--tag-rule",
    "tag_rules",
    multiple=True,
    metavar="KIND:TAG=REGEX",
    help="As for a profile.",
)
@option(
    "Settings",
    "--op-map-file",
    "op_map_files",
    multiple=True,
    metavar="PATH",
    help="As for a profile.",
)
@option("Settings", "--llama-url", metavar="URL", help="As for a profile.")
@option("Settings", "--model", metavar="NAME", help="As for a profile.")
@store_options
@debug_option
def show_command(as_json: bool, **flags: Any) -> None:
    """Print every setting, its value and its source: flag, environment, file or default.

    Takes the flags of a profile that set one, to see what they change. Values that no run could
    use are told below, with where they come from.
    """
    found = settings(flags)
    faults = list(setting_faults(found, flags["database"]))
    if found["database"].source == "default":
        found["database"] = found["database"]._replace(value=str(default_path()))
    place = config_path()
    if as_json:
        document = {name: setting._asdict() for name, setting in found.items()}
        whole = {
            "file": str(place),
            "exists": place.exists(),
            "settings": document,
            "faults": faults,
        }
        say_json(whole)
        return
    say(f"{place}{'' if place.exists() else ' (not there)'}\n")
    rows: list[tuple[Any, ...]] = []
    for name, setting in found.items():
        value = setting.value if isinstance(setting.value, str) else ", ".join(setting.value)
        variable = SETTINGS[name].variable
        is_named = setting.source == "environment" and os.environ.get(variable)
        rows.append((name, value, variable if is_named else setting.source, SETTINGS[name].meaning))
    print_table(Answer(("setting", "value", "from", "meaning"), rows))
    for text in faults:
        say(f"wrong: {text}")
