"""Public bug reports about readers of Claude Code's logs, each as a test with the right values.

One small invented log a row; the test is named after the row. Where the reports of a row are:

1 ccusage/ccusage#901, ccusage/ccusage#938; 2 sirmalloc/ccstatusline#549;
3 Piebald-AI/splitrail#220; 4 getagentseal/codeburn#201; 5 ccusage/ccusage#976,
ccusage/ccusage#985; 6 steipete/CodexBar#1002, stablyai/orca#8023; 7 ccusage/ccusage#1155;
8 anthropics/claude-code#40363; 9 majiayu000/ccstats#85, ryandemelo/token-monitor#73;
10 anthropics/claude-code#84223, anthropics/claude-code#93620; 11 anthropics/claude-code#22671,
anthropics/claude-code#25941; 12 ccusage/ccusage#899, kenn-io/agentsview#1452;
13 ccusage/ccusage#1115, getagentseal/codeburn#659; 14 ccusage/ccusage#4;
15 Piebald-AI/splitrail#1; 16 ccusage/ccusage#873, ccusage/ccusage#1151; 17 phiat/claude-esp#4;
18 warpdotdev/common-skills#87; 19 winfunc/opcode#382; 20 phuryn/claude-usage#154;
21 kenn-io/agentsview#401, kenn-io/agentsview#1134; 22 Tencent/teamai-cli#105;
23 thedotmack/claude-mem#4019, thedotmack/claude-mem#4192; 24 kenn-io/agentsview#162,
kenn-io/agentsview#800; 25 junhoyeo/tokscale#288, junhoyeo/tokscale#960;
26 Piebald-AI/splitrail#72; 27 anthropics/claude-code#81843, anthropics/claude-code#49876.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import (
    START,
    ClaudeSession,
    Clock,
    Record,
    api_error,
    claude_usage,
    encode_log,
    progress_copy,
    slug,
    text,
    thinking,
    tool_block,
    user,
    write_log,
)
from canonical import canonical_dump, differences, index_home, rows_of

from agentpprof.ingest import reader
from agentpprof.zones import day_name, zone_spans

TOKENS = (
    "select count(input_tokens), sum(input_tokens), "
    "sum(cache_write_5m_tokens + cache_write_1h_tokens), sum(cache_read_tokens), "
    "sum(output_tokens) from operation"
)


class Bench:
    """A home to write logs into, and what the index says of them."""

    def __init__(self, folder: Path) -> None:
        """Begin with an empty home."""
        self.home = folder / "home"
        self.connections: list[sqlite3.Connection] = []

    def index(self) -> sqlite3.Connection:
        """Bring the database up to date and return a connection."""
        self.connections.append(index_home(self.home))
        return self.connections[-1]

    def tokens(self) -> tuple[int, int, int, int, int]:
        """Index; return responses, input, cache writes, cache reads and output."""
        row: tuple[int, int, int, int, int] = self.index().execute(TOKENS).fetchone()
        return row

    def rows(self, query: str, *values: Any) -> list[Record]:
        """Index; return the rows of a query by column."""
        return rows_of(self.index(), query, *values)

    def count(self, query: str) -> Any:
        """Index; return the one value of a query."""
        return self.index().execute(query).fetchone()[0]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """An empty home with an index."""
    made = Bench(tmp_path)
    yield made
    for connection in made.connections:
        connection.close()


def response_rows(log: ClaudeSession, *outputs: int, **fields: Any) -> list[Record]:
    """Append one response as a row for each output count."""
    message_id = fields.pop("message_id", "msg_a")
    return [
        log.assistant(
            [text(f"part {n}")],
            message_id=message_id,
            usage=claude_usage(10, output, cache_read=1000, cache_write_5m=100),
            **fields,
        )
        for n, output in enumerate(outputs)
    ]


def test_row_01_the_last_and_largest_output_of_a_response_counts(bench: Bench) -> None:
    log = ClaudeSession()
    response_rows(log, 3, 3, 270)
    log.write(bench.home)
    assert bench.tokens() == (1, 10, 100, 1000, 270)


def test_row_02_a_response_counts_once_however_many_rows_its_blocks_take(bench: Bench) -> None:
    log = ClaudeSession()
    log.respond([thinking("Hm"), text("So"), tool_block("Bash", {"command": "ls"})])
    log.write(bench.home)
    assert bench.tokens() == (1, 10, 100, 1000, 50)
    assert bench.count("select count(*) from usage_line") == 3


def test_row_03_input_that_differs_between_the_rows_of_a_sub_agent_is_never_summed(
    bench: Bench,
) -> None:
    log = ClaudeSession(agent_id="a1")
    for input_tokens, cache_read in ((7, 900), (10, 1000), (10, 1000)):
        usage = claude_usage(input_tokens, 5, cache_read=cache_read)
        log.assistant("x", message_id="msg_a", usage=usage)
    log.write(bench.home)
    assert bench.tokens() == (1, 10, 100, 1000, 5)


def test_row_04_every_row_keeps_its_tool_calls_and_the_response_its_first_time(
    bench: Bench,
) -> None:
    log = ClaudeSession()
    blocks = [tool_block("Bash", {"command": f"echo {n}"}) for n in range(3)]
    log.respond([text("Go"), *blocks, tool_block("mcp__tracker__get_issue", {"id": 1})])
    log.write(bench.home)
    tools = bench.rows("select tool, count(*) as n from operations where op = 'tool' group by 1")
    assert tools == [{"tool": "Bash", "n": 3}, {"tool": "mcp__tracker__get_issue", "n": 1}]
    started = bench.count("select started_at_ms from operation where op = 1")
    assert started == ms(log.records[0]["timestamp"])


def test_row_05_a_response_without_a_request_id_is_known_by_its_message_id(bench: Bench) -> None:
    log = ClaudeSession()
    response_rows(log, 3, 40, requestId=None)
    other = ClaudeSession("session-2")
    response_rows(other, 40, requestId=None)
    log.write(bench.home)
    other.write(bench.home)
    assert bench.tokens() == (1, 10, 100, 1000, 40)


@pytest.mark.parametrize("copies", [1, 15])
def test_row_06_resumed_and_forked_history_counts_in_its_first_session_only(
    bench: Bench, copies: int
) -> None:
    log = ClaudeSession("session-b")
    prompt = log.user("Do it")
    response_rows(log, 40)
    log.call("Bash", {"command": "ls"})
    log.write(bench.home)
    for number in range(copies):
        # Names before and behind the first file's, later sessions with the old records inside.
        copy = ClaudeSession(f"session-{'ac'[number % 2]}{number}", start="2026-05-04T10:00:00Z")
        copy.records = [{**one, "sessionId": copy.session_id} for one in log.records]
        copy.user(f"Go on {number}")
        copy.write(bench.home)
    assert bench.tokens() == (2, 20, 200, 2000, 90)
    owned = bench.rows(
        "select session_id, count(*) as n from operations "
        "where op != 'prompt' or prompt_id = ? group by 1",
        prompt["uuid"],
    )
    # At equal rank, the session whose id comes first.
    first = min(["session-b", *(f"session-{'ac'[n % 2]}{n}" for n in range(copies))])
    assert owned == [{"session_id": first, "n": 4}]
    assert bench.count("select count(*) from prompts") == 1 + copies


def test_row_06_a_copy_that_keeps_its_old_session_id_belongs_to_the_file_of_that_session(
    bench: Bench,
) -> None:
    log = ClaudeSession("session-b")
    log.user("Do it")
    response_rows(log, 40)
    log.write(bench.home)
    copy = ClaudeSession("session-a")
    copy.records = [
        {**one, "forkedFrom": {"sessionId": "session-b", "messageUuid": one["uuid"]}}
        for one in log.records
    ]
    copy.write(bench.home)
    owners = {row["session_id"] for row in bench.rows("select session_id from operations")}
    paths = {row["log_path"] for row in bench.rows("select log_path from operations")}
    assert owners == {"session-b"}
    assert paths == {str(log.path(bench.home))}


def test_row_07_a_side_question_that_repeats_the_parent_leaves_it_to_the_main_file(
    bench: Bench,
) -> None:
    log = ClaudeSession()
    row = response_rows(log, 40)[0]
    log.write(bench.home)
    side = ClaudeSession(agent_id="aside_question-1")
    side.add({**row, "requestId": "req_other", "timestamp": START})
    response_rows(side, 9, message_id="msg_b")
    side.write(bench.home)
    assert bench.tokens() == (2, 20, 200, 2000, 49)
    owned = bench.rows("select session_id, output_tokens from operations order by output_tokens")
    assert owned == [
        {"session_id": "session-1/aside_question-1", "output_tokens": 9},
        {"session_id": "session-1", "output_tokens": 40},
    ]


def test_row_08_records_written_twice_into_one_file_count_once(bench: Bench) -> None:
    log = ClaudeSession()
    log.user("Do it")
    response_rows(log, 3, 40)
    log.call("Bash", {"command": "grep -n x a.py"}, "Exit code 1\n", is_error=True)
    log.call("Bash", {"command": "ls"})
    log.records = [one for one in log.records for _ in range(2)]
    log.write(bench.home)
    assert bench.tokens() == (3, 30, 300, 3000, 140)
    assert bench.rows("select op, count(*) as n from operations group by 1 order by 1") == [
        {"op": "llm", "n": 3},
        {"op": "prompt", "n": 1},
        {"op": "tool", "n": 2},
    ]
    calls = bench.rows("select result, repeat from operations where op = 'tool' order by result")
    assert calls == [{"result": "error", "repeat": None}, {"result": "ok", "repeat": None}]
    texts = bench.rows("select text from operation where op = 1 and output_tokens = 40")
    assert texts == [{"text": "part 0\npart 1"}]


@pytest.mark.parametrize(
    "place",
    [
        "session-1/subagents/agent-a1.jsonl",
        "session-1/subagents/workflows/run-1/agent-a1.jsonl",
        "agent-a1.jsonl",
    ],
)
def test_row_09_sub_agents_files_count_wherever_they_lie(bench: Bench, place: str) -> None:
    log = ClaudeSession()
    response_rows(log, 40)
    log.write(bench.home)
    agent = ClaudeSession(agent_id="a1")
    agent.user("Look")
    response_rows(agent, 7, message_id="msg_b")
    write_log(bench.home / "projects" / "-home-dev-shop" / place, agent.records)
    write_log(bench.home / "projects/-home-dev-shop/session-1/journal.jsonl", agent.records)
    assert bench.tokens() == (2, 20, 200, 2000, 47)
    sessions = bench.rows("select session_id, parent_session_id, output_tokens from sessions")
    assert {"session_id": "session-1/a1", "parent_session_id": "session-1", "output_tokens": 7} in (
        sessions
    )
    assert bench.count("select count(*) from prompts") == 0
    assert bench.count("select count(*) from log_files") == 2


def test_row_09_a_sub_agent_that_stands_in_progress_records_only_counts_under_its_own_id(
    bench: Bench,
) -> None:
    log = ClaudeSession()
    call = log.tool_use("Task", {"subagent_type": "searcher", "prompt": "Look"})
    agent = ClaudeSession(agent_id="a1")
    agent.user("Look")
    response_rows(agent, 7, message_id="msg_b")
    for record in agent.records:
        log.add(progress_copy(record, "a1", call))
    log.write(bench.home)
    row = bench.rows("select * from sessions where session_id = 'session-1/a1'")[0]
    assert (row["subagent"], row["output_tokens"]) == ("searcher", 7)
    assert bench.tokens() == (2, 20, 200, 2000, 57)


def test_row_10_a_sub_agents_response_without_its_final_row_is_a_lower_bound(
    bench: Bench,
) -> None:
    log = ClaudeSession(agent_id="a1", version="2.1.222")
    response_rows(log, 1, 8, stop_reason=None)
    response_rows(log, 30, message_id="msg_b")
    log.write(bench.home)
    found = bench.rows("select output_tokens, quality from operations order by 1")
    assert found == [
        {"output_tokens": 8, "quality": "partial"},
        {"output_tokens": 30, "quality": "exact"},
    ]


@pytest.mark.parametrize(
    ("version", "quality"),
    [
        ("2.1.7", "exact"),
        ("2.1.12", "placeholder"),
        ("2.1.29", "placeholder"),
        ("2.1.30", "partial"),
        ("2.1.222", "partial"),
    ],
)
def test_row_11_placeholders_are_flagged_by_the_version_that_wrote_them(
    bench: Bench, version: str, quality: str
) -> None:
    log = ClaudeSession(version=version)
    response_rows(log, 1, 2, stop_reason=None)
    log.write(bench.home)
    assert bench.count("select quality from operations") == quality


def test_row_12_cache_writes_of_an_hour_and_of_five_minutes_stand_apart(bench: Bench) -> None:
    log = ClaudeSession()
    log.assistant("x", usage=claude_usage(cache_write_5m=30, cache_write_1h=70))
    old = claude_usage(cache_write_5m=5)
    del old["cache_creation"]
    log.assistant("x", usage=old)
    log.write(bench.home)
    split = "select sum(cache_write_5m_tokens) as short, sum(cache_write_1h_tokens) as long"
    assert bench.rows(f"{split} from operation") == [{"short": 35, "long": 70}]


@pytest.mark.parametrize("is_read_at_once", [True, False])
@pytest.mark.parametrize("order", [1, -1])
def test_row_12_cache_writes_that_only_some_rows_part_are_not_added(
    bench: Bench, order: int, is_read_at_once: bool
) -> None:
    whole, parted = claude_usage(cache_write_5m=1000), claude_usage(0, 0, cache_write_1h=1000)
    parted["cache_creation"]["ephemeral_5m_input_tokens"] = 0
    parted["cache_creation_input_tokens"] = 1000
    del whole["cache_creation"]
    log = ClaudeSession()
    for usage in (whole, parted)[::order]:
        log.assistant("x", message_id="msg_a", usage=usage)
        log.write(bench.home)
        if not is_read_at_once:
            bench.index()
    assert bench.tokens() == (1, 10, 1000, 1000, 50)
    assert bench.count("select cache_write_1h_tokens from operation") == 1000


def test_row_12_of_two_partings_the_larger_sum_and_the_larger_hour_count(bench: Bench) -> None:
    log = ClaudeSession()
    for short, long in ((20, 30), (60, 0)):
        usage = claude_usage(cache_write_5m=short, cache_write_1h=long)
        log.assistant("x", message_id="msg_a", usage=usage)
    log.write(bench.home)
    assert bench.tokens() == (1, 10, 60, 1000, 50)
    assert bench.count("select cache_write_1h_tokens from operation") == 30


@pytest.mark.parametrize("is_read_at_once", [True, False])
def test_a_response_whose_text_was_cut_has_no_estimate_however_it_was_read(
    bench: Bench, is_read_at_once: bool
) -> None:
    log = ClaudeSession()
    for words in ("x" * 3000, "y" * 2000):
        del log.assistant(words, message_id="msg_a")["message"]["usage"]
        log.write(bench.home)
        if not is_read_at_once:
            bench.index()
    assert bench.rows("select token, tokens from token_usage") == [
        {"token": "unknown", "tokens": 1}
    ]


def test_row_13_an_advisors_tokens_count_once_under_its_own_model(bench: Bench) -> None:
    step = {"input_tokens": 400, "output_tokens": 60, "cache_read_input_tokens": 5}
    iterations = [
        {"type": "message", "input_tokens": 10, "output_tokens": 50},
        {"type": "advisor_message", "model": "claude-opus-4-6", **step},
    ]
    log = ClaudeSession()
    for words in ("one", "two"):
        usage = claude_usage(iterations=iterations)
        log.assistant([text(words)], message_id="msg_a", usage=usage)
    log.write(bench.home)
    found = bench.rows("select model, input_tokens, output_tokens from operations order by 2")
    assert found == [
        {"model": "claude-sonnet-4-5-20250929", "input_tokens": 10, "output_tokens": 50},
        {"model": "claude-opus-4-6", "input_tokens": 400, "output_tokens": 60},
    ]


def test_row_14_the_logs_own_costs_may_be_missing_null_or_there(bench: Bench) -> None:
    log = ClaudeSession()
    for number, cost in enumerate(({}, {"costUSD": None}, {"costUSD": 0.01, "durationMs": 5})):
        response_rows(log, 40, message_id=f"msg_{number}", **cost)
    log.write(bench.home)
    assert bench.tokens() == (3, 30, 300, 3000, 120)


def test_row_15_a_synthetic_record_is_no_call_but_an_api_error_fails_its_prompt(
    bench: Bench,
) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.add(api_error("API Error: 529 overloaded", at=log.clock.tick()))
    log.write(bench.home)
    assert bench.count("select count(*) from operations where op = 'llm'") == 0
    assert bench.count("select count(*) from name where text = '<synthetic>'") == 0
    assert bench.count("select outcome from prompts") == "failed"
    assert bench.count("select count(*) from usage_line where reason = 3") == 1


def test_row_16_a_file_is_read_in_pieces_and_no_record_is_left_out_by_its_date(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    pread = os.pread

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        sizes.append(size)
        return pread(descriptor, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    monkeypatch.setattr(reader.read_pieces, "__defaults__", (4096,))
    log = ClaudeSession(start="2020-01-01T00:00:00Z")
    for number in range(50):
        response_rows(log, 40, message_id=f"msg_{number}")
    log.write(bench.home)
    assert bench.tokens()[0] == 50
    assert max(sizes) == 4096


def test_row_17_a_picture_of_many_megabytes_and_a_bad_line_cost_only_themselves(
    bench: Bench,
) -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 9_000_000}}
    log = ClaudeSession()
    log.user([picture])
    response_rows(log, 40)
    path = log.write(bench.home)
    path.write_bytes(b"not json\n" + path.read_bytes())
    assert bench.tokens()[0] == 1
    assert bench.count("select count(*) from prompts") == 1
    assert bench.rows("select offset, length, reason from bad_lines") == [
        {"offset": 0, "length": 8, "reason": "damaged"}
    ]


def test_row_18_what_stands_behind_eight_megabytes_is_read(bench: Bench) -> None:
    log = ClaudeSession()
    for number in range(3):
        log.call("Bash", {"command": "ls"}, "x" * 4_000_000)
        response_rows(log, 40, message_id=f"msg_{number}")
    log.write(bench.home)
    found = bench.rows("select count(*) as n from operations where model is not null")
    assert found == [{"n": 6}]


def test_row_19_the_project_comes_from_the_first_record_that_has_a_cwd(bench: Bench) -> None:
    log = ClaudeSession(cwd="/home/dev/my_shop.v2")
    log.side("summary", summary="Old", leafUuid="x")
    log.user("Do it", cwd=None)
    log.user("And that")
    log.user("Elsewhere", cwd="/home/dev/other")
    log.write(bench.home)
    assert log.path(bench.home).parent.name == "-home-dev-my-shop-v2"
    assert bench.rows("select project, cwd from sessions") == [
        {"project": "my_shop.v2", "cwd": "/home/dev/my_shop.v2"}
    ]


def test_row_20_a_session_that_moves_into_a_worktree_stays_one_session_of_its_project(
    bench: Bench,
) -> None:
    log = ClaudeSession()
    log.user("Do it")
    response_rows(log, 40)
    path = log.write(bench.home)
    bench.index()
    worktree = "/home/dev/shop/.claude/worktrees/fix"
    moved = bench.home / "projects" / slug(worktree) / path.name
    moved.parent.mkdir()
    path.rename(moved)
    log.fields["cwd"] = worktree
    response_rows(log, 50, message_id="msg_b")
    write_log(moved, log.records)
    other = ClaudeSession("session-2", cwd=worktree)
    other.user("Next")
    other.write(bench.home)
    assert bench.tokens() == (2, 20, 200, 2000, 90)
    assert bench.rows("select session_id, project from sessions order by 1") == [
        {"session_id": "session-1", "project": "shop"},
        {"session_id": "session-2", "project": "shop"},
    ]


def queued(log: ClaudeSession, operation: str, content: str | None = None) -> None:
    """Append an operation on the queue of typed messages."""
    fields = {} if content is None else {"content": content}
    log.side("queue-operation", operation=operation, timestamp=log.clock.tick(), **fields)


def attached(log: ClaudeSession, prompt: Any) -> None:
    """Append a queued command as late versions write it."""
    record = user("", at=log.clock.tick())
    del record["message"]
    log.add({**record, "type": "attachment", "attachment": {"type": "queued_command"}})
    log.records[-1]["attachment"]["prompt"] = prompt


def test_row_21_a_message_typed_meanwhile_counts_once_in_every_version(bench: Bench) -> None:
    late = ClaudeSession("late", version="2.1.140")
    queued(late, "enqueue", "Hurry")
    queued(late, "remove", "Hurry")
    attached(late, "Hurry")
    attached(late, [text("A picture"), {"type": "image", "source": {}}])
    attached(late, "<task-notification>done</task-notification>")
    late.write(bench.home)
    middle = ClaudeSession("middle", version="2.1.60")
    middle.user("Begin")
    queued(middle, "enqueue", "Faster")
    queued(middle, "remove")
    middle.write(bench.home)
    early = ClaudeSession("early", version="2.1.60")
    queued(early, "enqueue", "Then this")
    queued(early, "dequeue")
    early.user("Then this")
    early.write(bench.home)
    found = bench.rows("select session_id, origin, text from prompts order by 1, started_at_ms")
    assert [tuple(row.values()) for row in found] == [
        ("early", "typed", "Then this"),
        ("late", "queued", "Hurry"),
        ("late", "queued", "A picture"),
        ("middle", "typed", "Begin"),
        ("middle", "queued", "Faster"),
    ]


def test_row_22_a_notice_of_a_task_is_no_prompt(bench: Bench) -> None:
    log = ClaudeSession()
    log.user("Do it")
    log.user("<task-notification>done</task-notification>", isMeta=None)
    log.user("Told by a channel", origin={"kind": "channel"})
    log.user("Typed", origin={"kind": "human"})
    log.write(bench.home)
    texts = [row["text"] for row in bench.rows("select text from prompts order by started_at_ms")]
    assert texts == ["Do it", "Typed"]


def test_row_23_a_cut_last_line_waits_and_a_replaced_file_is_read_anew(bench: Bench) -> None:
    log = ClaudeSession()
    response_rows(log, 40)
    path = log.write(bench.home)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert bench.tokens()[0] == 0
    path.write_bytes(whole)
    assert bench.tokens() == (1, 10, 100, 1000, 40)
    other = ClaudeSession()
    response_rows(other, 41, message_id="msg_b")
    replacement = encode_log(other.records)
    assert len(replacement) == len(whole)  # the size alone does not tell
    path.write_bytes(replacement)
    assert bench.tokens() == (2, 20, 200, 2000, 81)


def test_row_24_a_late_result_and_a_late_row_change_what_was_stored(
    bench: Bench, tmp_path: Path
) -> None:
    log = ClaudeSession()
    log.user("Do it")
    call = log.tool_use("Bash", {"command": "pytest"}, message_id="msg_a")
    path = log.write(bench.home)
    bench.index()
    log.tool_result(call, "Exit code 1\nbroken", is_error=True)
    log.assistant("Broken", message_id="msg_a", usage=claude_usage(output_tokens=90))
    log.write(bench.home)
    assert bench.rows("select result from operations where op = 'tool'") == [{"result": "error"}]
    assert bench.tokens() == (1, 10, 100, 1000, 90)
    with closing(index_home(bench.home, tmp_path / "anew.db")) as anew:
        assert differences(canonical_dump(bench.index()), canonical_dump(anew)) == []
    assert path.stat().st_size == bench.count("select offset from log_files")


def test_row_25_a_response_counts_on_the_day_of_its_first_row_in_the_stored_zone(
    bench: Bench,
) -> None:
    log = ClaudeSession(start="2026-05-04T23:59:58.000Z")
    response_rows(log, 3, 40)
    log.write(bench.home)
    started, ended = bench.rows("select started_at_ms, ended_at_ms from operations")[0].values()
    assert (day_in("UTC", started), day_in("UTC", ended)) == ("2026-05-04", "2026-05-05")
    assert day_in("Asia/Tokyo", started) == "2026-05-05"
    assert bench.count("select value from meta where key = 'zone'") == "UTC"


def day_in(zone: str, time_ms: int) -> str:
    """The day of a time, counted as the weights do."""
    spans = [offset for start, offset in zone_spans(zone, (time_ms, time_ms)) if start <= time_ms]
    return day_name((time_ms + spans[-1]) // 86_400_000)


def test_row_26_two_records_of_one_time_are_two(bench: Bench) -> None:
    log = ClaudeSession()
    log.user("One", after=0)
    log.user("Two", after=0)
    for number in range(2):
        response_rows(log, 40, message_id=f"msg_{number}", after=0)
    log.write(bench.home)
    assert bench.tokens()[0] == 2
    assert bench.count("select count(*) from prompts") == 2


def test_row_27_glued_cut_and_nul_lines_cost_only_what_is_lost(bench: Bench) -> None:
    log = ClaudeSession()
    rows = [encode_log(response_rows(log, 40, message_id=f"msg_{n}")) for n in range(7)]
    lines = [
        rows[0].rstrip() + rows[1],  # glued
        rows[2][:50] + rows[3],  # cut, with the next one behind it
        b"\0" * 300 + rows[4],
        b"\xef\xbb\xbf" + rows[5].replace(b"\n", b"\r\n"),
        b"\0" * 12 + b"\n",
        rows[6][:-40],  # the process was killed, and wrote nothing since
    ]
    path = write_log(log.path(bench.home), [])
    path.write_bytes(b"".join(lines))
    bad = bench.rows("select offset, length, reason from bad_lines order by 1")
    assert bench.tokens()[0] == 5
    cut = len(lines[0])
    nuls = sum(map(len, lines[:4]))
    assert bad == [
        {"offset": cut, "length": 50, "reason": "damaged"},
        {"offset": nuls, "length": 12, "reason": "damaged"},
    ]
    assert bench.rows("select pending_bytes from log_files") == [
        {"pending_bytes": len(rows[6]) - 40}
    ]


def test_the_offsets_of_glued_records_are_where_each_begins(bench: Bench) -> None:
    log = ClaudeSession()
    rows = [encode_log(response_rows(log, 40, message_id=f"msg_{n}")) for n in range(3)]
    path = write_log(log.path(bench.home), [])
    data = rows[0].rstrip() + rows[1] + b"\n" + rows[2]  # a blank line makes up for the glued one
    path.write_bytes(data)
    offsets = [row["log_offset"] for row in bench.rows("select log_offset from operations")]
    assert sorted(offsets) == [data.index(row.rstrip()) for row in rows]


def ms(timestamp: str) -> int:
    """A log's time in milliseconds."""
    return round(Clock(timestamp).time.timestamp() * 1000)
