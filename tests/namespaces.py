"""Own user namespaces: small disks and low limits for a single command."""

import shutil
import subprocess
from pathlib import Path

import pytest


def can_unshare() -> bool:
    """Say whether an own user namespace can be made."""
    if not shutil.which("unshare"):
        return False
    done = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, timeout=30)
    return done.returncode == 0


needs_namespaces = pytest.mark.skipif(not can_unshare(), reason="no user namespaces here")


def on_a_disk(folder: Path, size: str, script: str) -> str:
    """Run a shell script in a new file system of a size, mounted at a folder; returns its output.

    The output holds stderr as well, so a failed assertion shows what happened.
    """
    folder.mkdir()
    mount = f"mount -t tmpfs -o size={size} none {folder} && cd {folder}\n"
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", mount + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.stdout
