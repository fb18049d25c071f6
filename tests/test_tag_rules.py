"""Rules that people write: their form, what is wrong with them, and which one wins."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.errors import UsageError
from agentpprof.patterns import PatternSet, compile_pattern
from agentpprof.tagging.rules import match_rules, parse_tag_rule, rule_warnings

WRONG = [
    ("prompt", "no `=`"),
    ("prompt:debug", "no `=`"),
    ("debug=crash", "no `:`"),
    ("=crash", "no `:`"),
    ("tool:debug=crash", "session, prompt, llm, all"),
    (":debug=crash", "unknown kind ``"),
    ("Prompt:debug=crash", "unknown kind `Prompt`"),
    ("prompt:=crash", "the tag is empty"),
    ("prompt:ab=crash", "`ab` is too short"),
    ("prompt:abcdefghijklm=crash", "`abcdefghijklm` is too long"),
    ("prompt:web2=crash", "other characters than a-z"),
    ("prompt:Debug=crash", "other characters than a-z"),
    ("prompt:größe=crash", "other characters than a-z"),
    ("prompt: debug=crash", "other characters than a-z"),
    ("prompt:debug=", "the pattern is empty"),
    (r"prompt:debug=(?<=a)b", "look-behind is not supported"),
    (r"prompt:debug=(?<!a)b", "look-behind is not supported"),
    (r"prompt:debug=(?=a)b", "look-ahead is not supported"),
    (r"prompt:debug=(?!a)b", "look-ahead is not supported"),
    (r"prompt:debug=(?>a)b", "atomic groups are not supported"),
    (r"prompt:debug=(a)\1", "back-references (\\1) are not supported"),
    (r"prompt:debug=a\Z", "there is no escape \\Z"),
    ("prompt:debug=(a", "( is not closed"),
    ("prompt:debug=a)", ") was never opened"),
    ("prompt:debug=[a", "[ is not closed"),
    ("prompt:debug=*a", "nothing before the repetition *"),
    ("prompt:debug=a++", "two repetitions stand side by side"),
    ("prompt:debug=a{1001}", "a repetition is too large"),
    ("prompt:debug=((a{100}){100}){100}", "a repetition is too large"),
    ("prompt:debug=(?x)a b", "the flag x"),
    ("prompt:debug=[z-a]", "no such character class"),
    ("prompt:debug=a\\", "ends with a lone \\"),
    ("prompt:debug=\ud800", "not valid Unicode"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_rule_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_tag_rule(text)
    assert message in str(raised.value)
    assert "--tag-rule" in str(raised.value)


def test_a_wrong_form_shows_the_right_one() -> None:
    with pytest.raises(UsageError, match="KIND:TAG=REGEX"):
        parse_tag_rule("nonsense")


def test_a_long_pattern_is_quoted_in_part() -> None:
    with pytest.raises(UsageError) as raised:
        parse_tag_rule("prompt:debug=(" + "a" * 5000)
    assert len(str(raised.value)) < 400


def test_the_first_colon_and_the_first_equals_sign_count() -> None:
    rule = parse_tag_rule("prompt:debug=a:b=c")
    assert (rule.kind, rule.tag, rule.pattern.source) == ("prompt", "debug", "a:b=c")


def test_the_first_matching_rule_of_the_kind_wins() -> None:
    rules = [
        parse_tag_rule("session:wrong=crash"),
        parse_tag_rule("prompt:first=crash"),
        parse_tag_rule("all:second=(?i)CRASH|hang"),
        parse_tag_rule("prompt:third=."),
    ]
    texts = ["a crash", "it hangs", "Crash", "x", ""]
    assert match_rules(rules, "prompt", texts) == ["first", "second", "second", "third", ""]
    assert match_rules(rules, "llm", texts) == ["second", "second", "second", "", ""]


def test_no_rules_give_no_tags() -> None:
    assert match_rules([], "prompt", ["a", "b"]) == ["", ""]


def test_vague_tags_and_catch_all_patterns_are_warned_about_once() -> None:
    rules = [parse_tag_rule(text) for text in ("all:misc=a", "all:misc=b", "all:good=.*")]
    warnings = rule_warnings(rules)
    assert len(warnings) == 2
    assert "`misc` says little" in warnings[0]
    assert "matches every text" in warnings[1]


def test_a_catch_all_for_answers_leaves_calls_without_words_their_tag() -> None:
    prompts, answers = rule_warnings(
        [parse_tag_rule(f"{kind}:good=.*") for kind in ("prompt", "llm")]
    )
    assert "so no rule after it and no built-in tag is used" in prompts
    assert "so no rule after it is used" in answers


@pytest.mark.parametrize("tag", ["task", "work", "misc", "thing", "stuff", "other", "item", "data"])
def test_every_vague_tag_is_warned_about(tag: str) -> None:
    assert rule_warnings([parse_tag_rule(f"prompt:{tag}=x")])


@pytest.mark.parametrize("pattern", [".", ".*", ".+"])
def test_every_catch_all_pattern_is_warned_about(pattern: str) -> None:
    assert rule_warnings([parse_tag_rule(f"prompt:debug={pattern}")])


def test_good_rules_get_no_warning() -> None:
    assert rule_warnings([parse_tag_rule("prompt:debug=crash")]) == []


def test_a_pattern_that_is_slow_elsewhere_is_fast() -> None:
    rules = [parse_tag_rule("prompt:slow=(a+)+$"), parse_tag_rule("prompt:later=(x+x+)+y")]
    started = time.process_time()
    assert match_rules(rules, "prompt", ["a" * 50_000 + "b", "x" * 50_000]) == ["", ""]
    assert time.process_time() - started < 1


@pytest.mark.parametrize("text", ["\ud800 crash", "\udfff\ud800crash", "\0crash", "💥crash"])
def test_odd_texts_are_matched(text: str) -> None:
    assert match_rules([parse_tag_rule("prompt:debug=crash")], "prompt", [text]) == ["debug"]


def test_halves_of_a_character_are_joined() -> None:
    assert compile_pattern("🎉", "--where").search("\ud83c\udf89")


def test_the_place_of_a_bad_pattern_is_named() -> None:
    with pytest.raises(UsageError, match="--where: "):
        compile_pattern("(", "--where")


def test_a_set_too_big_for_one_automaton_still_matches() -> None:
    sources = [f"(x+x+)+y{index}[a-z]{{1,200}}" for index in range(1500)]
    patterns = PatternSet(compile_pattern(source, "--op-map") for source in sources)
    assert patterns.first("xxy1499z") == 1499 or patterns.first("xxy1499z") in (1, 14, 149)
    assert patterns.first("nothing") is None


@given(st.lists(st.sampled_from(["a", "b+", "c|d", "^e", "f$", "", "."]), max_size=6), st.text())
def test_a_set_agrees_with_its_patterns_one_by_one(sources: list[str], text: str) -> None:
    patterns = [compile_pattern(source, "test") for source in sources if source]
    expected = next((n for n, pattern in enumerate(patterns) if pattern.search(text)), None)
    assert PatternSet(patterns).first_of_all([text, text]) == [expected, expected]


@given(st.text())
def test_any_text_is_a_rule_or_a_usage_error(text: str) -> None:
    try:
        parse_tag_rule(text)
    except UsageError as error:
        assert str(error)
