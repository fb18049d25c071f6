"""Measure agentpprof against floors taken in the same run; print a table.

    make bench                  all rows that fit in some minutes
    make bench ARGS=--quick     fewer repeats, no row with a million operations
    make bench ARGS=--full      growth to 1 GB as well
    make bench ARGS="--write docs/performance.md"

Seconds are CPU seconds, user and system, of a whole process with its children (`os.wait4`), but for
the rows that say "in process". Cases are interleaved, a figure is the median of its repeats. The
floor reads and parses the same files: `for line in open(path, "rb"): orjson.loads(line)`.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from make_corpora import GENERATORS, corpus, log_files

VIEWS = ("operations", "tokens", "files", "network", "time")
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"

FLOOR = """
import sys, orjson
for path in open(sys.argv[1]).read().splitlines():
    for line in open(path, "rb"):
        orjson.loads(line)
"""
WALK = """
import os, sys
def walk(folder):
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from walk(entry.path)
            else:
                yield entry.stat()
print(sum(1 for _ in walk(sys.argv[1])))
"""
IN_PROCESS = """
import contextlib, io, json, sys, time
from agentpprof.cli import main
def run(arguments):
    sys.argv = ["agentpprof", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
warm, database, *arguments = sys.argv[1:]
run([warm if one == database else one for one in arguments])
begin = time.process_time()
run(arguments)
print(json.dumps(time.process_time() - begin))
"""
COMMANDS = """
import json, random, sys, time
sys.path.insert(0, sys.argv[1])
from commands import command
from agentpprof.semantics.shell import analyze
chance = random.Random(5)
distinct = list(dict.fromkeys(command(chance, "/home/dev/shop") for _ in range(20000)))
analyze("ls")
begin = time.process_time()
for one in distinct:
    analyze(one)
print(json.dumps(1e6 * (time.process_time() - begin) / len(distinct)))
"""


class Sample(NamedTuple):
    """What one process took."""

    seconds: float
    peak_mb: float
    output: str


class Row(NamedTuple):
    """One line of the table; `measured`, `reach` and `aim` in `unit`."""

    what: str
    measured: float
    reach: float
    aim: float | None
    unit: str

    @property
    def is_reached(self) -> bool:
        """Say whether the gate holds."""
        return self.measured <= self.reach

    def cells(self) -> list[str]:
        """The line's cells, as text."""
        aim = "" if self.aim is None else f"{self.aim:g}"
        verdict = "yes" if self.is_reached else "**no**"
        measured = f"{self.measured:.3g} {self.unit}".replace(" %", " %")
        return [self.what, measured, f"<= {self.reach:g}", aim, verdict]


def run(command: Iterable[object], *, cache: Path | None = None) -> Sample:
    """Run a process to its end and return what it took; a failing one ends the bench."""
    environment = {**os.environ, "TZ": "UTC"}
    environment.pop("AGENTPPROF_DB", None)
    # An installed package is compiled; without this each start would compile the checkout anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache:
        environment["XDG_CACHE_HOME"] = str(cache)
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, env=environment, stdout=out, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read().decode()
    if process.returncode:
        raise SystemExit(f"exit {process.returncode}: {' '.join(words)}\n{output}")
    scale = 1 if platform.system() == "Darwin" else 1024
    return Sample(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale / 1e6, output)


class Bench:
    """The measurements; `place` is a folder for databases and caches."""

    def __init__(self, place: Path, *, repeats: int, is_full: bool) -> None:
        """Begin without rows."""
        self.place, self.repeats = place, repeats
        self.is_full = is_full
        self.rows: list[Row] = []
        self.program = [sys.executable, "-m", "agentpprof"]

    @cached_property
    def reads_codex(self) -> bool:
        """Say whether the program can read the Codex part of a corpus."""
        return "--codex-root" in run([*self.program, "index", "--help"]).output

    def add(
        self, what: str, measured: float, reach: float, aim: float | None = None, unit: str = "x"
    ) -> None:
        """Add a row and show it at once."""
        self.rows.append(Row(what, measured, reach, aim, unit))
        print("  ".join(self.rows[-1].cells()), file=sys.stderr, flush=True)

    def medians(self, cases: dict[str, Callable[[], float]]) -> dict[str, float]:
        """Run all cases in turn, `repeats` times, and return the median of each."""
        seen: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(self.repeats):
            for name, case in cases.items():
                seen[name].append(case())
        return {name: statistics.median(values) for name, values in seen.items()}

    # ------------------------------------------------------------------ processes

    def files(self, folder: Path) -> list[Path]:
        """Logs of a corpus that the program reads."""
        agents = ["claude", "codex"] if self.reads_codex else ["claude"]
        return [path for agent in agents for path in log_files(folder / agent)]

    def roots(self, folder: Path) -> list[object]:
        """Options that name a corpus."""
        options: list[object] = ["--claude-root", folder / "claude"]
        if self.reads_codex:
            codex = folder / "codex"
            codex.mkdir(exist_ok=True)
            options += ["--codex-root", codex]
        return options

    def floor(self, folder: Path) -> float:
        """CPU seconds of reading and parsing, nothing else."""
        names = self.place / f"{folder.name}.files"
        if not names.exists():
            names.write_text("\n".join(map(str, self.files(folder))))
        return run([sys.executable, "-c", FLOOR, names]).seconds

    def index(self, folder: Path, *, database: Path | None = None) -> Sample:
        """Index a corpus: into a new database, or again into `database`."""
        target = database or self.place / f"{folder.name}.db"
        if not database:
            for path in self.place.glob(f"{target.name}*"):
                path.unlink()
        return run([*self.program, "index", "--db", target, *self.roots(folder), "-q"])

    # ------------------------------------------------------------------ rows

    def cold_index(self) -> None:
        """Rows: index of new logs, memory, size of the database, growth."""
        names = ["dense", "mixed-50", "mixed-200", *(["mixed-1000"] if self.is_full else [])]
        folders = {name: corpus(name) for name in names}
        peaks: dict[str, float] = {}

        def indexed(name: str) -> float:
            sample = self.index(folders[name])
            peaks[name] = max(sample.peak_mb, peaks.get(name, 0))
            return sample.seconds

        cases: dict[str, Callable[[], float]] = {}
        for name, folder in folders.items():
            cases[f"floor {name}"] = lambda folder=folder: self.floor(folder)
            cases[name] = lambda name=name: indexed(name)
        took = self.medians(cases)
        self.add("cold index, dense, over the floor", took["dense"] / took["floor dense"], 4.5, 3.5)
        mixed = took["mixed-200"] / took["floor mixed-200"]
        self.add("cold index, mixed, over the floor", mixed, 2.5, 1.8)
        size = {name: sum(p.stat().st_size for p in self.files(folders[name])) for name in names}
        self._growth(took, size, names[1:])
        self.add("peak memory of an index", max(peaks.values()), 150, 100, "MB")
        for name in ("dense", "mixed-200"):
            share = 100 * (self.place / f"{name}.db").stat().st_size / size[name]
            self.add(f"database over log bytes, {name}", share, 15, 10, "%")

    def _growth(self, took: dict[str, float], size: dict[str, int], names: list[str]) -> None:
        """Seconds per byte, without what a start costs, of the largest over the smallest."""
        start = run([*self.program, "--help"]).seconds
        small, large = names[0], names[-1]
        rate = {name: (took[name] - start) / size[name] for name in (small, large)}
        self.add(f"seconds a byte, {large} over {small}", rate[large] / rate[small], 1.2, 1.0)

    def small_passes(self) -> None:
        """Rows: a pass that finds nothing, a pass that finds 20 lines."""
        folder = self.place / "tiny"
        shutil.copytree(corpus("tiny"), folder, copy_function=shutil.copy2)
        database = self.place / "tiny.db"
        self.index(folder, database=database)
        grown = log_files(folder)[5_000]
        line = grown.read_bytes().splitlines()[-1].decode()
        bare = [getattr(sys, "_base_executable", sys.executable), "-I", "-c", WALK, folder]
        turn = 0

        def append_and_index() -> float:
            nonlocal turn
            turn += 1
            with grown.open("a", encoding="utf-8") as log:
                for number in range(20):
                    log.write(line.replace("msg_01", f"msg_{turn}_{number}_") + "\n")
            return self.index(folder, database=database).seconds

        took = self.medians(
            {
                "walk": lambda: run(bare).seconds,
                "no-op": lambda: self.index(folder, database=database).seconds,
                "append": append_and_index,
            }
        )
        walks = took["no-op"] / took["walk"]
        self.add("no-op pass over 10,000 files, over a bare walk", walks, 2.5, 1.8)
        more = took["append"] - took["no-op"]
        self.add("20 new lines, more than the no-op", more, 0.06, None, "s")

    def commands(self) -> None:
        """Row: one distinct shell command, in process."""
        command = [sys.executable, "-c", COMMANDS, GENERATORS]
        took = self.medians({"commands": lambda: float(json.loads(run(command).output))})
        self.add("a distinct shell command, in process", took["commands"], 100, None, "us")

    def profile(self, database: Path, view: str) -> list[object]:
        """Options of one profile."""
        name = self.place / f"{view}.pb.gz"
        return ["-o", name, "--view", view, "--db", database, "--no-sync", "--all-projects"]

    def profiles(self) -> None:
        """Rows: any view of 75,000 operations, first and repeated."""
        database = self.place / "dense.db"

        def once(view: str, *, is_first: bool) -> float:
            cache = self.place / "cache"
            if is_first:
                shutil.rmtree(cache, ignore_errors=True)
            return run([*self.program, *self.profile(database, view)], cache=cache).seconds

        cases: dict[str, Callable[[], float]] = {}
        for view in VIEWS:
            cases[f"first {view}"] = lambda view=view: once(view, is_first=True)
            cases[f"again {view}"] = lambda view=view: once(view, is_first=False)
        took = self.medians(cases)
        view, worst = _worst(took, "first ")
        self.add(f"slowest view, 75,000 operations ({view})", worst, 0.35, 0.2, "s")
        view, worst = _worst(took, "again ")
        self.add(f"the same again ({view})", worst, 0.15, 0.1, "s")

    def million(self) -> None:
        """Rows: any view of 1,000,000 operations, in process."""
        database, warm = self.place / "million.db", self.place / "warm.db"
        self.index(corpus("million"))
        example = Path(__file__).resolve().parent.parent / "agentpprof" / "data" / "demo"
        self.index(example, database=warm)

        def once(view: str, *, is_first: bool) -> float:
            cache = self.place / "cache"
            if is_first:
                shutil.rmtree(cache, ignore_errors=True)
            script = [sys.executable, "-c", IN_PROCESS, warm, database]
            sample = run([*script, *self.profile(database, view)], cache=cache)
            return float(json.loads(sample.output.splitlines()[-1]))

        cases: dict[str, Callable[[], float]] = {}
        for view in VIEWS:
            cases[f"first {view}"] = lambda view=view: once(view, is_first=True)
            cases[f"again {view}"] = lambda view=view: once(view, is_first=False)
        took = self.medians(cases)
        view, worst = _worst(took, "first ")
        self.add(f"slowest view, 1,000,000 operations, in process ({view})", worst, 2.0, 1.0, "s")
        view, worst = _worst(took, "again ")
        self.add(f"the same again ({view})", worst, 0.03, None, "s")


def _worst(took: dict[str, float], prefix: str) -> tuple[str, float]:
    found = {name.removeprefix(prefix): s for name, s in took.items() if name.startswith(prefix)}
    view = max(found, key=lambda name: found[name])
    return view, found[view]


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | measured | reach | aim | ok |", "|---|---|---|---|---|"]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join(lines)


def write_table(path: Path, text: str) -> None:
    """Put `text` between the marks of the page `path`."""
    page = path.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    if BEGIN not in page or END not in page:
        raise SystemExit(f"{path} has no lines {BEGIN} and {END}: add them where the table belongs")
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")


def main() -> None:
    """Run the bench; exit 1 if a gate does not hold and `--gate` is given."""
    parser = argparse.ArgumentParser(description="Measure agentpprof against floors.")
    parser.add_argument("--quick", action="store_true", help="3 repeats, no million operations")
    parser.add_argument("--full", action="store_true", help="growth to 1 GB")
    parser.add_argument("--repeats", type=int, help="default 5, with --quick 3")
    parser.add_argument("--only", choices=("index", "commands", "small", "profiles", "million"))
    parser.add_argument("--write", type=Path, help="a page whose table is to be renewed")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a row is not reached")
    options = parser.parse_args()
    repeats = options.repeats or (3 if options.quick else 5)
    with tempfile.TemporaryDirectory(prefix="agentpprof-bench-") as folder:
        bench = Bench(Path(folder), repeats=repeats, is_full=options.full)
        if options.only in (None, "index"):
            bench.cold_index()
        if options.only in (None, "commands"):
            bench.commands()
        if options.only in (None, "small"):
            bench.small_passes()
        if options.only in (None, "profiles"):
            if not (bench.place / "dense.db").exists():
                bench.index(corpus("dense"))
            bench.profiles()
        if options.only == "million" or (options.only is None and not options.quick):
            bench.million()
    text = table(bench.rows)
    print(text)
    if options.write:
        write_table(options.write, text)
    if options.gate and not all(row.is_reached for row in bench.rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
