"""Find log files: directory listings only, nothing is opened.

Links below a root are not followed, so a loop can't trap the walk; a root itself may be a link.
A file that two roots or two hard links show is one file.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from agentpprof import places
from agentpprof.agents import AGENTS
from agentpprof.models import COMPRESSED_SUFFIX, LogFile

_NAME = attrgetter("name")


class Root(NamedTuple):
    """A folder to walk for one agent's logs: its absolute path, by which its logs are known."""

    agent: str
    path: str


def default_roots(environment: Mapping[str, str]) -> list[Root]:
    """Return the folders of all agents, from the environment or the usual homes."""
    roots = []
    for name, agent in AGENTS.items():
        listed = environment.get(agent.home_variable, "")
        homes = [home.strip() for home in listed.split(",") if home.strip()] or agent.homes
        for home in homes:
            if home.startswith("~") and not places.home():
                continue  # nobody's logs can lie there
            place = places.expanded(home).absolute()
            if place.name in agent.log_folders:
                roots.append(Root(name, str(place)))
            else:
                roots += [Root(name, str(place / folder)) for folder in agent.log_folders]
    return roots


def roots_in(agent: str, folder: str) -> list[Root]:
    """Return the log folders that an option names: an agent's home, or any folder of logs."""
    whole = os.path.abspath(folder)  # noqa: PTH100 # links stay, `..` goes
    below = [Path(whole) / name for name in AGENTS[agent].log_folders]
    found = [Root(agent, str(place)) for place in below if place.is_dir()]
    return found or [Root(agent, whole)]


def find_log_files(roots: Iterable[Root], unreadable: list[str]) -> Iterator[LogFile]:
    """Yield every log file below the roots once; `unreadable` gets what can't be listed."""
    seen: set[tuple[int, int]] = set()
    for root in _distinct(roots):
        for log_file in _walk(root, unreadable):
            if (log_file.device, log_file.inode) not in seen:
                seen.add((log_file.device, log_file.inode))
                yield log_file


def _distinct(roots: Iterable[Root]) -> Sequence[Root]:
    """Drop roots that are another one under a different name."""
    by_place = {(root.agent, os.path.realpath(root.path)): root for root in reversed(list(roots))}
    return list(reversed(by_place.values()))


def _walk(root: Root, unreadable: list[str]) -> Iterator[LogFile]:
    is_log_name = AGENTS[root.agent].log_name.match
    folders = [root.path]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=_NAME, reverse=True)
        except OSError:
            if folder != root.path or os.path.lexists(folder):
                unreadable.append(folder)
            continue
        names = {entry.name for entry in entries}
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif is_log_name(entry.name) and entry.is_file(follow_symlinks=False):
                    plain = entry.name.removesuffix(COMPRESSED_SUFFIX)
                    if plain != entry.name and plain in names:
                        continue  # both forms exist for a moment: the plain one wins
                    yield LogFile.of(entry.path, root.agent, entry.stat(follow_symlinks=False))
            except OSError:
                unreadable.append(entry.path)
