"""Start-up: passes that find nothing and outputs that are kept load no heavy module."""

import subprocess
import sys
from pathlib import Path

from command_line import run, write_history

INDEXER = "agentpprof.ingest.indexer"
HEAVY = (
    "agentpprof.profile.gather",
    "agentpprof.runs.setting_faults",
    "agentpprof.semantics.shell",
    "asyncio",
    "dataclasses",
    "google.protobuf",
    "httpx",
    "msgspec",
    "rich",
    "sqlite_utils",
    "tree_sitter",
    "watchdog",
)
PROGRAM = f"""
import os, sys
from agentpprof import cli
def end(code):
    print(sorted(set({(INDEXER, *HEAVY)!r}) & set(sys.modules)), file=sys.stderr)
    sys.stderr.flush()
    os._exit(code)
cli._exit = end
cli.main(sys.argv[1:])
end(0)
"""


def loaded(*arguments: str | Path) -> str:
    """Run the command line in a process of its own; return the heavy modules that it loaded."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stderr.splitlines()[-1]


def test_a_pass_that_finds_nothing_loads_nothing_heavy(isolated_machine: Path) -> None:
    write_history(isolated_machine)
    assert run("index").code == 0
    assert loaded("index", "-q") == f"[{INDEXER!r}]"


def test_an_output_that_is_kept_loads_nothing_heavy(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    profile = ("-o", tmp_path / "a.pb.gz", "--all-projects", "-q")
    assert run(*profile).code == 0
    assert loaded(*profile) == f"[{INDEXER!r}]"
    assert loaded(*profile, "--no-sync") == "[]"


def test_a_profile_loads_what_it_needs(isolated_machine: Path, tmp_path: Path) -> None:
    """The control: what is looked for is found where it is used."""
    write_history(isolated_machine)
    assert run("index").code == 0
    found = loaded("-o", tmp_path / "a.pb.gz", "--all-projects", "-q")
    assert "agentpprof.profile.gather" in found
    assert "google.protobuf" in found
