"""Rules of `semantics.paths`: one form per file, groups without names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.semantics.paths import normal_path, path_group
from agentpprof.vocabulary import EXTERNAL_GROUPS

_CWD = "/home/ann/proj"


@pytest.mark.parametrize(
    ("spelled", "cwd", "path"),
    [
        ("src/a.py", _CWD, "/home/ann/proj/src/a.py"),
        ("./src//a.py", _CWD, "/home/ann/proj/src/a.py"),
        ("src/../src/./a.py", _CWD, "/home/ann/proj/src/a.py"),
        ("/home/ann/proj/src/a.py", "/elsewhere", "/home/ann/proj/src/a.py"),
        ("/home/ann/proj/src/", _CWD, "/home/ann/proj/src"),
        ("..", _CWD, "/home/ann"),
        ("../../../../../x", _CWD, "/x"),
        ("/..", _CWD, "/"),
        ("/", _CWD, "/"),
        (".", _CWD, _CWD),
        ("", _CWD, ""),
        ("~/x", _CWD, "/home/ann/x"),
        ("~", "/Users/bob/p", "/Users/bob"),
        ("~/x", "/srv/p", "~/x"),
        ("~/../x", "/srv/p", "~/../x"),
        ("~bob/x", _CWD, "/home/ann/proj/~bob/x"),
        ("file:///tmp/a%20b", _CWD, "/tmp/a b"),
        ("file://localhost/tmp/a", _CWD, "/tmp/a"),
        ("file:///C:/Users/bob/x.py", _CWD, "c:/Users/bob/x.py"),
        ("C:\\Users\\bob\\x.py", _CWD, "c:/Users/bob/x.py"),
        ("c:/Users/bob/x.py", _CWD, "c:/Users/bob/x.py"),
        ("src\\a.py", "C:\\code", "c:/code/src/a.py"),
        ("a\\b", _CWD, "/home/ann/proj/a\\b"),
        ("~\\x", "C:\\Users\\bob\\p", "c:/Users/bob/x"),
        ("a\nb", _CWD, "/home/ann/proj/a\nb"),
        ("a b", _CWD, "/home/ann/proj/a b"),
        ("src/a.py", "", "src/a.py"),
        ("./src/../a.py", "", "a.py"),
        ("../a.py", "", "../a.py"),
        (".", "", "."),
        ("//srv/x", _CWD, "/srv/x"),
    ],
)
def test_a_path_has_one_normal_form_whatever_its_spelling(
    spelled: str, cwd: str, path: str
) -> None:
    assert normal_path(spelled, cwd) == path


_PATHS = st.one_of(
    st.text(),
    st.lists(st.sampled_from(["a", "..", ".", "", "~", "C:", "b c", "file:", "\\", "x\ny"])).map(
        "/".join
    ),
)


def test_a_name_that_comes_first_by_folding_is_no_drive() -> None:
    assert normal_path("x/../A:", "") == "./A:"


@given(_PATHS, st.sampled_from([_CWD, "", "C:\\w", "/Users/bob", "rel/x"]))
def test_the_normal_form_of_a_normal_form_is_itself(spelled: str, cwd: str) -> None:
    path = normal_path(spelled, cwd)
    if not path.startswith("file:") and "\\" not in path:
        assert normal_path(path, "") == path


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("/w/p/src/a/b/c.py", "src/a"),
        ("/w/p/src/x.py", "src/x.py"),
        ("/w/p/README.md", "README.md"),
        ("/w/p", "."),
        ("/w/p/.claude/x.md", ".claude/x.md"),
        ("src/a/b.py", "src/a"),
        (".", "."),
        ("/w/p2/x", "external/path"),
        ("/w", "external/path"),
        ("../x", "external/path"),
        ("/home/ann/x.py", "external/home"),
        ("/Users/Bob Smith/x.py", "external/home"),
        ("/root/x", "external/home"),
        ("c:/Users/bob/x", "external/home"),
        ("~/x", "external/home"),
        ("/tmp/x/y", "external/tmp"),
        ("/private/var/folders/ab/c", "external/tmp"),
        ("/private/tmp/x", "external/tmp"),
        ("c:/Users/bob/AppData/Local/Temp/x", "external/tmp"),
        ("/tmpl/x", "external/path"),
        ("/home/ann/.claude/x", "external/agent"),
        ("/home/ann/.codex/sessions/x", "external/agent"),
        ("/usr/lib/x", "external/system"),
        ("/etc/hosts", "external/system"),
        ("c:/Windows/x", "external/system"),
        ("/opt/tmpl/x", "external/system"),
        ("/data/ann/x", "external/path"),
    ],
)
def test_groups_are_seen_from_the_project_root(path: str, group: str) -> None:
    assert path_group(path, "/w/p") == group


def test_depth_is_the_number_of_levels() -> None:
    assert path_group("/w/a/b/c/d.py", "/w", 1) == "a"
    assert path_group("/w/a/b/c/d.py", "/w", 3) == "a/b/c"
    assert path_group("/w/a/b/c/d.py", "/w", 9) == "a/b/c/d.py"


def test_a_home_folder_as_root_names_nobody() -> None:
    assert path_group("/home/ann/p/x.py", "/home/ann/p") == "x.py"
    assert path_group("/home/bob/secret.py", "/home/ann/p") == "external/home"


@given(st.text(), st.integers(1, 4))
def test_outside_the_root_there_are_five_groups_only(text: str, depth: int) -> None:
    path = normal_path("/home/ann/" + text, "")
    assert path_group(path, "/w/p", depth) in (
        *EXTERNAL_GROUPS,
        path.removeprefix("/w/p/"),
        ".",
    ) or path.startswith("/w/p/")
