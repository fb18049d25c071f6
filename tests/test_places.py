"""Without a home folder: what needs none works, what needs one says so in a line."""

import pwd
from pathlib import Path

import pytest
from command_line import run, write_history

from agentpprof import places
from agentpprof.errors import NoHomeError


@pytest.fixture(params=[None, "", "relative"])
def no_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME")
    if request.param is not None:
        monkeypatch.setenv("HOME", request.param)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    "command",
    [
        ("index",),
        ("watch", "--once"),
        ("status",),
        ("doctor", "--repair"),
        ("-o", "{}/a.svg", "--all-projects"),
        ("top",),
        ("sessions",),
        ("search", "x"),
        ("sql", "select 1"),
        ("backup", "{}/copy.db"),
        ("forget", "--project", "x", "--yes"),
        ("tags",),
        ("service", "install", "--print"),
        ("config", "path"),
        ("config", "show"),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("no_home")
def test_what_needs_a_home_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*(word.replace("{}", str(tmp_path)) for word in command))
    assert (ran.code, ran.out) == (1, b"")
    assert ran.err.startswith("Error: there is no home folder: set HOME, or name --db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_home")
def test_named_logs_and_database_need_no_home(tmp_path: Path) -> None:
    write_history(tmp_path)
    named = ("--db", tmp_path / "a.db", "--claude-root", tmp_path / ".claude")
    for command in (
        ("index",),
        ("watch", "--once"),
        ("status",),
        ("doctor", "--deep"),
        ("-o", tmp_path / "a.svg", "--all-projects"),
        ("top", "--all-projects", "--view", "operations"),
        ("sessions", "--all-projects"),
        ("search", "cart", "--redact"),
        ("sql", "select count(*) from prompts"),
    ):
        ran = run(*command, *named)
        assert ran.code in (0, 3), (command, ran.err)
    assert run("forget", "--db", tmp_path / "a.db", "--project", "shop", "--yes").code == 0


def test_a_users_home_that_is_unknown_is_told(tmp_path: Path) -> None:
    ran = run("-o", tmp_path / "a.svg", "--project-root", "~no-such-user/x")
    assert (ran.code, ran.err) == (1, "Error: ~no-such-user/x: no such user\n")


def test_folders_are_absolute_or_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.user_folder("data").is_absolute()
    assert places.expanded("~/x") == Path(places.home()) / "x"
    assert places.expanded("x") == Path("x")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: Path("~/data"))
    with pytest.raises(NoHomeError):
        places.user_folder("data")
