"""Outputs are whole or not there, say the same in every format, and add up to the database."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PROGRAM, database, folded, run, write_history

from agentpprof.encoders.check import decode_pprof
from agentpprof.errors import OutputError
from agentpprof.output import stream_of, write_output
from agentpprof.profile.views import VIEWS
from agentpprof.store.database import default_path

# What the views that people read say of the sums that profiles show.
SUMS = {
    "operations": "select count(*) from operations",
    "tokens": "select sum(tokens) from token_usage",
    "files": "select count(*) from file_events",
    "network": "select count(*) from network_events",
}


def totals(folder: Path, view: str, *arguments: str | Path) -> dict[str, int]:
    """Write one view in all formats and return each one's total."""
    found = {}
    for name in ("a.pb.gz", "a.pb", "a.folded", "a.json", "a.svg"):
        ran = run("-o", folder / name, "--view", view, "--all-projects", *arguments)
        assert ran.code == 0, ran.err
        found[f"summary of {name}"] = ran.summary["samples"]
    for name in ("a.pb.gz", "a.pb"):
        found[name] = sum(
            each.value[0] for each in decode_pprof((folder / name).read_bytes()).sample
        )
    found["a.folded"] = sum(folded((folder / "a.folded").read_bytes()).values())
    stacks = json.loads((folder / "a.json").read_bytes())["profile"]["stacks"]
    found["a.json"] = sum(each["value"] for each in stacks)
    return found


def stored(view: str) -> int:
    with database(default_path()) as connection:
        if view != "time":
            return int(connection.execute(SUMS[view]).fetchone()[0])
        # time_parts keeps a delegating call whole; profiles keep what its sub-agents do not cover.
        milliseconds = connection.execute(
            "select sum(duration_ms) from time_parts where part in ('tool', 'model')"
        ).fetchone()[0]
        return round(milliseconds / 1000)


@pytest.mark.parametrize("view", VIEWS)
def test_every_format_shows_what_the_database_holds(
    isolated_machine: Path, tmp_path: Path, view: str
) -> None:
    write_history(isolated_machine)
    found = totals(tmp_path, view)
    assert set(found.values()) == {stored(view)}, found


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("home", ["claude", "codex"])
def test_the_same_holds_for_real_logs(samples: Path, tmp_path: Path, view: str, home: str) -> None:
    roots = [path for path in samples.glob(f"{home}/.{home}") if path.is_dir()]
    option = [each for root in roots or [samples / home] for each in (f"--{home}-root", root)]
    store = tmp_path / "x.db"
    assert run("index", *option, "--db", store).code == 0
    if view != "time":  # delegated time is shown once, and stands whole in time_parts
        with database(store) as connection:
            total = connection.execute(SUMS[view]).fetchone()[0]
        if not total:
            return
    found = totals(tmp_path, view, "--db", store, "--no-sync")
    assert set(found.values()) == ({total} if view != "time" else {found["a.folded"]}), found


@pytest.mark.parametrize("view", VIEWS)
def test_gos_pprof_adds_up_to_the_database(
    isolated_machine: Path, tmp_path: Path, pprof, view: str
) -> None:
    write_history(isolated_machine)
    assert run("-o", tmp_path / "a.pb.gz", "--view", view, "--all-projects").code == 0
    for report in ("-top", "-tags", "-proto"):
        done = pprof(report, "-output", tmp_path / "report", tmp_path / "a.pb.gz")
        assert (done.returncode, done.stderr) == (0, "") or "Generating report" in done.stderr
    raw = pprof("-raw", tmp_path / "a.pb.gz")
    assert raw.returncode == 0
    lines = raw.stdout.partition("Samples:")[2].partition("Locations")[0].splitlines()
    values = [int(found[1]) for line in lines if (found := re.match(r"\s*(\d+):", line))]
    assert sum(values) == stored(view)


def test_a_second_run_opens_no_log(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    code = (
        "import sys\n"
        "opened = []\n"
        "def look(event, arguments):\n"
        "    if event == 'open' and '.jsonl' in str(arguments[0]): opened.append(arguments[0])\n"
        "sys.addaudithook(look)\n"
        "from agentpprof.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    print(end.code, len(opened), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code, "-q", "-o", tmp_path / "a.svg", "--all-projects"]
    first = subprocess.run(command, capture_output=True, text=True, timeout=60)
    second = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert first.stderr.split() == ["0", "3"]
    assert second.stderr.split() == ["0", "0"]


def test_the_same_rows_give_the_same_bytes(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    for name in ("a.pb.gz", "a.pb", "a.folded", "a.json", "a.svg"):
        run("-o", tmp_path / name, "--all-projects")
        first = (tmp_path / name).read_bytes()
        run("-o", tmp_path / name, "--all-projects")
        assert (tmp_path / name).read_bytes() == first
    assert gzip.decompress((tmp_path / "a.pb.gz").read_bytes()) == (tmp_path / "a.pb").read_bytes()


def test_a_file_is_private_and_its_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "a.svg"
    write_output(b"data", str(target))
    assert target.read_bytes() == b"data"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    (tmp_path / "a.svg").symlink_to("precious")
    write_output(b"data", str(tmp_path / "a.svg"))
    assert (tmp_path / "precious").read_text() == "keep"
    assert not (tmp_path / "a.svg").is_symlink()


def test_a_pipe_or_device_is_written_into(tmp_path: Path) -> None:
    write_output(b"data", "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("place", ["a", "a/b", "/proc/none/x", "n" * 300])
def test_a_place_that_can_t_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").mkdir()
    with pytest.raises(OutputError, match="can't be written"):
        write_output(b"data", str(tmp_path / place))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b"]


def test_an_interrupted_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.svg").write_text("old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_output(b"data", str(tmp_path / "a.svg"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
    assert (tmp_path / "a.svg").read_text() == "old"


def test_nothing_but_the_output_is_made(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    subprocess.run(
        [PROGRAM, "-q", "-o", "a.svg", "--all-projects"], cwd=tmp_path, check=True, timeout=60
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("-", 1),
        ("/dev/stdout", 1),
        ("/dev//fd/../stdout", 1),
        ("/dev/stderr", 2),
        ("/dev/fd/7", 7),
        ("/proc/self/fd/1", 1),
        ("stdout", None),
        ("/dev/shm/a.svg", None),
        ("/dev/null", None),
    ],
)
def test_a_name_of_an_open_file_is_known_for_one(name: str, number: int | None) -> None:
    assert stream_of(name) == number


def test_an_open_file_is_written_into_and_its_name_is_never_replaced(
    isolated_machine: Path, tmp_path: Path
) -> None:
    # A name below /proc: it can't be replaced, whatever goes wrong.
    write_history(isolated_machine)
    chosen = ("--format", "folded", "--all-projects")
    expected = run("-q", "-o", "-", *chosen).out
    with (tmp_path / "out").open("wb") as out:
        command = [PROGRAM, "-o", "/proc/self/fd/1", *chosen]
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=True, timeout=60)
    assert (tmp_path / "out").read_bytes() == expected
    assert json.loads(done.stderr[done.stderr.index(b"{") :])["output"] == "-"
    with (tmp_path / "rows").open("wb") as out:
        command = [PROGRAM, "sql", "select 1 as one", "--csv", "-o", "/proc/self/fd/1"]
        subprocess.run(command, stdout=out, check=True, timeout=60)
    assert (tmp_path / "rows").read_bytes().splitlines() == [b"one", b"1"]


@pytest.mark.parametrize("name", ["/proc/self/fd/1", "pipe"])
def test_a_backup_takes_no_place_of_a_stream_or_pipe(
    isolated_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    write_history(isolated_machine)
    assert run("index", "-q").code == 0
    ran = run("backup", name)
    assert (ran.code, ran.err) == (1, f"Error: {name} is a device or pipe: name a file\n")
    assert Path("pipe").is_fifo()
