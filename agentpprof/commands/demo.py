"""`agentpprof demo`: profiles of a bundled, invented history, for people without logs."""

import tempfile
from pathlib import Path

import click

from agentpprof.commands import profile as profile_module
from agentpprof.commands.asked import read_flags
from agentpprof.commands.making import make_profile
from agentpprof.commands.sections import OnceCommand
from agentpprof.commands.telling import say
from agentpprof.encoders import encoder
from agentpprof.output import write_output
from agentpprof.profile.top import top_lines
from agentpprof.profile.views import VIEWS
from agentpprof.resources import folder

_FORMATS = (".svg", ".pb.gz", ".folded")


@click.command("demo", cls=OnceCommand)
@click.option(
    "-o", "--output", "target", default="demo", show_default=True, help="Folder to write to."
)
@click.option("--debug", is_flag=True, help="Show where an error came from.")
def command(target: str, debug: bool) -> None:
    """Write all five views of a bundled example history and print the top of each."""
    with tempfile.TemporaryDirectory(prefix="agentpprof-demo-") as temporary:
        database = str(Path(temporary) / "agentpprof.db")
        for view in VIEWS.values():
            say(f"\n{view.name}: one unit is {view.counts}")
            for line in _write_view(view.name, Path(target), database):
                say(line)
    say(f"\nOpen {Path(target) / 'tokens.svg'} in a browser.")


def _write_view(view: str, target: Path, database: str) -> list[str]:
    """Write one view in each format; returns the lines of its largest frames."""
    lines: list[str] = []
    for extension in _FORMATS:
        output = str(target / f"{view}{extension}")
        asked = read_flags({**demo_options(database), "output": output, "view_name": view})
        made = make_profile(asked)
        write_output(encoder(asked.format).encode(made.profile, asked.output_options), output)
        lines = top_lines(made.profile, rows=6)
    return lines


def demo_options(database: str) -> dict[str, object]:
    """Return a profile's options for the bundled history."""
    homes = folder("data") / "demo"
    profile = profile_module.command
    defaults = profile.make_context("profile", [], resilient_parsing=True).params
    return {
        **defaults,
        "all_projects": True,
        "claude_roots": (str(homes / "claude" / ".claude"),),
        "codex_roots": (str(homes / "codex" / ".codex"),),
        "database": database,
        "quiet": True,
    }
