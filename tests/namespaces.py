"""Own user namespaces and lost rights: small disks and low limits for a single command."""

import ctypes
import os
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


def obey_permissions() -> None:
    """Take from root, where a test runs as root, what lets it read and write everything."""
    if os.geteuid() == 0:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
