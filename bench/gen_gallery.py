"""Draw the pictures of docs/gallery.md anew: run each command that it shows, over the demo history.

    python bench/gen_gallery.py

The page is the list: what stands in its ```bash blocks is run as it stands, below the repository.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "gallery.md"
DEMO = REPOSITORY / "agentpprof" / "data" / "demo"


def commands() -> list[list[str]]:
    """Return the commands of the page, word by word."""
    blocks = PAGE.read_text(encoding="utf-8").split("```bash\n")[1:]
    lines = [line for block in blocks for line in block.split("```")[0].splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("agentpprof ")]


def environment(home: Path) -> dict[str, str]:
    """Return an environment whose only history is the demo's, of all projects."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "CLAUDE_CONFIG_DIR": str(DEMO / "claude" / ".claude"),
        "CODEX_HOME": str(DEMO / "codex" / ".codex"),
        "AGENTPPROF_PROJECT": "all",
    }


def main() -> None:
    """Run all commands of the page."""
    with tempfile.TemporaryDirectory(prefix="agentpprof-gallery-") as home:
        for arguments in commands():
            print("agentpprof", shlex.join(arguments))
            program = [sys.executable, "-m", "agentpprof", "-q", *arguments]
            if not arguments[0].startswith("-"):
                program = [sys.executable, "-m", "agentpprof", *arguments, "-q"]
            subprocess.run(
                program,
                cwd=REPOSITORY,
                env=environment(Path(home)),
                stdout=subprocess.DEVNULL,
                check=True,
            )


if __name__ == "__main__":
    main()
