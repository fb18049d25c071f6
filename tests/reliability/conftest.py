"""A small history and a place for its database, for tests that bring no others."""

from pathlib import Path

import pytest
from watching import Logs


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    """Three logs of three prompts."""
    logs = Logs(tmp_path / "home")
    for number in range(3):
        for line in range(3):
            logs.append(number, f"prompt {line} of {number}")
    return logs


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database that is not there yet."""
    return tmp_path / "store" / "agent.db"
