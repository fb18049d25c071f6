"""Coverage, spread and warnings of tags, and hints for rules: pure, from counts and texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.tagging.hints import hints_for, words_in
from agentpprof.tagging.report import as_lines, as_plain, coverage_pct, spread_of, warnings_of
from agentpprof.tagging.rules import MAX_TAG, MIN_TAG, match_rules, parse_tag_rule
from agentpprof.vocabulary import UNTAGGED


def even(count: int, each: int = 10) -> dict[str, int]:
    """Return `count` tags that are all equally frequent."""
    return {"tag" + chr(97 + at // 26) + chr(97 + at % 26): each for at in range(count)}


def told(counts: dict[str, int], kind: str = "prompt") -> str:
    return "\n".join(warnings_of(spread_of(kind, counts)))


def test_untagged_is_no_tag() -> None:
    spread = spread_of("prompt", {"debug": 3, UNTAGGED: 1, "feature": 6, "none": 0})
    assert (spread.total, spread.tagged, spread.untagged) == (10, 9, 1)
    assert list(spread.tags.items()) == [("feature", 6), ("debug", 3)]
    assert spread.untagged_pct == 10
    assert spread.top_pct(1) == pytest.approx(100 * 6 / 9)
    assert spread.top_pct(5) == 100


def test_nothing_is_no_division_by_zero() -> None:
    spread = spread_of("prompt", {})
    assert (spread.total, spread.untagged_pct, spread.top_pct(3), spread.entropy) == (0, 0, 0, 0)
    assert warnings_of(spread) == []
    assert list(as_lines(spread)) == ["prompts: none"]
    assert coverage_pct([spread]) == 0


@pytest.mark.parametrize(("tags", "entropy"), [(1, 0.0), (2, 1.0), (7, 1.0), (25, 1.0)])
def test_even_tags_have_the_full_entropy(tags: int, entropy: float) -> None:
    assert spread_of("prompt", even(tags)).entropy == pytest.approx(entropy)


def test_entropy_is_normalised() -> None:
    # -(0.9 ln 0.9 + 0.1 ln 0.1) / ln 2
    assert spread_of("llm", {"aaa": 9, "bbb": 1}).entropy == pytest.approx(0.4690, abs=1e-4)


@pytest.mark.parametrize(("untagged", "is_told"), [(4, False), (5, True), (50, True)])
def test_coverage_below_the_target_is_told(untagged: int, is_told: bool) -> None:
    counts = {**even(10, (100 - untagged) * 10), UNTAGGED: untagged * 100}
    assert ("have no tag" in told(counts)) == is_told
    assert ("the target is below 5 %" in told(counts, "session")) == is_told


@pytest.mark.parametrize(
    ("counts", "warning"),
    [
        ({**even(9, 10), "big": 61}, "big has 40.4 % of the tagged prompts"),
        ({"aaa": 27, "bbb": 27, "ccc": 27, "ddd": 10, "eee": 9}, "three tags have 81.0 %"),
        (even(4), "only 4 tags (fewer than 5)"),
        (even(1), "only 1 tag "),
        (even(26), "26 tags (more than 25)"),
        ({"aaa": 96, "bbb": 1, "ccc": 1, "ddd": 1, "eee": 1}, "entropy 0.14 of 1"),
    ],
)
def test_an_uneven_spread_is_told(counts: dict[str, int], warning: str) -> None:
    assert warning in told(counts)
    assert told(counts, "session") == "", "a project has few sessions, so few tags of them"


@pytest.mark.parametrize(
    "counts",
    [
        even(5),
        even(25),
        {**even(6, 10), "big": 40},  # exactly 40 %
        {"aaa": 40, "bbb": 20, "ccc": 20, "ddd": 10, "eee": 10},  # exactly 80 %
    ],
)
def test_a_good_spread_is_not_warned_about(counts: dict[str, int]) -> None:
    assert told(counts) == ""


def test_three_tags_are_not_judged_by_shares_of_three() -> None:
    warnings = told({"aaa": 34, "bbb": 33, "ccc": 33})
    assert "three tags" not in warnings
    assert "entropy" not in warnings
    assert "only 3 tags" in warnings


def test_the_plain_form_has_every_figure() -> None:
    plain = as_plain(spread_of("prompt", {"debug": 6, "feature": 3, UNTAGGED: 1}))
    assert plain == {
        "total": 10,
        "matched": 9,
        "unmatched": 1,
        "unmatched_pct": 10.0,
        "distinct_tags": 2,
        "top1_pct": 66.7,
        "top3_pct": 100.0,
        "top5_pct": 100.0,
        "entropy": 0.918,
        "tags": {"debug": 6, "feature": 3},
    }


def test_only_the_five_largest_are_shown() -> None:
    lines = list(as_lines(spread_of("prompt", even(9))))
    assert len(lines) == 2 + 5
    assert lines[0] == "prompts: 90 of 90 have a tag (100.0 %)"


# ------------------------------------------------------------------ hints

TEXTS = [
    "roll out the basket service",
    "the rollout of the basket",
    "Basket: a picture is missing",
    "translate the mails",
    "translate the footer",
    "部署到生产环境",
    "部署",
]


def test_hints_cover_what_they_say() -> None:
    left = TEXTS
    for hint in hints_for("prompt", TEXTS):
        rule = parse_tag_rule(hint.rule.removeprefix("--tag-rule '").removesuffix("'"))
        found = match_rules([rule], "prompt", left)
        assert sum(map(bool, found)) == hint.texts
        left = [text for text, tag in zip(left, found, strict=True) if not tag]
    assert len(left) <= len(TEXTS) * 0.2


def test_the_most_useful_word_comes_first() -> None:
    first, *_ = hints_for("prompt", TEXTS)
    assert first == (r"--tag-rule 'prompt:basket=(?i)\bbasket\b'", 3)


def test_little_words_are_no_hints() -> None:
    assert words_in("what is that for the cart") <= {"what", "cart"}
    assert hints_for("prompt", []) == []
    assert hints_for("prompt", ["", "?!", "👍", "a b"]) == []


@given(st.lists(st.text(max_size=60), max_size=12))
def test_hints_are_rules_whatever_the_texts(texts: list[str]) -> None:
    hints = hints_for("prompt", texts)
    assert len(hints) <= 5
    for hint in hints:
        rule = parse_tag_rule(hint.rule.removeprefix("--tag-rule '").removesuffix("'"))
        assert MIN_TAG <= len(rule.tag) <= MAX_TAG
        assert "'" not in rule.pattern.source


def test_a_huge_text_is_looked_at_in_part() -> None:
    assert hints_for("prompt", ["word " * 1_000_000 + "last"]) == hints_for("prompt", ["word"])
