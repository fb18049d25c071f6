"""T14: a watcher over many appends with a scripted clock: memory, descriptors and log stay flat.

`AGENTPPROF_SOAK=100000,5000` sets appends and files; a run of CI takes some seconds.
"""

import gc
import os
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import ClaudeSession, encode_log
from watching import Logs, Script, prompts

from agentpprof.ingest.watch import Batch, watch

APPENDS, FILES = map(int, os.environ.get("AGENTPPROF_SOAK", "600,60").split(","))
WAL_LIMIT = 64 * 1024 * 1024


def memory() -> int:
    """Return the memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class Soak:
    """Appends one line after the other, and takes the watcher's measure now and then."""

    def __init__(self, folder: Path) -> None:
        self.logs = Logs(folder / "home")
        self.database = folder / "agent.db"
        self.script = Script()
        self.chance = random.Random(1)
        self.measures: list[tuple[int, int]] = []
        self.wal = 0
        self.sessions = [
            ClaudeSession(f"session-{number}", cwd=f"/home/dev/p{number % 7}")
            for number in range(FILES)
        ]

    def append(self) -> None:
        log = self.chance.choice(self.sessions)
        path = log.path(self.logs.home)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = log.user(f"prompt {len(log.records)} of {log.session_id}")
        with path.open("ab") as stream:
            stream.write(encode_log([record]))
        self.script.told(path)

    def batches(self) -> Iterator[Batch]:
        for number in range(APPENDS):
            self.script.at(1.0 + number, self.append)
        self.script.at(2.0 + APPENDS, self.script.end)
        yield from watch(self.logs.watched(self.database), self.script.world())

    def run(self, leak: list[bytes] | None = None) -> None:
        for number, batch in enumerate(self.batches()):
            assert not batch.error
            if leak is not None:
                leak.append(bytes(200_000))
            wal = self.database.with_name("agent.db-wal")
            self.wal = max(self.wal, wal.stat().st_size if wal.exists() else 0)
            if number % 20 == 0:
                gc.collect()
                self.measures.append((memory(), len(os.listdir("/proc/self/fd"))))  # noqa: PTH208

    @property
    def growth(self) -> float:
        """Bytes that memory grew by per 10,000 batches, once warm."""
        warm = self.measures[len(self.measures) // 3 :]
        return (warm[-1][0] - warm[0][0]) / max(len(warm) - 1, 1) / 20 * 10_000


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc here")
def test_nothing_grows(tmp_path: Path) -> None:
    soak = Soak(tmp_path)
    soak.run()
    assert len(prompts(soak.database)) == APPENDS
    assert soak.growth < max(1_000_000, 12_000_000 * (APPENDS < 10_000)), soak.growth
    descriptors = [descriptors for _, descriptors in soak.measures]
    assert max(descriptors) - min(descriptors) <= 1
    assert soak.wal <= WAL_LIMIT


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc here")
def test_a_leak_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    monkeypatch.setattr(f"{__name__}.APPENDS", 200)
    soak = Soak(tmp_path)
    soak.run(leak=[])
    assert soak.growth > 100_000_000
