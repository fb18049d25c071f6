"""Patches of Codex's `apply_patch`: the headers name the files, the rest is data."""

import re
from typing import Final

PATCH_START: Final = "*** Begin Patch"
_HEADER = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\r?$", re.MULTILINE)
_ACCESS: Final = {
    "Add File": "create",
    "Update File": "write",
    "Delete File": "delete",
    "Move to": "move",
}
_MAX_FILES = 1000


def patch_paths(patch: str) -> list[tuple[str, str]]:
    """Return (path, access) of each header in `patch`, in its order (apply_patch.lark of Codex).

    A file that is updated and moved is moved: both ends, as by `mv`.
    """
    found: list[tuple[str, str]] = []
    for match in _HEADER.finditer(patch):
        if match.group(1) == "Move to" and found:
            found[-1] = (found[-1][0], "move")
        found.append((match.group(2).strip(), _ACCESS[match.group(1)]))
        if len(found) == _MAX_FILES:
            break
    return found
