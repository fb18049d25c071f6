"""`PublicText`: what may leave, and in which form."""

import pytest
from encoder_samples import texts
from hypothesis import given

from agentpprof.privacy import MAX_LENGTH, PublicText, frame, shortened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/api.v2+x", "src/api.v2+x"),
        ("a b\t\nc", "a_b_c"),
        ("  spaced  ", "spaced"),
        ("__init__.py", "__init__.py"),
        ("<b>bold</b>", "b_bold_/b"),
        ("a;b", "a_b"),
        ("me@example.org", "other"),
        ("me＠example.org", "other"),
        ("", "other"),
        ("!?", "other"),
        ("x" * MAX_LENGTH, "x" * MAX_LENGTH),
        ("x" * (MAX_LENGTH + 1), "other"),
        ("文档/日本語", "文档/日本語"),
        ("हिन्दी!", "हिन्दी"),
        ("e\u0301te\u0301", "été"),
        ("\u0301x", "x"),
        ("a\ufe0fb", "a_b"),
        ("z" + "\u0301" * 20 + "a", "ź\u0301\u0301\u0301a"),
        ("a\u202eb", "a_b"),
        ("a\udc80b", "a_b"),
        ("🚀", "other"),
    ],
)
def test_cleaning(text: str, expected: str) -> None:
    assert PublicText(text) == expected


@given(texts)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = PublicText(text)

    assert PublicText(str(once)) == once
    assert 0 < len(once) <= MAX_LENGTH
    assert not set(once) & set(" ;@<>&\"'\n\r\t\0")


@given(texts)
def test_what_fits_is_not_shortened(text: str) -> None:
    assert PublicText(str(shortened(text))) == shortened(text)
    if PublicText(text) != "other":
        assert shortened(text) == PublicText(text)


def test_a_long_filter_is_shown_by_its_beginning() -> None:
    long = shortened("filter:where:cmd:^(pytest|go|cargo|npm|mise|grep|git|mix|sed|gh|ls|make)$")
    assert long == "filter:where:cmd:_pytest_go_cargo_npm_mise_grep_git_mix_s..."
    assert len(long) == MAX_LENGTH
    assert shortened("me@" + "x" * MAX_LENGTH) == "other"
    assert shortened("é" * 70) == "é" * 57 + "..."


def test_a_frame_holds_the_limit_for_its_value_alone() -> None:
    assert frame("object", "x" * MAX_LENGTH) == "object:" + "x" * MAX_LENGTH
    assert frame("object", "x" * (MAX_LENGTH + 1)) == "object:other"
    assert type(frame("task", "a b")) is PublicText


def test_a_frame_does_not_depend_on_earlier_ones() -> None:
    """A frame may be the value of a frame; the same characters as plain text may be too long."""
    long = frame("object", "x" * MAX_LENGTH)

    assert frame("x", long) == f"x:{long}"
    assert frame("x", str(long)) == "x:other"
