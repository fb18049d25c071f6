"""Folders of the person who runs this: home, data, configuration, cache.

A service or a container may run without a home folder. Named databases and logs then work all the
same; what needs the home says so in a line.
"""

import os
from pathlib import Path
from typing import Final, Literal

from agentpprof.errors import NoHomeError

_NO_HOME: Final = (
    "there is no home folder: set HOME, or name --db, and --claude-root or --codex-root"
)


def home() -> str:
    """Return the home folder, empty where there is none."""
    found = os.path.expanduser("~")  # noqa: PTH111 # it raises nothing where there is none
    return found if Path(found).is_absolute() else ""


def expanded(text: str) -> Path:
    """Return a path with `~` or `~name` in front replaced; raises NoHomeError."""
    found = Path(os.path.expanduser(text))  # noqa: PTH111 # the same
    if text.startswith("~") and not found.is_absolute():
        raise NoHomeError(_NO_HOME if text.split("/")[0] == "~" else f"{text}: no such user")
    return found


def with_tilde(path: str | os.PathLike[str]) -> str:
    """Return a path as messages show it: `~` stands for the home folder."""
    text, above = os.fspath(path), home()
    is_below = bool(above) and (text == above or text.startswith(above + "/"))
    return "~" + text[len(above) :] if is_below else text


def user_folder(kind: Literal["data", "config", "cache"]) -> Path:
    """Return the folder that the system has for our data; raises NoHomeError."""
    import platformdirs

    found = {
        "data": platformdirs.user_data_path,
        "config": platformdirs.user_config_path,
        "cache": platformdirs.user_cache_path,
    }[kind]
    try:
        folder = found("agentpprof", appauthor=False)
    except RuntimeError:  # newer versions; older ones return `~` as it is
        raise NoHomeError(_NO_HOME) from None
    if not folder.is_absolute():
        raise NoHomeError(_NO_HOME)
    return folder
