"""Watch from login on: a user's service of systemd, or an agent of launchd.

Only text is made here and put in its place; the service manager's own program is run by a function
that comes from outside. The foreground `agentpprof watch` is all that a service starts.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from agentpprof.agents import AGENTS
from agentpprof.errors import AgentPprofError
from agentpprof.output import write_output
from agentpprof.places import expanded
from agentpprof.resources import read_text

SYSTEMD_NAME = "agentpprof.service"
LAUNCHD_NAME = "io.agentpprof.watch.plist"
_LABEL = LAUNCHD_NAME.removesuffix(".plist")

Run = Callable[[Sequence[str]], int]  # runs a command, returns its exit code


class Service(NamedTuple):
    """A service as it would be installed."""

    path: Path
    text: str
    start: tuple[tuple[str, ...], ...]  # commands that make it run now and from login on
    stop: tuple[tuple[str, ...], ...]
    ask: tuple[str, ...]  # says, by its exit code, whether it runs


def service_for(database: Path, platform: str = sys.platform) -> Service:
    """Return the service of this system; raises AgentPprofError where there is none."""
    database = database.absolute()
    command = [*_environment(), _program(), "watch", "--quiet", "--db", str(database)]
    if any("\n" in word for word in command):
        raise AgentPprofError("a service can't hold a path with a line break: name another --db")
    if platform == "darwin":
        return _launchd(command)
    if platform == "linux":
        return _systemd(command, database.parent)
    raise AgentPprofError("there is no service for this system: run agentpprof watch at login")


def install(service: Service, run: Run) -> bool:
    """Write the service's file and start it; False when the service manager refused."""
    write_output(service.text.encode(), str(service.path))
    return all(run(command) == 0 for command in service.start)


def uninstall(service: Service, run: Run) -> bool:
    """Stop the service and remove its file; False when none was installed."""
    if not service.path.exists():
        return False
    commands, last = service.stop[:1], service.stop[1:]
    for command in commands:
        run(command)
    service.path.unlink()
    for command in last:
        run(command)
    return True


def run_quietly(command: Sequence[str]) -> int:
    """Run a program of the service manager; 127 where it is not there."""
    place = shutil.which(command[0])
    if place is None:
        return 127
    done = subprocess.run([place, *command[1:]], capture_output=True, timeout=30, check=False)  # noqa: S603 # fixed words
    return done.returncode


def _program() -> str:
    """Return the installed program that runs now, else this Python's module."""
    place = Path(sys.argv[0]).absolute()
    beside = Path(sys.executable).with_name("agentpprof")
    return str(place if place.name == "agentpprof" and place.exists() else beside)


def _environment() -> list[str]:
    """Return what carries over where the logs lie, as a command that sets it."""
    homes = (agent.home_variable for agent in AGENTS.values())
    named = [f"{name}={os.environ[name]}" for name in homes if os.environ.get(name)]
    return ["/usr/bin/env", *named] if named else []


def _systemd(command: Sequence[str], folder: Path) -> Service:
    home = Path(os.environ.get("XDG_CONFIG_HOME") or expanded("~/.config"))
    path = home / "systemd" / "user" / SYSTEMD_NAME
    text = read_text("data", f"service/{SYSTEMD_NAME}")
    text = text.replace("{command}", " ".join(map(_systemd_word, command)))
    text = text.replace("{folder}", _systemd_word(str(folder)))
    control = ("systemctl", "--user")
    return Service(
        path,
        text,
        ((*control, "daemon-reload"), (*control, "enable", "--now", SYSTEMD_NAME)),
        ((*control, "disable", "--now", SYSTEMD_NAME), (*control, "daemon-reload")),
        (*control, "is-active", "--quiet", SYSTEMD_NAME),
    )


def _systemd_word(word: str) -> str:
    """Quote a word of a unit: `%` and `$` would be expanded, blanks would split it."""
    for letter, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(letter, written)
    return f'"{word}"'


def _launchd(command: Sequence[str]) -> Service:
    path = expanded("~/Library") / "LaunchAgents" / LAUNCHD_NAME
    arguments = "\n".join(f"    <string>{escape(word, quote=False)}</string>" for word in command)
    text = read_text("data", f"service/{LAUNCHD_NAME}").replace("{arguments}", arguments)
    domain = f"gui/{os.getuid()}"
    return Service(
        path,
        text,
        (("launchctl", "bootstrap", domain, str(path)),),
        (("launchctl", "bootout", f"{domain}/{_LABEL}"),),
        ("launchctl", "print", f"{domain}/{_LABEL}"),
    )
