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
from builders import user, uuid_of
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
        self.number = 0

    def append(self) -> None:
        session = self.chance.randrange(FILES)
        self.number += 1
        fields = {"sessionId": f"session-{session}", "cwd": f"/home/dev/p{session % 7}"}
        words = f"Fix test {self.number % 97} of part {session % 89}"  # caches of words are bounded
        record = user(words, uuid=uuid_of("soak", self.number), **fields)
        path = self.logs.home / "projects" / f"-p{session % 7}" / f"session-{session}.jsonl"
        self.script.told(self.logs.write(path, [record]))

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
    assert soak.growth < (1_000_000 if APPENDS >= 50_000 else 40_000_000), soak.growth
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
