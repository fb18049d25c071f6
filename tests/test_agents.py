"""A new agent is one module and one entry in AGENTS."""

import json
import os
import re
from pathlib import Path, PurePath

import pytest
from command_line import run

from agentpprof.agents import AGENTS, Agent, Retention, decoder_of
from agentpprof.config import SETTINGS
from agentpprof.ingest.checking import rows_in_logs
from agentpprof.ingest.discover import Root
from agentpprof.ingest.session_files import sniffed_agent
from agentpprof.runs.expiry import expiry_warning
from agentpprof.semantics.paths import path_group
from agentpprof.service import service_for
from agentpprof.store.database import default_path

LINES = ({"say": "Fix the bug"}, {"do": "pytest -q", "id": "call-1"})


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of an agent that has one module and one entry."""
    agent = Agent(
        title="Invented",
        home_variable="INVENTED_HOME",
        homes=("~/.invented",),
        log_folders=("logs",),
        log_name=re.compile(r".+\.log\Z"),
        module="invented_agent",
        parser_version=1,
        is_line_enough=True,
        retention=Retention(7, "rules.json", "days"),
    )
    monkeypatch.setitem(AGENTS, "invented", agent)
    monkeypatch.setenv("INVENTED_HOME", str(tmp_path / "invented"))
    path = tmp_path / "invented" / "logs" / "one.log"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def test_its_logs_are_found_indexed_and_shown(log: Path) -> None:
    ran = run("sessions", "--agent", "invented", "--all-projects", "--json")
    (session,) = json.loads(ran.out)["sessions"]
    assert (session["session_id"], session["agent"]) == ("one", "invented")
    found = run("sql", "select op, action, agent from operations order by 1", "--json")
    rows = json.loads(found.out)["rows"]
    assert [list(row.values()) if isinstance(row, dict) else row for row in rows] == [
        ["prompt", "request", "invented"],
        ["tool", "test", "invented"],
    ]


def test_its_rows_are_checked_and_its_numbers_accounted_for(log: Path) -> None:
    run("index")
    assert rows_in_logs(default_path()).text.startswith("0 of 2 ")
    account = json.loads(run("audit", "--all-projects", "--json").out)
    assert account["agents"]["invented"]["counted"]["prompts"] == 1


def test_its_log_is_known_from_its_content(log: Path) -> None:
    assert sniffed_agent(log.read_bytes()) == "invented"
    ran = run("--session-file", os.devnull, "-o", "-")
    assert "no regular file" in ran.err
    (log.parent / "other").write_text("nothing\n")
    ran = run("--session-file", log.parent / "other", "-o", "-")
    assert "no log of Claude Code or Codex or Invented" in ran.err


def test_a_service_carries_over_its_home(log: Path, tmp_path: Path) -> None:
    assert "INVENTED_HOME=" in service_for(tmp_path / "a.db", "linux").text


@pytest.mark.parametrize(("days", "is_told"), [(None, True), (30, False)])
def test_what_it_will_delete_soon_is_told_by_its_own_settings(
    log: Path, tmp_path: Path, days: int | None, is_told: bool
) -> None:
    if days is not None:
        (tmp_path / "invented" / "rules.json").write_text(json.dumps({"days": days}))
    in_five_days = log.stat().st_mtime + 5 * 86_400
    roots = [Root("invented", str(log.parent))]
    warning = expiry_warning(tmp_path / "a.db", roots, in_five_days)
    assert ("1 transcript is not indexed yet and will be deleted by Invented" in warning) is is_told


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_has_a_decoder_a_setting_and_homes_that_paths_are_grouped_by(name: str) -> None:
    agent, decoder = AGENTS[name], decoder_of(name)
    state = decoder.initial_state("/logs/a.jsonl")
    assert isinstance(state, decoder.State)
    assert decoder.decode(b"", 0, "/logs/a.jsonl", state) == ([], state)
    assert decoder.RECORD_KINDS
    assert SETTINGS[f"{name}_roots"].variable == agent.home_variable
    hidden = [PurePath(home).name for home in agent.homes if PurePath(home).name.startswith(".")]
    assert {path_group(f"/home/ann/{each}/x", "/work") for each in hidden} == {"external/agent"}
