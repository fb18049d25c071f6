"""What kind of file system a folder lies on: some raise no events, some can't hold a database."""

import os
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
# Changes made by other machines, or outside a virtual machine, raise no events here.
_REMOTE = frozenset(
    {
        "9p",
        "afs",
        "ceph",
        "cifs",
        "drvfs",
        "fakeowner",
        "glusterfs",
        "grpcfuse",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "osxfs",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
    }
)
_REMOTE_PREFIXES = ("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.vmhgfs", "fuse.gvfs")


def mount_type(path: str, table: Path = _TABLE) -> str:
    """Return the type of the file system that a path lies on, empty where it can't be told."""
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""  # not Linux
    place = os.path.realpath(path)
    best, found = -1, ""
    for line in lines:
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) < 5 or not right:
            continue
        point = fields[4].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:  # a later mount covers an earlier one
            best, found = len(point), right.split()[0]
    return found


def is_remote(kind: str) -> bool:
    """Say whether a type of file system is one of another machine."""
    return kind in _REMOTE or kind.startswith(_REMOTE_PREFIXES)
