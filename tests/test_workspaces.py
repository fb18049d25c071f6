"""Which project a working folder belongs to."""

from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession
from canonical import index_home, rows_of

from agentpprof.workspaces import Workspace, find_workspace


@pytest.mark.parametrize(
    "cwd",
    [
        "/home/dev/shop/.claude/worktrees/fix",
        "/home/dev/shop/.claude/worktrees/fix/src/deep",
        "/home/dev/shop/.worktrees/fix",
        "/home/dev/shop/.worktrees/fix/src",
        "/home/dev/shop",
        "/home/dev/shop/",
    ],
)
def test_worktrees_inside_a_project_are_folded_into_it(cwd: str) -> None:
    assert find_workspace(cwd) == Workspace("/home/dev/shop", "shop", "dev")


def test_a_folder_that_is_not_here_is_its_own_project() -> None:
    assert find_workspace("/home/else/api/src") == Workspace("/home/else/api/src", "src", "api")


@pytest.mark.parametrize(
    ("cwd", "name", "parent"), [(r"C:\work\shop", "shop", "work"), ("/", "root", "")]
)
def test_windows_folders_and_the_root_have_names(cwd: str, name: str, parent: str) -> None:
    found = find_workspace(cwd)
    assert (found.project, found.parent) == (name, parent)


def test_the_nearest_folder_with_git_is_the_project(tmp_path: Path) -> None:
    for place in ("shop/.git", "shop/src/deep", "shop/vendor/lib/.git"):
        (tmp_path / place).mkdir(parents=True)
    assert find_workspace(str(tmp_path / "shop/src/deep")).root == str(tmp_path / "shop")
    assert find_workspace(str(tmp_path / "shop/vendor/lib")).project == "lib"


def test_a_git_file_is_followed_to_the_checkout_of_the_worktree(tmp_path: Path) -> None:
    (tmp_path / "shop/.git/worktrees/fix").mkdir(parents=True)
    (tmp_path / "shop-fix/src").mkdir(parents=True)
    (tmp_path / "shop-fix/.git").write_text(f"gitdir: {tmp_path}/shop/.git/worktrees/fix\n")
    assert find_workspace(str(tmp_path / "shop-fix/src")).root == str(tmp_path / "shop")


def test_a_relative_git_file_of_a_worktree_is_followed_from_where_it_stands(
    tmp_path: Path,
) -> None:
    (tmp_path / "shop/.git/worktrees/fix").mkdir(parents=True)
    (tmp_path / "shop-fix").mkdir()
    (tmp_path / "shop-fix/.git").write_text("gitdir: ../shop/.git/worktrees/fix\n")
    assert find_workspace(str(tmp_path / "shop-fix")).root == str(tmp_path / "shop")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "shop/.git/modules/lib").mkdir(parents=True)
    (tmp_path / "shop/lib").mkdir()
    (tmp_path / "shop/lib/.git").write_text("gitdir: ../.git/modules/lib\n")
    assert find_workspace(str(tmp_path / "shop/lib")).root == str(tmp_path / "shop/lib")


@pytest.mark.parametrize("words", ["", "no pointer", "gitdir:   \n"])
def test_a_broken_git_file_ends_the_search_at_its_folder(tmp_path: Path, words: str) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/.git").write_text(words)
    assert find_workspace(str(tmp_path / "shop")).root == str(tmp_path / "shop")


def test_a_home_folder_under_git_is_no_project(tmp_path: Path) -> None:
    home = Path.home()
    (home / ".git").mkdir()
    (home / "notes").mkdir()
    assert find_workspace(str(home / "notes")).root == str(home / "notes")


def test_two_roots_of_one_name_are_told_apart_by_their_parents(tmp_path: Path) -> None:
    for number, cwd in enumerate(("/home/a/api", "/home/b/api", "/home/b/shop", "/api")):
        log = ClaudeSession(f"session-{number}", cwd=cwd)
        log.user("Do it")
        log.write(tmp_path / "home")
    with closing(index_home(tmp_path / "home")) as connection:
        rows = rows_of(connection, "select cwd, project from sessions order by cwd")
    assert {row["cwd"]: row["project"] for row in rows} == {
        "/home/a/api": "a/api",
        "/home/b/api": "b/api",
        "/home/b/shop": "shop",
        "/api": "api",
    }


def test_a_project_is_looked_up_once_and_stays_when_its_folder_goes(tmp_path: Path) -> None:
    place = tmp_path / "shop"
    (place / ".git").mkdir(parents=True)
    (place / "src").mkdir()
    log = ClaudeSession(cwd=str(place / "src"))
    log.user("Do it")
    log.write(tmp_path / "home")
    index_home(tmp_path / "home").close()
    (place / ".git").rmdir()
    log.user("And that")
    log.write(tmp_path / "home")
    with closing(index_home(tmp_path / "home")) as connection:
        assert rows_of(connection, "select project from sessions") == [{"project": "shop"}]
