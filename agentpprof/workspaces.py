"""Which project a working folder belongs to.

The nearest ancestor with `.git`, below the home folder, where the folder still exists; else the
folder itself. Worktrees are folded into their project by their place, or by what `.git` says.
"""

import os
import re
from pathlib import Path, PurePath
from typing import NamedTuple

from agentpprof import places

# Where tools put worktrees, seen from the project's root.
WORKTREE_FOLDERS = (".claude/worktrees", ".worktrees")
_WORKTREE = re.compile(rf"^(.+?)/(?:{'|'.join(map(re.escape, WORKTREE_FOLDERS))})(?:/.*)?$")
_GIT_POINTER = re.compile(r"gitdir:\s*(.+)")


class Workspace(NamedTuple):
    """A project's root, its name, and its parent's name to tell equal names apart."""

    root: str
    project: str
    parent: str


def find_workspace(cwd: str) -> Workspace:
    """Return the workspace of a folder; it need not exist on this machine."""
    folded = _WORKTREE.match(cwd)
    root = folded.group(1) if folded else _git_root(cwd) or cwd
    root = root.rstrip("/\\") or root
    name = re.split(r"[/\\]", root)[-1] or "root"
    parent = re.split(r"[/\\]", root[: -len(name)].rstrip("/\\"))[-1]
    return Workspace(root, name, parent)


def _git_root(cwd: str) -> str | None:
    """Return the nearest folder with `.git` at or above `cwd`, below home; None without one."""
    start = PurePath(cwd)
    if not start.is_absolute():
        return None
    home = Path(places.home())
    for place in (start, *start.parents):
        folder = Path(place)
        if folder in (home, Path(folder.anchor)):
            return None
        try:
            git = folder / ".git"
            if git.is_dir():
                return str(folder)
            if git.is_file():
                return _main_checkout(git) or str(folder)
        except OSError:
            return None
    return None


def _main_checkout(pointer: Path) -> str | None:
    """Follow the `.git` file of a worktree to the checkout that it belongs to."""
    try:
        found = _GIT_POINTER.match(pointer.read_text(encoding="utf-8", errors="replace")[:4096])
    except OSError:
        return None
    if not found:
        return None
    # Newer versions of git may write it relative to where it stands.
    target = PurePath(os.path.normpath(pointer.parent / found.group(1).strip()))
    parts = target.parts
    if "worktrees" not in parts or ".git" not in parts:
        return None  # a submodule is a project of its own
    return str(PurePath(*parts[: parts.index(".git")]))
