"""Help texts: the same option is told in the same words, and nothing is cut, however narrow."""

from collections import defaultdict

import click
import pytest
from click.testing import CliRunner
from command_line import every_command

from agentpprof.cli import group

# Options that mean another thing in another command, or are shown as what they are there for.
OF_ITS_OWN = {
    "--format", "--include-previews", "--json", "--kind", "--no-sync", "--output", "--project",
    "--project-root", "--session-id", "--sort", "--tag", "--tag-rule", "--yes",
}  # fmt: skip


def test_an_option_is_told_in_the_same_words_everywhere() -> None:
    told: dict[str, set[tuple[str | None, str | None]]] = defaultdict(set)
    for names, command in every_command():
        for option in command.params:
            if isinstance(option, click.Option) and names != ("config", "show"):
                told[max(option.opts, key=len)].add((option.help, option.metavar))
    assert {name for name, texts in told.items() if len(texts) > 1} <= OF_ITS_OWN


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_help_is_cut_or_wider_than_the_terminal(width: int) -> None:
    for names, command in every_command():
        told = (
            CliRunner()
            .invoke(group, [*names, "--help"], prog_name="agentpprof", terminal_width=width)
            .output
        )
        assert "..." not in told.replace("[ARGS]...", "").replace("WORDS...", "")
        assert "Commands:" in told or not isinstance(command, click.Group)
        # Commands to copy stay whole; everything else fits.
        options = told[told.index("Options:" if "Options:" in told else "Other:") :]
        guide = options.find("What comes out")
        words = (line for line in options[: guide if guide >= 0 else None].splitlines())
        assert [line for line in words if len(line) > width and " " in line.strip()] == []
