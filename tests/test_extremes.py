"""Whatever one log says, every report of the others runs."""

import json
import os
import sqlite3
import time
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from builders import (
    ClaudeSession,
    assistant,
    claude_usage,
    tool_result,
    tool_use,
    user,
    write_log,
)
from builders_codex import CodexThread, codex_usage, token_count
from command_line import Ran, run, write_history

from agentpprof.cookbook import recipe_names
from agentpprof.encoders import ENCODERS
from agentpprof.profile.views import VIEWS
from agentpprof.store import queries

FIRST, LAST = "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999999Z"
TIMES: Final = (LAST, FIRST, "1677-01-01T00:00:00Z", "2263-01-01T00:00:00Z", "1969-12-31T23:59:59Z")
COUNTS: Final = (0, 2**40 - 1, 2**53, 2**62 + 5, 2**63 - 1, 2**64, 10**400)
TEXTS: Final = (
    "",
    "\x00\x1b]0;x\x07\u202e\u2028\ufeff",
    "x" * 5_000,
    "\U0001f9a5" * 3_000,
    "'; drop table operation; --",
    "a:b;c=d,e\nf\tg\r",
    "=cmd|' /C calc'!A0",
    "../" * 400 + "etc",
    "\ud83d",
    "%s{}$HOME`id`",
)
READS: Final = [
    *(("ask", name, *form) for name in recipe_names() for form in ((), ("--json",))),
    *(
        ("-o", "-", "--format", name, "--view", view, "--all-projects", "--include-idle")
        for name in ENCODERS
        for view in VIEWS
    ),
    *(
        ("top", "--view", view, "--all-projects", "--rows", "0", *form)
        for view in VIEWS
        for form in ((), ("--tree",), ("--json",), ("--by", "day"), ("--by", "model"))
    ),
    ("-o", "-", "--format", "json", "--all-projects", "--include-previews"),
    ("-o", "-", "--format", "pprof", "--all-projects", "--all-measures"),
    ("-o", "-", "--format", "pprof", "--all-projects", "--anonymize"),
    ("sessions", "--all-projects", "--rows", "0"),
    ("sessions", "--all-projects", "--rows", "0", "--json"),
    ("show", "odd-0"),
    ("show", "odd-0", "--json", "--include-previews"),
    ("show", "019ec5aa-91"),
    ("audit", "--all-projects"),
    ("audit", "--all-projects", "--json"),
    ("audit", "--all-projects", "--session-id", "odd"),
    ("audit", "--all-projects", "--session-id", "9", "--json"),
    ("tags", "--all-projects"),
    ("tags", "--all-projects", "--json", "--include-previews"),
    ("tags", "list", "--all-projects", "--include-previews"),
    ("tags", "list", "--all-projects", "--json"),
    ("search", "x"),
    ("search", "x", "--json"),
    ("search", "drop", "--redact"),
    ("diff", "agent=claude", "agent=codex", "--all-projects"),
    ("diff", "until=2026-05-05", "since=2026-05-05", "--all-projects", "--json"),
    *(
        ("diff", "agent=codex", "all", "--all-projects", "-o", "-", "--format", name)
        for name in ("pprof", "folded", "svg")
    ),
    ("top", "--all-projects", "--since", "0001-01-01"),
    ("top", "--all-projects", "--until", "9999-12-31"),
    *(("diff", "agent=codex", "all", "--view", view, "--all-projects") for view in VIEWS),
    ("status",),
    ("status", "--json"),
    ("doctor", "--deep"),
    ("sql", "--schema", "--json"),
    *(
        ("sql", f"select * from {view}", form)
        for view in ("sessions", "operations", "prompts", "daily", "responses", "token_usage")
        for form in ("--json", "--csv", "--jsonl")
    ),
]


def write_extremes(home: Path) -> None:
    """Write logs of both agents that hold what no agent writes."""
    for number, at in enumerate(TIMES):
        path = home / ".claude" / "projects" / "-odd" / f"odd-{number}.jsonl"
        write_log(path, _claude(number, at).records)
    for place, counts in enumerate(pairwise(COUNTS)):
        _codex(place, *counts).write(home / ".codex")


def _claude(number: int, at: str) -> ClaudeSession:
    """A session of one odd time: it begins there and ends in May 2026."""
    log = ClaudeSession(f"odd-{number}", cwd="/home/dev/odd" + TEXTS[number], gitBranch=TEXTS[3])
    for place, words in enumerate(TEXTS):
        call_id = f"toolu_{number}_{place}"
        log.add(user(words + " x", at=at))
        usage = claude_usage(COUNTS[place % 7], COUNTS[number], cache_read=COUNTS[-1 - number])
        log.add(assistant(words, at=at, message_id=f"m{number}-{place}", usage=usage, model=words))
        arguments = {"command": f"cat {words!r} > {words[:80]}", "file_path": words, "url": words}
        name = ("Bash", "Read", "WebFetch", words)[place % 4]
        call = tool_use(name, arguments, call_id=call_id, at=at, usage=usage)
        log.add(call)
        log.add(tool_result(call_id, words, at=TIMES[place % 5], is_error=bool(place % 2)))
    log.user("And now?")
    log.assistant("Now")
    return log


def _codex(number: int, last: int, total: int) -> CodexThread:
    """A thread of odd counts and times."""
    log = CodexThread(f"019ec5aa-9{number}00-7000-8000-000000000003", cwd="/home/dev/odd")
    for place, words in enumerate(TEXTS):
        log.turn(words + " x")
        log.shell(words, words, usage=codex_usage(5, 5))
        huge = dict.fromkeys(codex_usage(), total)
        log.add(token_count(huge, dict.fromkeys(huge, last)))
        log.answer(words, usage=codex_usage(1, 1))
        log.records[-1]["timestamp"] = TIMES[place % 5]
    return log


def check_ran(ran: Ran, words: tuple[str, ...]) -> None:
    """A report came to an end, and was no empty one."""
    fine = (0, 1) if words[0] == "doctor" else (0,)
    assert ran.code in fine, (words, ran.err)
    assert "inside agentpprof" not in ran.err, (words, ran.err)
    assert ran.out or words[0] == "ask", words
    if "--json" in words:
        json.loads(ran.out)


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_every_report_runs(isolated_machine: Path, zone: str) -> None:
    os.environ["TZ"] = zone
    time.tzset()
    write_history(isolated_machine)
    write_extremes(isolated_machine)
    assert run("index", "-q").code == 0
    faults = []
    for words in READS:
        more = () if words[0] in ("status", "doctor") or "--schema" in words else ("--no-sync",)
        try:
            check_ran(run(*words, *more), words)
        except (AssertionError, ValueError) as error:
            faults.append((words, str(error)[:600]))
    assert not faults, "\n".join(map(str, faults))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SQLITE_ERROR", "SQLITE_ERROR inside agentpprof: see whether agentpprof doctor"),
        ("SQLITE_FULL", "the database can't be used (SQLITE_FULL): free space"),
        ("SQLITE_CORRUPT", "the database can't be used (SQLITE_CORRUPT)"),
    ],
)
def test_a_statement_of_ours_that_fails_makes_nobody_throw_a_database_away(
    isolated_machine: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    write_history(isolated_machine)

    def failing(_: sqlite3.Connection) -> dict[int, tuple[int, ...]]:
        error = sqlite3.OperationalError("integer overflow")
        error.sqlite_errorname = name
        raise error

    monkeypatch.setattr(queries, "read_session_totals", failing)
    ran = run("sessions", "--all-projects")
    assert (ran.code, f"Error: {said}" in ran.err) == (1, True), ran.err
    assert ("moving it away" in ran.err) == (name != "SQLITE_ERROR")
