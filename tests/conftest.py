"""Fixtures for all tests: an isolated machine, golden files, sample logs, outside programs.

Where `AGENTPPROF_STRICT_SKIPS` is set, a test that skips for a reason that `allowed_skips.txt`
does not name fails the run.
"""

import fnmatch
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from llama_server import LlamaServer, Recorder

HERE = Path(__file__).parent
REPOSITORY = HERE.parent

# Variables that say how tests are run; all others would change what is tested.
_OF_THE_TESTS = (
    "AGENTPPROF_CHROMIUM",
    "AGENTPPROF_EXAMPLES",
    "AGENTPPROF_PPROF",
    "AGENTPPROF_SAMPLES",
    "AGENTPPROF_STRICT_SKIPS",
)

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--bless`: write golden files anew instead of comparing with them."""
    parser.addoption("--bless", action="store_true", help="rewrite golden files")


@pytest.fixture(autouse=True)
def isolated_machine(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give each test an empty home folder, no logs, no database and the zone UTC.

    The variables that name log homes and the database are unset, as on most machines: the
    defaults then lie below the empty home.
    """
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    for name in [name for name in os.environ if name.startswith("AGENTPPROF_")]:
        if name not in _OF_THE_TESTS:
            monkeypatch.delenv(name)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield home
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def history(isolated_machine: Path) -> Path:
    """Give a home with some sessions of both agents, not indexed yet."""
    from command_line import write_history

    write_history(isolated_machine)
    return isolated_machine


@pytest.fixture
def indexed_history(history: Path) -> Path:
    """Give the same home, indexed."""
    from command_line import run

    assert run("index").code == 0
    return history


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    """Say whether golden files are to be written anew."""
    return bool(request.config.getoption("--bless"))


@pytest.fixture
def golden(bless: bool) -> Callable[[str, str | bytes], None]:
    """Give `golden(name, actual)`: `tests/golden/<name>` is equal, or written anew by `--bless`."""

    def check(name: str, actual: str | bytes) -> None:
        path = HERE / "golden" / name
        data = actual.encode() if isinstance(actual, str) else actual
        if bless:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert path.exists(), f"no golden file {name}: run pytest --bless, then read what it wrote"
        if isinstance(actual, str):  # a readable difference
            assert actual == path.read_bytes().decode()
        assert data == path.read_bytes()

    return check


@pytest.fixture(scope="session")
def samples() -> Path:
    """Folder of real sample logs with their right values (`expected.json`)."""
    default = REPOSITORY.parent / "shared" / "samples"
    folder = Path(os.environ.get("AGENTPPROF_SAMPLES") or default)
    if not (folder / "expected.json").is_file():
        pytest.skip(f"the folder of real sample logs is not there: {folder}")
    return folder


@pytest.fixture(scope="session")
def demo_logs() -> Path:
    """Folder of the bundled example history: `claude/.claude` and `codex/.codex` below it."""
    return REPOSITORY / "agentpprof" / "data" / "demo"


@pytest.fixture(scope="session")
def pprof() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Give `pprof(*arguments)`: Go's pprof, from `AGENTPPROF_PPROF`, the path or a Go toolchain."""
    command = _pprof_command()
    if command is None:
        pytest.skip("Go's pprof is not there: set AGENTPPROF_PPROF or install Go")
    environment = {**os.environ, "PPROF_NO_BROWSER": "1"}

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        full = [*command, *map(str, arguments)]
        return subprocess.run(full, capture_output=True, text=True, env=environment, timeout=120)

    return run


def _pprof_command() -> list[str] | None:
    if named := os.environ.get("AGENTPPROF_PPROF"):
        return [named]
    if shutil.which("pprof"):
        return ["pprof"]
    if shutil.which("go"):
        return ["go", "tool", "pprof"]
    return None


@pytest.fixture(scope="session")
def llama_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of a tiny model of random weights."""
    from llama_server import write_model

    return write_model(tmp_path_factory.mktemp("model") / "random.gguf")


@pytest.fixture(scope="session")
def llama_server(llama_model: Path) -> Iterator["LlamaServer"]:
    """A real llama.cpp server with two slots."""
    from llama_server import running

    with running(llama_model, slots=2, context=16384) as server:
        yield server


@pytest.fixture
def door(llama_server: "LlamaServer") -> Iterator["Recorder"]:
    """A door before that server which remembers every request."""
    from llama_server import Recorder

    recorder = Recorder(llama_server.url)
    yield recorder
    recorder.close()


class SkipGuard:
    """Fail a run in which a test skipped without leave."""

    def __init__(self, patterns: list[str]) -> None:
        """Take the patterns of reasons and test ids that may skip."""
        self.patterns = patterns
        self.forbidden: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a skip that no pattern names."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """The same for a whole module."""
        if report.skipped:
            self._note(report.nodeid, report.longrepr)

    def _note(self, test: str, longrepr: object) -> None:
        reason = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
        reason = reason.removeprefix("Skipped: ")
        if not any(fnmatch.fnmatchcase(text, p) for p in self.patterns for text in (reason, test)):
            self.forbidden.append(f"{test}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Turn a green run into a failed one."""
        if self.forbidden and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name what skipped."""
        for line in self.forbidden:
            terminalreporter.write_line(f"not allowed to skip: {line}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    """Watch for skips, in the process that collects the results."""
    if os.environ.get("AGENTPPROF_STRICT_SKIPS") and not hasattr(config, "workerinput"):
        lines = (HERE / "allowed_skips.txt").read_text(encoding="utf-8").splitlines()
        patterns = [line for line in lines if line and not line.startswith("#")]
        config.pluginmanager.register(SkipGuard(patterns), "skip-guard")
