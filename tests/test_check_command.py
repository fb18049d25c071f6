"""`agentpprof check`: our own validator, for any pprof file."""

import gzip
import re
from pathlib import Path

import pytest
from command_line import run, write_history
from encoder_samples import small

from agentpprof import __version__
from agentpprof.encoders.check import decode_pprof
from agentpprof.encoders.pprof import encode
from agentpprof.models import OutputOptions
from agentpprof.profile.views import VIEWS


def test_every_output_of_ours_is_sound(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    for view in VIEWS:
        for more in ((), ("--all-measures",)):
            output = tmp_path / "a.pb.gz"
            assert run("-o", output, "--view", view, "--all-projects", *more).code == 0
            ran = run("check", output)
            assert (ran.code, b": sound, " in ran.out) == (0, True), ran.out


def test_what_is_in_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.pb"
    path.write_bytes(encode(small(), OutputOptions(gzip=False)))

    assert run("check", path).out.decode() == f"{path}: sound, 6 samples; tokens/count 9,001\n"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the file is empty"),
        (b"hello", "not a pprof message"),
        (gzip.compress(b"x", mtime=0)[:-4], "cut short"),
        (gzip.compress(b"x", mtime=0) + b"y", "something follows"),
    ],
    ids=["empty", "text", "cut", "more"],
)
def test_what_is_wrong_is_told(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "a.pb.gz"
    path.write_bytes(data)

    ran = run("check", path)

    assert ran.code == 1
    assert problem in ran.out.decode()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    ran = run("check", tmp_path / "none.pb")

    assert (ran.code, "can't be read (No such file" in ran.err) == (2, True)


# ------------------------------------------------------------------ several measures in one file


def test_the_count_stands_first_and_the_views_own_measure_last(
    isolated_machine: Path, tmp_path: Path
) -> None:
    write_history(isolated_machine)
    output = tmp_path / "a.pb.gz"
    run("-o", output, "--all-projects", "--all-measures")

    message = decode_pprof(output.read_bytes())
    texts = message.string_table
    assert [texts[each.type] for each in message.sample_type] == ["operations", "tokens"]
    assert texts[message.default_sample_type] == "tokens"
    sums = [sum(sample.value[n] for sample in message.sample) for n in (0, 1)]
    for view, total in zip(("operations", "tokens"), sums, strict=True):
        alone = tmp_path / "alone.pb.gz"
        run("-o", alone, "--all-projects", "--view", view)
        assert sum(s.value[0] for s in decode_pprof(alone.read_bytes()).sample) == total


def test_the_flag_changes_pprof_only(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    ran = run("-o", tmp_path / "a.svg", "--all-projects", "--all-measures")

    assert "--all-measures: without effect, it changes pprof only" in ran.err


# ------------------------------------------------------------------ what an output says of itself


def test_comments_name_version_project_and_filters_but_no_pattern_for_texts(
    isolated_machine: Path, tmp_path: Path
) -> None:
    write_history(isolated_machine)
    output = tmp_path / "a.pb.gz"
    run("-o", output, "--all-projects", "--agent", "claude", "--since", "2026-05-01", "--where",
        "op!=prompt", "--where", "prompt_text=cart", "--scan-files", "9")  # fmt: skip

    message = decode_pprof(output.read_bytes())
    assert [message.string_table[each] for each in message.comment] == [
        "agentpprof:view:tokens",
        "agentpprof:project:all_projects",
        f"agentpprof:version:{__version__}",
        "filter:agent:claude",
        "filter:since:2026-05-01T00:00",
        "filter:scan_files:9",
        "filter:where:op:not:prompt",
        "filter:where:prompt_text",
    ]


def test_a_flame_has_its_root_at_the_bottom(isolated_machine: Path, tmp_path: Path) -> None:
    write_history(isolated_machine)
    heights = []
    for name, more in (("icicle.svg", ()), ("flame.svg", ("--flame",))):
        run("-o", tmp_path / name, "--all-projects", "--stack", "task", *more)
        boxes = (tmp_path / name).read_text().split('<g class="boxes">')[1]
        heights.append([int(found) for found in re.findall(r' y="(\d+)" width', boxes)])
    icicle, flame = heights
    assert icicle[0] < icicle[1]
    assert flame[0] > flame[1]
