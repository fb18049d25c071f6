"""`agentpprof diff`: two filters or saved profiles, side by side, in every form."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from builders import ClaudeSession
from command_line import run
from encoder_samples import profile
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.encoders.amounts import change
from agentpprof.encoders.check import check_pprof, decode_pprof, sample_labels
from agentpprof.encoders.decode import decode_profile
from agentpprof.encoders.diff_folded import encode as fold
from agentpprof.encoders.diff_svg import encode as draw
from agentpprof.encoders.flame_data import unpacked
from agentpprof.errors import UsageError
from agentpprof.models import Difference, OutputOptions
from agentpprof.profile.diff import as_diff_base, difference, frame_changes, scaled

Pprof = Callable[..., CompletedProcess[str]]
OLD = profile({"task:a;action:read": 60, "task:a;action:edit": 40, "task:gone;action:read": 30})
NEW = profile({"task:a;action:read": 90, "task:a;action:edit": 40, "task:new;action:edit": 50})


def document(*arguments: str | Path) -> dict[str, Any]:
    ran = run("diff", *arguments, "--all-projects", "--json", "--rows", "0")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


# ------------------------------------------------------------------ what changed


def test_frames_that_changed_most_stand_first() -> None:
    rows = frame_changes(difference(OLD, NEW), ("task", "action"))

    assert [(row.frame, row.base, row.new) for row in rows] == [
        ("action:edit", 40, 90),
        ("task:new", 0, 50),
        ("task:a", 100, 130),
        ("task:gone", 30, 0),
    ]


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=20), st.integers(1, 99), st.integers(1, 99)
)
def test_scaling_keeps_the_rounded_sum(values: list[int], factor: int, divisor: int) -> None:
    given_profile = profile({f"task:t{n}": value for n, value in enumerate(values)})

    total = scaled(given_profile, factor, divisor).total

    assert abs(total * divisor - sum(values) * factor) * 2 <= divisor


def test_sides_of_two_views_are_refused() -> None:
    with pytest.raises(UsageError, match="one side counts tokens/count, the other files/count"):
        difference(OLD, profile({"task:a": 1}, sample_type="files"))


def test_a_change_in_words() -> None:
    pairs = ((2, 2), (0, 5), (5, 0), (4, 5), (4, 1), (10**9, 10**9 + 1))
    assert [change(*pair) for pair in pairs] == [
        "same", "new", "gone", "+25 %", "−75 %", "+< 0.01 %",
    ]  # fmt: skip


# ------------------------------------------------------------------ forms of output


def test_folded_has_two_columns_for_the_stacks_of_both() -> None:
    assert fold(Difference(OLD, NEW)).decode().splitlines() == [
        "task:a;action:edit 40 40",
        "task:a;action:read 60 90",
        "task:gone;action:read 30 0",
        "task:new;action:edit 0 50",
    ]


def test_pprof_has_the_base_negative_and_labelled() -> None:
    from agentpprof.encoders.pprof import encode

    data = encode(as_diff_base(Difference(OLD, NEW)), OutputOptions())

    assert check_pprof(data) == []
    message = decode_pprof(data)
    signs = {(bool(sample_labels(message, s)), s.value[0] < 0) for s in message.sample}
    assert signs == {(True, True), (False, False)}
    assert sum(s.value[0] for s in message.sample) == NEW.total - OLD.total


def test_pprof_opens_as_diff_base_does(history: Path, tmp_path: Path, pprof: Pprof) -> None:
    for name, where in (("old", "agent=claude"), ("new", "agent=codex")):
        run("-o", tmp_path / f"{name}.pb.gz", "--all-projects", "--where", where)
    run(
        "diff",
        "where=agent=claude",
        "where=agent=codex",
        "--all-projects",
        "-o",
        tmp_path / "d.pb.gz",
    )

    ours = pprof("-top", "-nodefraction=0", tmp_path / "d.pb.gz")
    theirs = pprof(
        "-top", "-nodefraction=0", f"-diff_base={tmp_path / 'old.pb.gz'}", tmp_path / "new.pb.gz"
    )

    assert ours.returncode == theirs.returncode == 0, ours.stderr
    assert _table(ours.stdout) == _table(theirs.stdout) != []


def _table(text: str) -> list[str]:
    """Return the rows of a table; the order of equal values is pprof's own affair."""
    lines = text.splitlines()
    head = next(n for n, line in enumerate(lines) if line.split()[:2] == ["flat", "flat%"])
    rows = (line.split() for line in lines[head + 1 :])
    return sorted(" ".join((row[0], row[1], row[3], row[4], row[5])) for row in rows)


def test_a_picture_is_as_wide_as_the_larger_side() -> None:
    text = draw(Difference(OLD, NEW), OutputOptions()).decode()

    data = unpacked(re.findall(r'<metadata class="data">(.*)</metadata>', text)[0])
    assert sum(data["stacks"]["values"]) == 90 + 40 + 30 + 50
    assert (sum(data["stacks"]["sides"]["old"]), sum(data["stacks"]["sides"]["now"])) == (130, 180)
    assert data["sides"] == ["base", "new"]


def test_a_picture_shows_what_vanished_and_both_numbers() -> None:
    text = draw(Difference(OLD, NEW), OutputOptions()).decode()

    gone = text[text.index("<title>task:gone\n") :].split("</g>")[0]
    assert "base: 30 tokens, new: 0 tokens (gone)" in gone
    assert 'class="d0"' in gone
    assert 'class="stripes"' in gone
    assert ">+50 %<" in text or "(+50 %)" in text
    same = text[text.index("<title>task:a › action:edit\n") :].split("</g>")[0]
    assert 'class="d5"' in same
    assert "stripes" not in same


# ------------------------------------------------------------------ the command


def test_two_times(history: Path) -> None:
    found = document("until=2026-05-05", "since=2026-05-06", "--view", "operations")

    assert found["facts"] == ["base:until:2026-05-05T00:00", "new:since:2026-05-06T00:00"]
    assert found["base_total"] > found["new_total"] > 0
    deltas = [abs(row["delta"]) for row in found["rows"]]
    assert deltas == sorted(deltas, reverse=True)


def test_projects_by_name_and_by_folder(history: Path) -> None:
    by_name = document("project=shop", "project=docs")
    by_folder = document("project=/home/dev/shop", "project=/home/dev/docs")

    assert (by_name["base_total"], by_name["new_total"]) == (
        by_folder["base_total"], by_folder["new_total"],
    )  # fmt: skip


def test_branches(isolated_machine: Path) -> None:
    for branch in ("main", "fix"):
        log = ClaudeSession(f"session-{branch}", gitBranch=branch)
        log.user("Fix the test")
        for _ in range(2 if branch == "fix" else 1):
            log.call("Bash", {"command": "pytest"}, "ok")
        log.assistant("Done")
        log.write(isolated_machine / ".claude")

    found = document("branch=main", "branch=fix", "--view", "operations", "--by", "tool")

    row = next(row for row in found["rows"] if row["frame"] == "tool:Bash")
    assert (row["base"], row["new"]) == (1, 2)
    beside = document("branch=main", "branch=fix", "--view", "operations", "--by", "tool",
                      "--stack", "task")  # fmt: skip
    assert beside["rows"] == found["rows"]
    ran = run("diff", "branch=main", "branch=none", "--all-projects")
    assert "NEW: no session ran on the branch none" in ran.err


def test_folded_stacks_do_not_say_what_they_count(history: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.folded"
    run("-o", output, "--all-projects", "--view", "files")
    told = f"{output} does not say what it counts: it is read as files"
    arguments = ("diff", output, "all", "--all-projects", "--view", "files")
    assert told in run(*arguments).err
    assert told not in run(*arguments, "-q").err


def test_saved_profiles_of_all_kinds_and_a_filter(history: Path, tmp_path: Path) -> None:
    for name in ("a.pb.gz", "a.pb", "a.json", "a.folded"):
        run("-o", tmp_path / name, "--all-projects", "--agent", "claude")
        found = document(tmp_path / name, "agent=claude")
        assert (found["rows"], found["base_total"]) == ([], found["new_total"]), name


def test_per_prompt_the_base_is_scaled(history: Path) -> None:
    plain = document("agent=claude", "agent=codex", "--view", "operations")
    found = document("agent=claude", "agent=codex", "--view", "operations", "--per", "prompt")

    assert found["scaled"] == "base scaled from 3 to 1 prompt"
    assert found["base_total"] == round(plain["base_total"] / 3)
    assert found["new_total"] == plain["new_total"]


def test_per_asks_a_saved_profile_how_many(history: Path, tmp_path: Path) -> None:
    run("-o", tmp_path / "a.json", "--all-projects", "--agent", "claude")
    run("-o", tmp_path / "a.folded", "--all-projects", "--agent", "claude")

    assert document(tmp_path / "a.json", "agent=codex", "--per", "call")["scaled"] == (
        "base scaled from 7 to 2 calls"
    )
    ran = run("diff", tmp_path / "a.folded", "agent=codex", "--all-projects", "--per", "call")
    assert (ran.code, "BASE doesn't say how many; save it as .json" in ran.err) == (2, True)


@pytest.mark.parametrize("name", ["d.pb.gz", "d.folded", "d.svg"])
def test_a_table_is_printed_beside_an_output(history: Path, tmp_path: Path, name: str) -> None:
    ran = run("diff", "agent=claude", "agent=codex", "--all-projects", "-o", tmp_path / name)

    assert ran.code == 0, ran.err
    assert ran.out.decode().startswith("tokens of all_projects: ")
    assert (tmp_path / name).stat().st_size > 0


def test_stdout_holds_the_output_alone(history: Path) -> None:
    ran = run(
        "diff", "agent=claude", "agent=codex", "--all-projects", "-o", "-", "--format", "folded"
    )

    assert all(re.fullmatch(r"\S+ \d+ \d+", line) for line in ran.out.decode().splitlines())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nothing", "all"), "'nothing' is no saved profile"),
        (("none.pb.gz", "all"), "'none.pb.gz' is no saved profile"),
        (("sinc=7d", "all"), "words are since, until"),
        (("since=never", "all"), "--since: 'never' is no time"),
        (("all", "all", "-o", "x.json"), "a difference is written as pprof, folded, svg"),
        (("all", "all", "--format", "svg"), "--format svg needs an output"),
        (("all", "all", "-o", "x.svg", "--format", "folded"), "is a name for svg"),
        (("all", "all", "--per", "day"), "--per"),
        (("all",), "NEW"),
    ],
)
def test_what_makes_no_sense_is_refused(
    history: Path, arguments: tuple[str, ...], reason: str
) -> None:
    ran = run("diff", *arguments)

    assert (ran.code, ran.out) == (2, b"")
    assert reason in ran.err


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    huge = b"task:a " + b"9" * 20 + b"\n"
    for name, data in (
        *(("a.json", data) for data in (b"{}", deep)),
        ("a.pb.gz", b"x"),
        *(("a.folded", data) for data in (b"task:a x\n", huge)),
    ):
        with pytest.raises(UsageError, match=f"{name} is no whole"):
            decode_profile(data, name, OLD)


@pytest.mark.parametrize(
    "odd",
    [
        {"started_at_ms": "x"},
        {"ended_at_ms": 1.5},
        {"started_at_ms": []},
        {"stacks": [{"stack": ["a"], "value": 2**63}]},
        {"stacks": [{"stack": ["a"], "value": -1}]},
        {"stacks": [{"stack": ["a"], "value": 1.5}]},
    ],
)
def test_a_document_with_odd_values_is_no_profile(odd: dict[str, Any]) -> None:
    names = {"view": "tokens", "sample_type": "tokens", "unit": "count", "project": "p"}
    whole = {**names, "started_at_ms": None, "ended_at_ms": 10**30, "stacks": []}
    document = {"profile": whole, "comments": [], "sessions": []}
    assert not decode_profile(json.dumps(document).encode(), "a.json", OLD).samples

    document["profile"] = {**whole, **odd}
    with pytest.raises(UsageError, match=r"a\.json is no whole json file"):
        decode_profile(json.dumps(document).encode(), "a.json", OLD)


def test_texts_of_foreign_files_are_cleaned() -> None:
    found = decode_profile(b"me@example.org;a <b> c 3\n", "a.folded", OLD)

    assert next(iter(found.samples)).stack == ("other", "a_b_c")


def test_a_pprof_difference_keeps_the_labels(history: Path, tmp_path: Path) -> None:
    output = tmp_path / "d.pb.gz"
    run("diff", "agent=claude", "agent=codex", "--all-projects", "-o", output)

    message = decode_pprof(output.read_bytes())
    keys = {key for sample in message.sample for key, _ in sample_labels(message, sample)}
    assert {"project", "agent", "session", "model", "day", "pprof::base"} <= keys


def test_the_database_is_not_overwritten(history: Path) -> None:
    from agentpprof.store.database import default_path

    ran = run("diff", "all", "all", "-o", default_path(), "--format", "svg")

    assert (ran.code, "is the database" in ran.err) == (2, True)


def test_a_saved_profile_brings_its_project_or_the_name_of_its_file(
    history: Path, tmp_path: Path
) -> None:
    for name in ("old.pb.gz", "old.json", "old.folded"):
        run("-o", tmp_path / name, "--project-root", "/home/dev/docs")
    titles = [
        run("diff", tmp_path / name, "project=shop").out.decode().split(":")[0]
        for name in ("old.pb.gz", "old.json", "old.folded")
    ]
    assert titles == ["tokens of docs → shop"] * 2 + ["tokens of old → shop"]


def test_a_file_may_be_named_like_a_filter(history: Path, tmp_path: Path) -> None:
    path = tmp_path / "since=7d.folded"
    run("-o", path, "--all-projects")

    assert document(path, path)["rows"] == []
