"""`agentpprof demo`: profiles of a bundled, invented history, for people without logs."""

import tempfile
from pathlib import Path

import click

from agentpprof.commands.options import debug_option
from agentpprof.commands.profile import profile_defaults
from agentpprof.commands.sections import OnceCommand
from agentpprof.encoders import encoder
from agentpprof.encoders.samples import stack_values
from agentpprof.option_groups import ProfileOptions
from agentpprof.output import write_output
from agentpprof.profile.top import NAMING_KINDS, top_rows
from agentpprof.profile.views import VIEWS
from agentpprof.resources import folder
from agentpprof.runs.asked import read_flags
from agentpprof.runs.making import Made, make_profile
from agentpprof.text.printing import paper_of_stdout, print_lines
from agentpprof.text.telling import say
from agentpprof.text.top_text import Line, Paper, head_lines, row_lines

_FORMATS = (".svg", ".pb.gz", ".folded")
_ROWS = 6  # of each view


@click.command("demo", cls=OnceCommand)
@click.option(
    "-o", "--output", "target", default="demo", show_default=True, help="Folder to write to."
)
@debug_option
def command(target: str) -> None:
    """Write all five views of a bundled example history and print the top of each."""
    with tempfile.TemporaryDirectory(prefix="agentpprof-demo-") as temporary:
        database = str(Path(temporary) / "agentpprof.db")
        for view in VIEWS.values():
            made = _write_view(view.name, Path(target), database)
            print_lines(_lines(made, f"one unit of width is {view.counts}", paper_of_stdout()))
    say(f"Open {Path(target) / 'tokens.svg'} in a browser.")


def _lines(made: Made, unit: str, paper: Paper) -> list[Line]:
    """Return the largest frames of a view as `agentpprof top` shows them."""
    title, _, gap = head_lines(made.profile, made.sessions, paper)
    rows = top_rows(stack_values(made.profile), NAMING_KINDS)[:_ROWS]
    return [title, [(unit, "dim")], gap, *row_lines(rows, made.profile, paper), gap]


def _write_view(view: str, target: Path, database: str) -> Made:
    """Write one view in each format; returns it as it was made last."""
    for extension in _FORMATS:
        output = str(target / f"{view}{extension}")
        asked = read_flags({**demo_options(database), "output": output, "view_name": view})
        made = make_profile(asked)
        write_output(encoder(asked.format).encode(made.profile, asked.output_options), output)
    return made


def demo_options(database: str) -> ProfileOptions:
    """Return a profile's options for the bundled history."""
    homes = folder("data") / "demo"
    return {
        **profile_defaults(),
        "all_projects": True,
        "claude_roots": (str(homes / "claude" / ".claude"),),
        "codex_roots": (str(homes / "codex" / ".codex"),),
        "database": database,
        "quiet": True,
    }
