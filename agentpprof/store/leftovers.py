"""Files that are made beside a target and renamed onto it; a kill may leave one behind."""

import secrets
from pathlib import Path

SIDECARS = ("-wal", "-shm", "-journal")
_NAME_BYTES = 200  # of the target's; file systems allow 255


def new_path(target: Path) -> Path:
    """Return a hidden name beside the target that nothing has."""
    return target.with_name(f".{target.name[:_NAME_BYTES]}.{secrets.token_hex(4)}")


def clear_leftovers(target: Path) -> None:
    """Delete what killed runs left beside the target; the caller holds the lock they had."""
    prefix = f".{target.name[:_NAME_BYTES]}."
    for path in target.parent.iterdir():
        mark, _, sidecar = path.name.removeprefix(prefix).partition("-")
        is_ours = len(mark) == 8 and set(mark) <= set("0123456789abcdef")
        if path.name.startswith(prefix) and is_ours and f"-{sidecar}" in ("-", *SIDECARS):
            path.unlink(missing_ok=True)
