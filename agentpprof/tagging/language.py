"""Which language is a prompt written in? By script, then by little words; English if unsure."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentpprof.tagging.word_lists import common, vocabulary

# Patterns, compiled when they are first needed: large ranges take long, and many texts are plain.
_SCRIPTS: Final = (
    ("ja", r"[\u3040-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u3400-\u4dbf\u4e00-\u9fff]"),
    ("ru", r"[\u0400-\u04ff]"),
)
_FIRST_OF_SCRIPTS: Final = "\u0400"
_LETTER: Final = re.compile(r"[^\W\d_]")
_ASCII_LETTER: Final = re.compile(r"[a-zA-Z]")
_MIN_SHARE: Final = 0.1  # of the letters; a name in another script does not make the language
_MAX_WORDS: Final = 80
_SURE: Final = 4  # so many English little words in a plain text leave no doubt
_CLOSE: Final = 1.0  # little words that a language may be behind and still be looked at


def language_of(text: str, words: Sequence[str]) -> str:
    """Return the code of the language of `text`, which has these `words`."""
    if text.isascii():
        return _by_little_words(words[:_MAX_WORDS], "")
    return _by_script(text) or _by_little_words(words[:_MAX_WORDS], text.lower())


def _by_script(text: str) -> str:
    if max(text) < _FIRST_OF_SCRIPTS:
        return ""
    letters = len(_LETTER.findall(text))
    if letters == len(_ASCII_LETTER.findall(text)):
        return ""
    for language, script in _SCRIPTS:
        count = len(re.findall(script, text))
        if count and count >= letters * _MIN_SHARE:
            return language
    return ""


def _by_little_words(words: Sequence[str], text: str) -> str:
    """Count the little words and the letters of each language; the vocabulary breaks ties."""
    present = _every_little_word().intersection(words)
    if not text and len(present & common()["function_words"]["en"]) >= _SURE:
        return "en"
    counts = {
        language: float(len(present & little))
        for language, little in common()["function_words"].items()
    }
    if text:
        for language, letters in common()["letters"].items():
            counts[language] += 0.5 * sum(letter in text for letter in letters)
    best = max(counts.values())
    close = [language for language, count in counts.items() if count >= best - _CLOSE]
    if close == ["en"] or (counts["en"] == best and _knows_any(words, "en")):
        return "en"
    return max(close, key=lambda language: (_knows(words, language), language == "en"))


@lru_cache(maxsize=1)
def _every_little_word() -> frozenset[str]:
    return frozenset().union(*common()["function_words"].values())


def _knows_any(words: Sequence[str], language: str) -> bool:
    return any(_is_known(word, language) for word in words)


def _knows(words: Sequence[str], language: str) -> int:
    """Return how many of `words` stand in the lists of `language`, or begin like one that does."""
    return [_is_known(word, language) for word in words].count(True)


@lru_cache(maxsize=1 << 16)
def _is_known(word: str, language: str) -> bool:
    own, stems = vocabulary(language)
    return word in own or any(word[:size] in stems for size in range(len(word), 3, -1))
