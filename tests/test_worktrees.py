"""Files of worktrees inside a project are shown as those of its checkout."""

from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import stacks

from agentpprof.profile.objects import without_worktree

SHOP = "/home/dev/shop"


@pytest.mark.parametrize(
    ("path", "root", "shown"),
    [
        (f"{SHOP}/.claude/worktrees/fix/src/a.py", SHOP, f"{SHOP}/src/a.py"),
        (f"{SHOP}/.worktrees/fix/src/a.py", SHOP, f"{SHOP}/src/a.py"),
        (f"{SHOP}/.worktrees/fix", SHOP, SHOP),
        (f"{SHOP}/.worktrees", SHOP, f"{SHOP}/.worktrees"),
        (f"{SHOP}/.worktrees/fix/a.py", "/home/dev", f"{SHOP}/a.py"),
        (f"{SHOP}/.worktrees/fix/a.py", "/home/dev/sho", f"{SHOP}/.worktrees/fix/a.py"),
        (f"{SHOP}/src/a.py", SHOP, f"{SHOP}/src/a.py"),
    ],
)
def test_where_a_file_of_a_worktree_lies_in_the_checkout(path: str, root: str, shown: str) -> None:
    assert without_worktree(path, root) == shown


def test_a_session_that_enters_a_worktree_has_one_group_for_a_file(isolated_machine: Path) -> None:
    log = ClaudeSession(cwd=SHOP)
    log.user("Fix it")
    log.call("Read", {"file_path": f"{SHOP}/src/x/a.py"})
    log.fields["cwd"] = f"{SHOP}/.claude/worktrees/fix"
    log.call("Read", {"file_path": f"{SHOP}/.claude/worktrees/fix/src/x/a.py"})
    log.write(isolated_machine / ".claude")
    other = ClaudeSession("session-2", cwd=f"{SHOP}/.claude/worktrees/fix")
    other.user("Look")
    other.call("Read", {"file_path": f"{SHOP}/.claude/worktrees/fix/src/x/b.py"})
    other.write(isolated_machine / ".claude")
    assert stacks("--stack", "project,object", view="files") == {"project:shop;object:src/x": 3}
