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
    """Return (path, access) of each header in `patch`, in its order (apply_patch.lark of Codex)."""
    found = []
    for match in _HEADER.finditer(patch):
        found.append((match.group(2).strip(), _ACCESS[match.group(1)]))
        if len(found) == _MAX_FILES:
            break
    return found
