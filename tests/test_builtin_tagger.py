"""The built-in tagger: agreement with tables of prompts, odd texts, speed, sessions."""

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.tagging.builtin import (
    BUILTIN_VERSION,
    definition,
    score_prompt,
    tag_prompt,
    tag_session,
    word_data,
)
from agentpprof.tagging.word_lists import lexicon, vocabulary
from agentpprof.vocabulary import TAGS, UNTAGGED

TABLE = Path(__file__).parent / "data" / "tagged-prompts.jsonl"
SAMPLES = Path(os.environ.get("AGENTPPROF_SAMPLES", Path(__file__).parents[2] / "shared/samples"))
LABELLED = SAMPLES.parent / "labelled-prompts.json"
ALLOWED = {*TAGS, UNTAGGED}
_WORDS = "fix the bug test don't commit ? . ` \" , ``` /review Error: http://x <a> 1 yes @ 👍"
PIECES = (*_WORDS.split(), *["不要", "提交", "テスト", "커밋", "тест", "não"], "\0", "\n")


def read_table() -> list[dict[str, str]]:
    return [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


def agreement(rows: list[dict[str, str]]) -> tuple[float, list[str]]:
    """Return the share of right tags, and a line for each wrong one."""
    wrong = [
        f"{row['tag']}, not {given}: {row['text'][:80]!r}"
        for row in rows
        if (given := tag_prompt(row["text"])) != row["tag"]
    ]
    return 1 - len(wrong) / len(rows), wrong


def test_the_table_covers_every_tag_and_language() -> None:
    rows = read_table()
    assert len(rows) >= 250
    assert {row["tag"] for row in rows} == set(TAGS)
    assert {row["lang"] for row in rows} == {"en", "zh", "ja", "ko", "es", "pt", "de", "fr", "ru"}


def test_nine_of_ten_prompts_of_the_table_get_their_tag() -> None:
    share, wrong = agreement(read_table())
    assert share >= 0.9, "\n".join(wrong)


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko", "es", "pt", "de", "fr", "ru"])
def test_every_language_is_understood(language: str) -> None:
    share, wrong = agreement([row for row in read_table() if row["lang"] == language])
    assert share >= 0.8, "\n".join(wrong)


@pytest.mark.skipif(not LABELLED.is_file(), reason="the labelled prompts are not at hand")
def test_real_prompts_get_the_tags_that_people_gave_them() -> None:
    rows: list[dict[str, str]] = json.loads(LABELLED.read_text("utf-8"))
    share, wrong = agreement(rows)
    untagged = sum(tag_prompt(row["text"]) == UNTAGGED for row in rows)
    assert share >= 0.8, "\n".join(wrong)
    assert untagged <= 0.05 * len(rows)


@given(st.text())
def test_any_text_gets_a_tag_of_the_list(text: str) -> None:
    tag = tag_prompt(text)
    assert tag in ALLOWED
    assert tag == next(iter(score_prompt(text)), UNTAGGED)


@given(
    st.lists(st.sampled_from(PIECES)),
    st.sampled_from(["", " "]),
)
def test_any_mixture_of_words_gets_a_tag_of_the_list(words: list[str], between: str) -> None:
    assert tag_prompt(between.join(words)) in ALLOWED


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_slash_command_is_taken(text: str, command: str) -> None:
    assert tag_prompt(text, command) in ALLOWED


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("", "chat"),
        ("   \n\t ", "chat"),
        ("🎉", "chat"),
        ("[Image #1]", "chat"),
        ("\0\0\0", "chat"),
        ("fix\0 the bug", "debug"),
        ("\u202efix the bug\u202c", "debug"),
        ("fix the bug 修复", "debug"),
        ("\ud800 fix the bug", "debug"),
    ],
)
def test_odd_texts(text: str, tag: str) -> None:
    assert tag_prompt(text) == tag


def test_word_lists_say_the_same_whatever_their_quotes() -> None:
    for name, content in word_data():
        text = content.decode()
        assert tomllib.loads(text) == tomllib.loads(text.replace('"""', "'''")), name


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_a_vocabulary_is_that_of_the_phrases(language: str) -> None:
    whole = lexicon(language)
    assert vocabulary(language) == (whole.own, whole.stems)


def test_a_language_without_word_lists_is_untagged() -> None:
    assert tag_prompt("الرجاء إصلاح الخطأ في صفحة تسجيل الدخول") == UNTAGGED


@pytest.mark.parametrize(
    ("command", "tag"),
    [
        ("/review", "review"),
        ("review", "review"),
        ("/commit", "git"),
        ("/init", "docs"),
        ("superpowers:brainstorming", "plan"),
        ("/security-review", "security"),
        ("/test", "test"),
        ("/pr-comments", "review"),
    ],
)
def test_a_slash_command_gives_the_tag(command: str, tag: str) -> None:
    assert tag_prompt("", command) == tag
    assert tag_prompt("the parser", command) == tag


def test_a_typed_slash_command_is_seen_in_the_text() -> None:
    assert tag_prompt("/review 12") == "review"
    assert tag_prompt("<command-name>/commit</command-name><command-args></command-args>") == "git"


def test_a_path_is_no_slash_command() -> None:
    assert tag_prompt("/home/me/test.py crashes") == "debug"


def test_an_unknown_command_leaves_it_to_the_text() -> None:
    assert tag_prompt("fix the crash", "/frobnicate") == "debug"


def test_what_is_negated_does_not_count() -> None:
    assert tag_prompt("rename the class, but don't commit") == "refactor"
    assert tag_prompt("don't push yet, first run the tests") == "test"


def test_what_is_quoted_hardly_counts() -> None:
    assert tag_prompt('rename the "commit and push" button') == "refactor"


def test_the_last_request_decides() -> None:
    assert tag_prompt("does this mean we can drop the shims?\n\ncommit please and push") == "git"


def test_where_work_is_named_going_on_is_no_more_the_point() -> None:
    ticket = "Add retries to the mail sender. Look at the ticket for what is ready. "
    assert tag_prompt(f"{ticket}Start with the first ready task.") == "feature"
    assert tag_prompt("Start with the first ready task.") == "follow"


def test_typing_errors_are_forgiven() -> None:
    assert tag_prompt("refacor the parser") == "refactor"
    assert tag_prompt("implmeent the parser") == "feature"


def test_a_pasted_log_does_not_hide_the_request() -> None:
    log = "\n".join(f"2026-01-02 10:00:{n:02} INFO commit review test deploy" for n in range(40))
    assert tag_prompt(f"explain what this means\n{log}") == "explain"


def test_a_prompt_of_five_megabytes_is_fast() -> None:
    started = time.process_time()
    tag_prompt("fix the bug `x` in (a) {b};\n" * 180_000)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    "piece", ["`", "a ", "a.", "<a ", "/", "(", "    \n", "@", "[Image ", ":", "1.1.", "\t", '"']
)
def test_hostile_repetition_is_fast(piece: str) -> None:
    started = time.process_time()
    tag_prompt(piece * 4000 + "\nx")
    assert time.process_time() - started < 0.5


@pytest.mark.slow
def test_a_hundred_thousand_prompts_take_under_ten_seconds() -> None:
    rows = [row["text"] for row in read_table() if row["lang"] == "en"]
    texts = [f"{rows[n % len(rows)]} {n}" for n in range(20_000)]
    seconds = []
    for part in range(0, 20_000, 4_000):  # the best of five: the machine may have other work
        started = time.process_time()
        for text in texts[part : part + 4_000]:
            tag_prompt(text)
        seconds.append(time.process_time() - started)
    assert min(seconds) * 25 < 10


def test_importing_the_tagger_reads_no_word_lists() -> None:
    code = (
        "import sys, agentpprof.tagging.builtin;"
        "assert not {'tomllib', 'agentpprof.tagging.word_lists', 're2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scores_are_those_of_the_list_highest_first() -> None:
    scores = score_prompt("write a test for the parser and commit")
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    assert set(scores) <= set(TAGS)


def test_equal_tags_in_every_process() -> None:
    code = (
        "from agentpprof.tagging.builtin import *;"
        "print(score_prompt('fix the flaky test, then review and commit'), definition())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("pairs", "tag"),
    [
        ([], UNTAGGED),
        ([("debug", 3), ("test", 5), ("debug", 3)], "debug"),
        ([("test", 2), ("debug", 2)], "debug"),
        ([("follow", 90), ("chat", 80), (UNTAGGED, 70), ("git", 1)], "git"),
        ([("follow", 2), ("chat", 5)], "chat"),
        ([(UNTAGGED, 5), ("follow", 1)], "follow"),
        ([("zebra", 2), ("apple", 2)], "apple"),
        ([("feature", 2), ("build", 2)], "build"),
    ],
)
def test_the_weightiest_tag_names_the_session(pairs: list[tuple[str, int]], tag: str) -> None:
    assert tag_session(pairs) == tag


def test_the_definition_names_version_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from agentpprof.tagging import builtin

    before: Any = definition()
    assert f"builtin {BUILTIN_VERSION} " in before
    monkeypatch.setattr(builtin, "word_data", lambda: [("en.toml", b"other words")])
    definition.cache_clear()
    assert definition() != before
    definition.cache_clear()
