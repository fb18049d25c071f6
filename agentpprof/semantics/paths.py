"""Paths: one normal form per file whatever its spelling, and groups that give away no names.

Everything here is text: nothing is looked up on the disk, as logs outlive the files they name.
"""

import re
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from agentpprof.defaults import DEFAULT_PATH_DEPTH

_DRIVE = re.compile(r"^[A-Za-z]:(?=[\\/]|$)")
_UNCLEAN = re.compile(r"//|/\.{1,2}(?:/|$)|/$")
_SPECIAL = re.compile(r"^[/~]|[\\:]")
_HOME = re.compile(
    r"^(?:[a-z]:)?/(?:home|users)/[^/]+|^/root(?=/|$)|^/var/root(?=/|$)", re.IGNORECASE
)
_TEMPORARY = re.compile(
    r"^(?:/private)?(?:/var)?/tmp(?:/|$)|^(?:/private)?/var/folders/"
    r"|^/dev/shm(?:/|$)|^[a-z]:/(?:windows/)?te?mp(?:/|$)|/appdata/local/temp(?:/|$)",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"^/(?:usr|etc|bin|sbin|lib|lib64|opt|proc|sys|dev|run|var|boot|nix|snap|library|system|applications"
    r"|private|cores)(?:/|$)|^[a-z]:/(?:windows|program files|programdata)",
    re.IGNORECASE,
)
_AGENT_FOLDERS = frozenset((".claude", ".codex"))


def normal_path(spelled: str, cwd: str) -> str:
    """Return the one normal form of `spelled`, as seen from the folder `cwd`.

    Absolute with `/` between the parts, without `.`, `..`, doubled or trailing slashes; relative
    only if `cwd` is empty. `~` is the home folder that `cwd` lies in, else it stays. `file:` URLs
    are taken apart, Windows paths get a small drive letter and slashes. Signs of any kind stay,
    newlines too. The empty text stays empty.
    """
    if spelled[:1] == "/" and not _UNCLEAN.search(spelled):
        return spelled
    if not spelled:
        return ""
    if cwd[:1] == "/" and not _SPECIAL.search(spelled):
        path = f"{cwd}/{spelled}"
        if not _UNCLEAN.search(path):
            return path
    if spelled[:5].lower() == "file:":
        spelled = _from_url(spelled)
    spelled = _with_slashes(spelled, cwd)
    if spelled[:1] == "~" and (len(spelled) == 1 or spelled[1] == "/"):
        spelled = _home_of(cwd) + spelled[1:]
    elif not _is_absolute(spelled):
        spelled = f"{_with_slashes(cwd, cwd)}/{spelled}" if cwd else spelled
    return _folded(spelled)


def _from_url(url: str) -> str:
    """Return the path of a `file:` URL, `url` itself if it can't be taken apart."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets in the host: no URL that means a file
        return url
    path = unquote(parts.path)
    return path[1:] if path[:1] == "/" and _DRIVE.match(path[1:]) else path or url


def _with_slashes(path: str, cwd: str) -> str:
    """Return a Windows path with slashes and a small drive letter; others unchanged.

    A backslash parts folders only in a path with a drive or below a `cwd` with one: elsewhere it
    is a sign of a name.
    """
    drive = _DRIVE.match(path)
    if drive or path[:2] == "\\\\" or ("\\" in path and (_DRIVE.match(cwd) or cwd[:2] == "\\\\")):
        path = path.replace("\\", "/")
    return path[:1].lower() + path[1:] if drive else path


def _is_absolute(path: str) -> bool:
    """Whether `path` (with slashes) does not depend on a folder."""
    return path[:1] == "/" or path == "~" or path[:2] == "~/" or _DRIVE.match(path) is not None


def _home_of(cwd: str) -> str:
    """Return the home folder that `cwd` lies in, `~` if it lies in none."""
    match = _HOME.match(_with_slashes(cwd, cwd))
    return match.group() if match else "~"


def _folded(path: str) -> str:
    """Return `path` without `.`, `..` and empty parts; `..` never climbs above the root."""
    drive = path[:2] if _DRIVE.match(path) else ""
    rooted = path[len(drive) : len(drive) + 1] == "/"
    parts: list[str] = []
    for part in path[len(drive) :].split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] not in ("..", "~"):
            parts.pop()
        elif part != ".." or not (rooted or drive):
            parts.append(part)
    folded = drive + ("/" if rooted or drive else "") + "/".join(parts) or "."
    # A name that only now comes first must not be read as a drive the next time.
    return f"./{folded}" if not drive and _DRIVE.match(folded) else folded


@lru_cache(maxsize=65536)
def path_group(path: str, root: str, depth: int = DEFAULT_PATH_DEPTH) -> str:
    """Return the group of a normal `path` seen from the project's `root`, never from the cwd.

    Inside the root: its first `depth` parts (`src/a/b/c.py` is in `src/a`, `src/x.py` itself),
    the root is `.`. Outside: one of vocabulary.EXTERNAL_GROUPS, which name no person.
    """
    inside = _inside(path, root)
    if inside is None:
        return _external(path)
    parts = [part for part in inside.split("/") if part][: max(depth, 1)]
    return "/".join(parts) or "."


def _inside(path: str, root: str) -> str | None:
    """Return `path` relative to `root`, None if it lies outside."""
    if not _is_absolute(path):
        return None if path.startswith("..") else "" if path == "." else path
    base = root.rstrip("/")
    if not root or path in (root, base):
        return "" if root else None
    return path[len(base) + 1 :] if path.startswith(base + "/") else None


def _external(path: str) -> str:
    """Return the group of a path outside the root; an agent's own folder comes first."""
    if not _AGENT_FOLDERS.isdisjoint(path.split("/")):
        return "external/agent"
    if _TEMPORARY.search(path):
        return "external/tmp"
    if path[:1] == "~" or _HOME.match(path):
        return "external/home"
    return "external/system" if _SYSTEM.match(path) else "external/path"
