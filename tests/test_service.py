"""`service`: the text of units, and which programs would be run; none is run here."""

import os
import plistlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import run

from agentpprof.errors import AgentPprofError
from agentpprof.service import Service, install, service_for, uninstall


class Programs:
    """Notes what would be run."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.run: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str]) -> int:
        self.run.append(command)
        return self.code


def settings(service: Service) -> dict[str, str]:
    lines = (line for line in service.text.splitlines() if "=" in line and line[0] != "#")
    return dict(line.split("=", 1) for line in lines)


def test_the_unit_says_what_the_watcher_does(tmp_path: Path) -> None:
    unit = settings(service_for(tmp_path / "a b%.db", "linux"))
    assert unit["Type"] == "notify"
    assert unit["RestartPreventExitStatus"] == "78"
    assert unit["Restart"] == "on-failure"
    assert unit["ReadWritePaths"] == f'"{tmp_path}"'
    assert unit["ExecStart"].endswith(f'"watch" "--quiet" "--db" "{tmp_path}/a b%%.db"')
    assert unit["UMask"] == "0077"


def test_log_homes_of_the_environment_are_carried_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/srv/claude")
    unit = settings(service_for(tmp_path / "a.db", "linux"))
    assert unit["ExecStart"].startswith('"/usr/bin/env" "CLAUDE_CONFIG_DIR=/srv/claude" ')


def _verify(service: Service, folder: Path) -> str:
    unit = folder / "agentpprof.service"
    unit.write_text(service.text)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", unit],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    return done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not there")
def test_systemd_knows_every_word_of_the_unit(tmp_path: Path) -> None:
    service = service_for(tmp_path / "a.db", "linux")
    service = service._replace(text=_with_a_real_program(service.text))
    assert _verify(service, tmp_path) == ""
    wrong = service._replace(text=service.text.replace("UMask", "Umaks"))
    assert "Umaks" in _verify(wrong, tmp_path)  # the control: its exit code would not tell


def _with_a_real_program(text: str) -> str:
    """The tests may run without an installed program; systemd looks for it."""
    lines = ["ExecStart=/bin/true" if x.startswith("ExecStart=") else x for x in text.splitlines()]
    return "\n".join(lines) + "\n"


def test_the_plist_is_one(tmp_path: Path) -> None:
    service = service_for(tmp_path / "a&b <c>.db", "darwin")
    agent = plistlib.loads(service.text.encode())
    assert agent["ProgramArguments"][-3:] == ["--quiet", "--db", str(tmp_path / "a&b <c>.db")]
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["Umask"] == 0o077
    assert service.path == Path.home() / "Library/LaunchAgents/io.agentpprof.watch.plist"


def test_install_and_uninstall(tmp_path: Path) -> None:
    service, programs = service_for(tmp_path / "a.db", "linux"), Programs()
    assert not uninstall(service, programs)
    assert install(service, programs)
    assert service.path.read_text() == service.text
    assert programs.run == list(service.start)
    assert uninstall(service, programs)
    assert not service.path.exists()
    assert programs.run == [*service.start, *service.stop]
    assert not install(service, Programs(code=1))


def test_systems_without_a_service_and_paths_that_fit_no_unit(tmp_path: Path) -> None:
    with pytest.raises(AgentPprofError):
        service_for(tmp_path / "a.db", "win32")
    with pytest.raises(AgentPprofError):
        service_for(tmp_path / "a\nExecStartPre=b.db", "linux")


def test_the_command_prints_and_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no service manager is found
    printed = run("service", "install", "--print")
    assert printed.code == 0
    assert printed.out
    assert run("service", "status").code == 3
    assert run("service", "uninstall").code == 0
    refused = run("service", "install")
    assert refused.code == 1
    assert "could not be started" in refused.err
    assert run("service", "start").code == 2
