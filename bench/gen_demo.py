"""Write the bundled example history: python bench/gen_demo.py agentpprof/data/demo

Everything is invented, and the same bytes come out each time. The stories are in demo_shop_api.py,
demo_claude.py and demo_codex.py.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import demo_claude
import demo_codex
import demo_shop_api


def write_history(folder: Path) -> str:
    """Write all stories below `folder`, which loses what it had; return what was written."""
    for agent in ("claude", "codex"):
        shutil.rmtree(folder / agent, ignore_errors=True)
    for title, story in [*demo_shop_api.stories(), *demo_claude.stories()]:
        story.save(folder / "claude" / ".claude", title)
    for thread in demo_codex.stories():
        thread.write(folder / "codex" / ".codex")
    logs = sorted(folder.rglob("*.jsonl"))
    return f"{len(logs)} logs, {sum(path.stat().st_size for path in logs) / 1000:.0f} kB"


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below `folder`."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def main() -> None:
    """Write the history, or with `--check` compare it with what would be written."""
    parser = argparse.ArgumentParser(description="Write the bundled example history.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if it differs")
    options = parser.parse_args()
    if not options.check:
        print(write_history(options.folder))
        return
    with tempfile.TemporaryDirectory() as fresh:
        write_history(Path(fresh))
        if contents(Path(fresh)) != contents(options.folder):
            raise SystemExit(f"{options.folder} is not what bench/gen_demo.py writes: run it")


if __name__ == "__main__":
    main()
