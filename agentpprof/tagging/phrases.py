"""Words become entries of the word lists: forms, typing errors, file names, and whole phrases."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from agentpprof.tagging.word_lists import common, lexicon
from agentpprof.tagging.words import Found, Known, Lexicon, Node, known_of

_MAX_NODES: Final = 1 << 16
_MIN_TYPO: Final = 6  # shorter words have too many neighbours ("text" is no "test")
_SIZE: Final = re.compile(r"\d+(?:\.\d+)?(?:ms|s|sec|secs|kb|mb|gb|min|x|%)")
_VERSION: Final = re.compile(r"v\d+(?:\.\d+)*|\d+\.\d+\.\d+\S*")

_NO_NODES: Final[dict[str, Node]] = {}
_NOTHING: Final = Known()


class Phrases(NamedTuple):
    """One sentence as the word lists see it; noise is left out."""

    nodes: list[Node]  # a node a word; unknown words have empty ones
    here: list[Known]  # the phrases that begin there
    nouns: tuple[int, ...]  # the places behind an article: "the commit" is no verb


def find_phrases(words: Sequence[str], language: str) -> Phrases:
    """Look the words of one sentence up."""
    known, articles = _nodes(language), lexicon(language).articles
    nouns: tuple[int, ...] = ()
    if articles.isdisjoint(words):
        nodes = [node for word in words if (node := known[word]) is not None]
    else:
        nodes, nouns = _nodes_and_nouns(words, known, articles)
    here = [node.known or known_of(node) for node in nodes]
    for at, (node, behind) in enumerate(pairwise(nodes)):
        if behind.key in node.following:
            here[at] = known_at(nodes, at)
    return Phrases(nodes, here, nouns)


def known_at(nodes: Sequence[Node], start: int) -> Known:
    """Return what is known of the phrases that begin at `start`."""
    node = nodes[start]
    for at in range(start + 1, len(nodes)):
        following = node.following.get(nodes[at].key)
        if following is None:
            break
        node = following
    return node.known or known_of(node)


def phrases_at(nodes: Sequence[Node], start: int) -> tuple[Found, ...]:
    """Return the phrases that begin at `start`, the longest first."""
    return known_at(nodes, start).found


def nodes_of(words: Sequence[str], language: str) -> list[Node]:
    """Return the entry that each word is a form of, noise left out."""
    known = _nodes(language)
    return [node for word in words if (node := known[word]) is not None]


def first_node(words: Sequence[str], language: str) -> Node | None:
    """Return the first of `nodes_of`, None where all is noise."""
    known = _nodes(language)
    return next((node for word in words if (node := known[word]) is not None), None)


def _nodes_and_nouns(
    words: Sequence[str], known: "_Nodes", articles: frozenset[str]
) -> tuple[list[Node], tuple[int, ...]]:
    """Return the entries of `words`, and the places of those behind an article."""
    nodes: list[Node] = []
    nouns: list[int] = []
    for word in words:
        node = known[word]
        if node is not None:
            nodes.append(node)
        elif word in articles:
            nouns.append(len(nodes))
    return nodes, tuple(nouns)


class _Nodes(dict[str, Node | None]):
    """Word -> its node, None for noise; worked out at the first use of a word."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language, self.lexicon = language, lexicon(language)

    def __missing__(self, word: str) -> Node | None:
        if word.isdecimal() and word not in self.lexicon.first:
            return _unknown(word)  # not kept: there are too many numbers, and none has forms
        if len(self) >= _MAX_NODES:
            self.clear()
        node = None
        if word not in self.lexicon.noise:
            key = _key(word, self.language, self.lexicon)
            node = self.lexicon.first.get(key) or _unknown(key)
        self[word] = node
        return node


def _unknown(key: str) -> Node:
    """Return a node without phrases; all of them share their empty containers."""
    node = Node(key)
    node.following, node.known = _NO_NODES, _NOTHING
    return node


@lru_cache(maxsize=16)
def _nodes(language: str) -> _Nodes:
    return _Nodes(language)


def _key(word: str, language: str, lex: Lexicon) -> str:
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
