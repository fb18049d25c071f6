"""Which language is a prompt written in? By script, then by little words; English if unsure."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from agentpprof.tagging.words import common

_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_MAX_WORDS: Final = 80


def language_of(text: str, words: Iterable[str]) -> str:
    """Return the code of the language of `text`, which has these `words`."""
    if not text.isascii():
        for language, script in _SCRIPTS:
            if script.search(text):
                return language
    return _by_little_words(tuple(words)[:_MAX_WORDS])


def _by_little_words(words: tuple[str, ...]) -> str:
    """Count the little words of each language; English wins a tie."""
    counts: dict[str, int] = {"en": 0}
    owners = _owners()
    for word in words:
        for language in owners.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    return max(counts, key=lambda language: (counts[language], language == "en"))


@lru_cache(maxsize=1)
def _owners() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in common()["function_words"].items():
        for word in words:
            found[word] = (*found.get(word, ()), language)
    return found
