"""Words that would cover most of what has no tag, as rules to copy. Pure.

Greedy: the word that stands in most texts comes first, then the one that stands in most of the
rest. Little words ("the", "que") are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agentpprof.tagging.rules import MAX_TAG, MIN_TAG, OPTION

_MAX_HINTS: Final = 5
_ENOUGH: Final = 0.8  # of the texts
_LOOKED_AT: Final = 2000  # characters of a text
_CJK: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_PART: Final = "[0-9A-Za-z_]"  # re2's word boundary is where these begin or end
_WORD: Final = re.compile(rf"(?<!{_PART})[^\W\d_{_CJK}]{{3,30}}(?!{_PART})")
_RUN: Final = re.compile(rf"[{_CJK}]{{2,}}")
_PLACEHOLDER: Final = "yourtag"  # where the word itself can't be a tag


class Hint(NamedTuple):
    """A rule to copy, and how many texts without a tag it would cover."""

    rule: str  # a whole `--tag-rule` option
    texts: int  # beyond those that the hints before it cover


def hints_for(kind: str, texts: Sequence[str]) -> list[Hint]:
    """Return rules that together tag most of `texts`, the most useful one first."""
    left = [words_in(text) for text in texts]
    hints: list[Hint] = []
    while left and len(hints) < _MAX_HINTS and len(left) > (1 - _ENOUGH) * len(texts):
        word, count = _most_frequent(left)
        if not word:
            break
        hints.append(Hint(f"{OPTION} '{kind}:{_tag_for(word)}={_pattern_for(word)}'", count))
        left = [words for words in left if word not in words]
    return hints


def words_in(text: str) -> set[str]:
    """Return the words of `text` that may say what it is about; pairs of characters in Chinese …"""
    lowered = text[:_LOOKED_AT].lower()
    words = set(_WORD.findall(lowered)) - _little_words()
    for run in _RUN.findall(lowered):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words


def _most_frequent(texts: Iterable[set[str]]) -> tuple[str, int]:
    """Return the word that stands in most texts; of equal ones the longest, then by name."""
    counts = Counter(word for words in texts for word in words)
    return min(counts.items(), key=lambda each: (-each[1], -len(each[0]), each[0]), default=("", 0))


def _tag_for(word: str) -> str:
    is_tag = word.isascii() and MIN_TAG <= len(word) <= MAX_TAG
    return word if is_tag else _PLACEHOLDER


def _pattern_for(word: str) -> str:
    """Return a pattern; re2's word boundary knows ASCII only."""
    return rf"(?i)\b{word}\b" if word.isascii() else f"(?i){word}"


@lru_cache(maxsize=1)
def _little_words() -> frozenset[str]:
    from agentpprof.tagging.word_lists import common

    return frozenset().union(*common()["function_words"].values())
