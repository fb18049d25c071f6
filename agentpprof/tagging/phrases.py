"""Words become entries of the word lists: forms, typing errors, file names, and whole phrases."""

import re
from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Final

from agentpprof.tagging.words import Entry, Lexicon, Node, common, lexicon

_MAX_KEYS: Final = 1 << 16
_MIN_TYPO: Final = 6  # shorter words have too many neighbours ("text" is no "test")
_SIZE: Final = re.compile(r"\d+(?:\.\d+)?(?:ms|s|sec|secs|kb|mb|gb|min|x|%)")
_VERSION: Final = re.compile(r"v\d+(?:\.\d+)*|\d+\.\d+\.\d+\S*")
Found = tuple[int, Entry]  # how many words a phrase has, and what is known of it
_NONE: Final[list[Found]] = []


def find_phrases(keys: Sequence[str], lex: Lexicon) -> tuple[list[list[Found]], list[int]]:
    """Return for each place the phrases that begin there, longest first, and their parts."""
    found: list[list[Found]] = []
    parts: list[int] = []
    last = len(keys) - 1
    for at, node in enumerate(map(lex.first.get, keys)):
        if node is None:
            found.append(_NONE)
            parts.append(0)
        elif at == last or keys[at + 1] not in node.following:
            found.append(node.alone)
            parts.append(node.parts)
        else:
            here = phrases_at(keys, at, node)
            found.append(here)
            parts.append(reduce(or_, (entry.parts for _, entry in here), 0))
    return found, parts


def phrases_at(keys: Sequence[str], start: int, node: Node | None) -> list[Found]:
    """Return the phrases that begin at `start`, whose word is `node`, the longest first."""
    here: list[Found] = []
    size, count = 1, len(keys)
    while node is not None:
        if node.entry is not None:
            here.append((size, node.entry))
        at = start + size
        node = node.following.get(keys[at]) if at < count else None
        size += 1
    here.reverse()
    return here


def keys_of(words: Sequence[str], language: str) -> list[str]:
    """Return the entry that each word is a form of, noise left out."""
    known = _keys(language)
    return [key for word in words if (key := known[word])]


def keys_and_nouns(words: Sequence[str], language: str) -> tuple[list[str], list[int]]:
    """Return the keys, and the places of those behind an article: "the commit" is no verb."""
    known, articles = _keys(language), lexicon(language).articles
    keys: list[str] = []
    nouns: list[int] = []
    for word in words:
        key = known[word]
        if key:
            keys.append(key)
        elif word in articles:
            nouns.append(len(keys))
    return keys, nouns


class _Keys(dict[str, str]):
    """Word -> the entry it is a form of, '' for noise; worked out at its first use."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language, self.lexicon = language, lexicon(language)

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_KEYS:
            self.clear()
        key = self[word] = _key(word, self.language, self.lexicon)
        return key


@lru_cache(maxsize=16)
def _keys(language: str) -> _Keys:
    return _Keys(language)


def _key(word: str, language: str, lex: Lexicon) -> str:
    if word in lex.noise:
        return ""
    if word in lex.known:
        return word
    for size in range(len(word) - 1, 2, -1):
        if word[:size] in lex.stems:
            return word[:size]
    return _base_form(word, lex) or _kind(word) or _typo(word, language) or word


def _base_form(word: str, lex: Lexicon) -> str:
    """Take an ending off: "renamed" is a form of "rename", "splitting" one of "split"."""
    for suffix in lex.suffixes:
        if not word.endswith(suffix) or len(word) - len(suffix) < 3:
            continue
        base = word[: -len(suffix)]
        for form in (base, base + "e", base[:-1] if base[-1] == base[-2] else base):
            if form in lex.known:
                return form
    return ""


def _kind(word: str) -> str:
    """Say what a name or number is: "results.csv" is a data file, "1.2.3" a version."""
    if word[0].isdigit() or word[0] == "v":
        if _SIZE.fullmatch(word):
            return "#size"
        if _VERSION.fullmatch(word):
            return "#version"
    ending = word[word.rfind(".") :] if "." in word else ""
    return ending if any(ending in endings for endings in common()["files"].values()) else ""


def _typo(word: str, language: str) -> str:
    """Return the verb that `word` is one slip away from: "refacor", "implmeent", "comiit"."""
    if language != "en" or len(word) < _MIN_TYPO - 1 or not (word.isascii() and word.isalpha()):
        return ""
    without = [word[:at] + word[at + 1 :] for at in range(1, len(word))]
    swapped = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)
    ]
    slips = _slips()
    for form in (word, *swapped, *without):
        if form in slips:
            return slips[form]
    return ""


@lru_cache(maxsize=1)
def _slips() -> dict[str, str]:
    """Return every long verb, and what is left of it where one letter is forgotten."""
    found: dict[str, str] = {}
    for word, node in lexicon("en").first.items():
        if len(word) >= _MIN_TYPO and word.isalpha() and node.entry and node.entry.is_verb:
            for at in range(1, len(word)):
                found.setdefault(word[:at] + word[at + 1 :], word)
    found.update((word, word) for word in list(found.values()))
    return found
