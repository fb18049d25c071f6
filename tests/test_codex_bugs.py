"""Public bug reports about readers of Codex's logs, each as a test with the right values: counts.

Rows 8 to 17: test_codex_bugs_tools.py. Where the reports of a row are:

1 ccusage/ccusage#876, ccusage/ccusage#884, junhoyeo/tokscale#300; 2 ccusage/ccusage#950,
ccusage/ccusage#1349, junhoyeo/tokscale#679; 3 ccusage/ccusage#1460, ccusage/ccusage#1501;
4 stablyai/orca#19152; 5 junhoyeo/tokscale#308; 6 kenn-io/agentsview#362, ccusage/ccusage#641;
7 openai/codex#34863, ccusage/ccusage#1124.
"""

from builders import Record
from builders_codex import (
    CodexThread,
    codex_usage,
    event,
    function_call,
    item,
    line,
    message,
    meta,
    token_count,
    turn_context,
    user_message,
)
from test_codex import counted, facts_of, only, total

from agentpprof.agents.facts import (
    CallFact,
    PromptFact,
    ResponseFact,
    ResultFact,
)

START_S = 1_777_885_200  # 2026-05-04T09:00:00Z


def at(seconds: float) -> str:
    """A time so long after 09:00:00."""
    minutes, rest = divmod(seconds, 60)
    return f"2026-05-04T09:{int(minutes):02}:{rest:06.3f}Z"


def task(turn_id: str, begins: float, *, written: float) -> Record:
    """A turn's first line; in a copy it was written long after the turn began."""
    return event("task_started", turn_id=turn_id, started_at=int(START_S + begins), at=at(written))


def fork(*, is_dated: bool = True, gap: float = 0.001) -> list[Record]:
    """A fork at 09:00:00 of `parent` (two counts, one call), with one own response."""
    steps = iter(range(1, 20))
    moment = lambda: at(next(steps) * gap)  # noqa: E731
    head = [
        meta("child", forked_from_id="parent", at=at(0)),
        meta("parent", timestamp="2026-05-04T08:00:00Z", at=moment()),
    ]
    if is_dated:
        begins = event("task_started", turn_id="old", started_at=START_S - 3000, at=moment())
        head.append(begins)
    copied = [
        user_message("Old task", at=moment()),
        function_call("shell", {"command": "old"}, call_id="c1", at=moment()),
        token_count(codex_usage(10_000, 500), at=moment()),
        token_count(codex_usage(20_000, 900), codex_usage(10_000, 400), at=moment()),
    ]
    own: list[Record] = [task("new", 600, written=600)] if is_dated else []
    own += [
        user_message("New task", at=at(600)),
        function_call("shell", {"command": "new"}, call_id="c2", at=at(601)),
        token_count(codex_usage(25_000, 1_100), codex_usage(5_000, 200), at=at(602)),
    ]
    return head + copied + own


def test_row_01_a_repeated_total_counts_once() -> None:
    log = CodexThread("t1")
    log.turn("x")
    log.add(message("a"))
    log.count(codex_usage(100, 10), repeats=3)
    log.add(token_count(None))
    log.add(message("b"))
    log.count(codex_usage(100, 10), repeats=1)
    facts = facts_of(*log.records)
    assert total(facts) == (200, 0, 0, 20, 0)
    assert len([fact for fact in only(facts, ResponseFact) if fact.usage]) == 6


def test_row_02_a_childs_replay_is_its_parents() -> None:
    facts = facts_of(*fork())
    assert total(facts) == (5_000, 0, 0, 200, 0)
    inherited = [fact for fact in only(facts, ResponseFact) if fact.reason == "inherited"]
    assert [fact.usage.input_tokens for fact in inherited] == [10_000, 10_000]
    assert {fact.quality for fact in inherited} == {"exact"}


def test_row_02_copies_carry_the_ids_of_the_thread_they_come_from() -> None:
    child = facts_of(*fork())
    parent = facts_of(
        meta("parent", timestamp="2026-05-04T08:00:00Z"),
        task("old", -3000, written=0),
        user_message("Old task"),
        function_call("shell", {"command": "old"}, call_id="c1"),
        token_count(codex_usage(10_000, 500)),
        token_count(codex_usage(20_000, 900), codex_usage(10_000, 400)),
    )
    for kind in (PromptFact, CallFact):
        copies = [fact.natural_id for fact in only(child, kind) if fact.where.is_copy]
        assert copies == [fact.natural_id for fact in only(parent, kind)]
    inherited = {
        fact.natural_id for fact in only(child, ResponseFact) if fact.reason == "inherited"
    }
    assert inherited == set(counted(parent))


def test_row_02_a_nested_fork_gives_each_turn_to_the_thread_that_made_it() -> None:
    facts = facts_of(
        meta("child", forked_from_id="parent", at=at(0)),
        meta("parent", timestamp="2026-05-04T08:30:00Z", at=at(0.001)),
        meta("elder", timestamp="2026-05-04T08:00:00Z", at=at(0.002)),
        event("task_started", turn_id="e", started_at=START_S - 3500, at=at(0.003)),
        user_message("Elder", at=at(0.003)),
        event("task_started", turn_id="p", started_at=START_S - 1000, at=at(0.004)),
        user_message("Parent", at=at(0.004)),
        task("c", 60, written=60),
        user_message("Child", at=at(60)),
    )
    found = [(fact.natural_id, fact.where.session_id, fact.where.is_copy)
             for fact in only(facts, PromptFact)]  # fmt: skip
    assert found == [
        ("elder/e/1", "elder", True),
        ("parent/p/1", "parent", True),
        ("child/c/1", "child", False),
    ]


def test_row_02_the_ordinal_tells_a_paginated_childs_own_part() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}
    first = meta("child", source=spawn, subagent_history_start_ordinal=2, history_mode="paginated")
    call = function_call("shell", {}, call_id="c1")
    facts = facts_of({**first, "ordinal": 0}, {**call, "ordinal": 1}, {**call, "ordinal": 2})
    assert [fact.natural_id for fact in only(facts, CallFact)] == ["parent/c1", "child/c1"]


def test_row_03_without_turns_the_copy_ends_at_the_first_pause_and_is_uncertain() -> None:
    facts = facts_of(*fork(is_dated=False, gap=0.9))
    assert total(facts) == (5_000, 0, 0, 200, 0)
    responses = [fact for fact in only(facts, ResponseFact) if fact.usage]
    assert {fact.quality for fact in responses} == {"uncertain"}


def test_row_03_work_of_the_first_second_is_real_without_a_copied_meta() -> None:
    facts = facts_of(
        meta("child", parent_thread_id="parent"),
        *(token_count(codex_usage(n * 1000, n * 10), codex_usage(1000, 10), at=at(n / 9))
          for n in range(1, 4)),
    )  # fmt: skip
    assert total(facts) == (3_000, 0, 0, 30, 0)


def test_row_04_two_threads_with_equal_numbers_are_two() -> None:
    counts = [meta_and_count(thread, turn) for thread, turn in (("a", "t"), ("b", "t"))]
    first, second = (set(counted(facts_of(*records))) for records in counts)
    assert not first & second


def meta_and_count(thread: str, turn: str) -> list[Record]:
    """A thread with one response."""
    return [meta(thread), turn_context(turn), token_count(codex_usage(100, 10))]


def test_row_05_a_late_lower_total_is_stale_and_a_reset_is_none() -> None:
    facts = facts_of(
        meta(),
        token_count(codex_usage(100_000, 1_000)),
        token_count(codex_usage(110_000, 1_100), codex_usage(10_000, 100)),
        token_count(codex_usage(109_000, 1_090), codex_usage(9_000, 90)),
        token_count(codex_usage(120_000, 1_200), codex_usage(10_000, 100)),
        token_count(codex_usage(7_000, 70)),
        token_count(codex_usage(9_000, 90), codex_usage(2_000, 20)),
    )
    assert total(facts) == (129_000, 0, 0, 1_290, 0)
    reasons = [fact.reason for fact in only(facts, ResponseFact)]
    assert reasons == ["own", "own", "stale", "own", "own", "own"]
    assert len(counted(facts)) == 5


def test_row_06_cached_written_and_reasoning_tokens_are_parts() -> None:
    usage = codex_usage(1_000, 100, cached=600, reasoning=40, cache_write=150)
    assert total(facts_of(meta(), token_count(usage))) == (250, 150, 600, 100, 40)


def test_row_06_parts_above_the_whole_are_bounded_and_uncertain() -> None:
    facts = facts_of(meta(), token_count(codex_usage(100, 10, cached=300, reasoning=40)))
    assert total(facts) == (0, 0, 100, 10, 10)
    assert only(facts, ResponseFact)[0].quality == "uncertain"


def test_row_07_images_and_copied_histories_add_nothing() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 100_000}
    said = {"type": "input_text", "text": "Look"}
    facts = facts_of(
        meta(),
        item("message", role="user", content=[said, image]),
        user_message("Look", images=[image["image_url"]]),
        user_message("", images=[image["image_url"]]),
        line("compacted", {"message": "", "replacement_history": [message("x")["payload"]]}),
        item("custom_tool_call_output", call_id="c", output=[image]),
    )
    assert [fact.text for fact in only(facts, PromptFact)] == ["Look", ""]
    assert [type(fact) for fact in facts] == [PromptFact, PromptFact, ResultFact]
