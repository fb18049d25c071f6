"""The word lists of the built-in tagger, read from `data/tag_words/*.toml`.

What a word speaks for depends on where it stands, so every list of a tag has a role:

- `act`: a verb that alone says what is wanted ("commit", "refactor"); strong where a request begins
- `make`, `look`: verbs that leave it to their object ("add a test", "check the logs")
- `topic`: the object that decides then ("test", "logs"); weak behind "for", "that", "in" …
- `matter`, `thing`: weaker objects ("add an error message" is a feature); `firm`: a stronger one
- `sure`: a phrase that decides wherever it stands ("not working", "code review"); `soft`: weaker
- `why`, `ask`, `yesno`: beginnings of questions
- `phrases`: only at the beginning of a prompt ("let's go with …")
- `nudge`, `hint`: words that only tip the balance

Section `[grammar]` and the lists `core` and `rest` of `[follow]` and `[chat]` say what part a
phrase plays in a sentence, whatever the tag.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import Any, Final, NamedTuple

from agentpprof.resources import read_text
from agentpprof.tagging.tokens import words_of
from agentpprof.tagging.words import PARTS, WHY, Cue, Entry, Lexicon, Node
from agentpprof.vocabulary import TAGS

_FOLDER: Final = "tag_words"
# Weight of a role: where a request begins, in its object, anywhere else.
_WEIGHTS: Final[dict[str, tuple[float, float, float]]] = {
    "act": (4.0, 1.6, 1.5),
    "make": (2.2, 0.3, 0.3),
    "look": (1.6, 0.0, 0.0),
    "topic": (2.2, 3.0, 1.4),
    "thing": (1.0, 1.4, 0.4),  # what features are made of; alone it asks for nothing
    "matter": (1.6, 1.9, 1.2),  # decides beside "check", not beside "add"
    "firm": (3.0, 5.2, 3.5),  # "fix the lint errors" is no debugging
    "sure": (4.5, 4.5, 4.5),
    "soft": (2.5, 2.5, 2.5),
    "phrases": (4.5, 1.0, 1.0),
    "nudge": (1.5, 1.5, 1.5),
    "hint": (0.7, 0.7, 0.7),
}
_ACT: Final = 4.0
_LATE: Final = 0.9  # a verb that does not stand first counts so much where order is free
_VERBS: Final = frozenset({"act", "make", "look"})
_PLAIN: Final = re.compile(r"[a-z]+(?: [a-z]+)*")  # needs no tokenizer
_QUESTION_WEIGHTS: Final = {"why": 4.0, "ask": 3.2, "yesno": 1.5}


@lru_cache(maxsize=16)
def lexicon(language: str) -> Lexicon:
    """Return the words of `language`."""
    builder = _Builder()
    for tag, endings in common()["files"].items():
        builder.add_list(tag, "topic", endings)
    for name in dict.fromkeys(("en", language)):
        builder.add(_read(name))
    return builder.finish()


class Vocabulary(NamedTuple):
    """The words that tell a language: its own, and beginnings of words, the English ones too."""

    own: frozenset[str]
    stems: frozenset[str]


@lru_cache(maxsize=16)
def vocabulary(language: str) -> Vocabulary:
    """Return the words of `language`, as `lexicon` has them.

    Texts in doubt ask for those of several languages, whose phrases nobody needs: to build them
    takes ten times as long.
    """
    english = lexicon("en")
    if language == "en":
        return Vocabulary(english.own, english.stems)
    data = _read(language)
    noise = english.noise | _noise(data["grammar"])
    own: set[str] = set()
    stems = set(english.stems)
    for phrase in _phrases(data):
        words = _words(phrase, noise)
        own.update(words)
        if phrase[-1:] == "*":
            stems.add(words[-1])
    return Vocabulary(frozenset(own), frozenset(stems))


@lru_cache(maxsize=1)
def common() -> dict[str, dict[str, frozenset[str]]]:
    """Return the lists that hold in every language: section -> name -> words."""
    return {
        section: {name: frozenset(_entries(words)) for name, words in lists.items()}
        for section, lists in _read("common").items()
    }


class _Builder:
    """Collects the lists of one or two languages; what the later one says of a word counts."""

    def __init__(self) -> None:
        self.first: dict[str, Node] = {}
        self.known: set[str] = set()
        self.own: set[str] = set()
        self.stems: set[str] = set()
        self.articles: frozenset[str] = frozenset()
        self.noise: frozenset[str] = frozenset()
        self.grammar: dict[str, Any] = {}
        self.fresh: set[int] = set()  # entries that this language has spoken of

    def add(self, data: dict[str, Any]) -> None:
        """Add the lists of one language."""
        self.known |= self.own
        self.own, self.fresh, self.grammar = set(), set(), data["grammar"]
        self.articles |= frozenset(_entries(self.grammar.get("article", "")))
        self.noise |= _noise(self.grammar)
        for part, text in self.grammar.items():
            if part in PARTS:
                self._add_part(part, text)
        for tag in TAGS:
            for role, text in data.get(tag, {}).items():
                if f"{tag}_{role}" in PARTS:
                    self._add_part(f"{tag}_{role}", text)
                else:
                    self.add_list(tag, role, _entries(text))

    def add_list(self, tag: str, role: str, phrases: Iterable[str]) -> None:
        """Add the phrases of one role of one tag."""
        if role in _QUESTION_WEIGHTS:
            self._add_questions(
                (tag, _QUESTION_WEIGHTS[role]), WHY if role == "why" else 0, phrases
            )
            return
        cue, is_verb = self._cue(tag, _WEIGHTS[role]), role in _VERBS
        for phrase in phrases:
            entry = self._entry(phrase)
            if id(entry) not in self.fresh:
                self.fresh.add(id(entry))
                entry.cues, entry.is_verb = (), False
            entry.cues = _joined(entry.cues, cue)
            entry.is_verb = entry.is_verb or is_verb

    def _cue(self, tag: str, weights: tuple[float, float, float]) -> Cue:
        """Make a cue; where verbs stand anywhere, they count in an object too."""
        head, inside, elsewhere = weights
        is_topic = inside > elsewhere and head < _ACT
        if self.grammar.get("free_order"):
            inside = max(inside, head * _LATE)
        return Cue(tag, head, inside, elsewhere, is_topic)

    def _add_questions(
        self, question: tuple[str, float], part: int, phrases: Iterable[str]
    ) -> None:
        for phrase in phrases:
            entry = self._entry(phrase)
            entry.question = question
            entry.parts |= part

    def _add_part(self, part: str, text: str) -> None:
        for phrase in _entries(text):
            self._entry(phrase).parts |= PARTS[part]

    def _entry(self, phrase: str) -> Entry:
        """Return the entry of `phrase`, made if it is new."""
        words = _words(phrase, self.noise)
        if phrase[-1] == "*":
            self.stems.add(words[-1])
        self.own.update(words)
        following: dict[str, Node] = self.first
        node: Node | None = None
        for word in words:
            if word not in following:
                following[word] = Node(word, node)
            node = following[word]
            following = node.following
        if node is None:  # an entry of punctuation only
            return Entry()
        if node.entry is None:
            node.entry = Entry()
        return node.entry

    def finish(self) -> Lexicon:
        """Return what was collected."""
        return Lexicon(
            free_order=bool(self.grammar.get("free_order", False)),
            first=self.first,
            known=frozenset(self.known | self.own),
            own=frozenset(self.own),
            stems=frozenset(self.stems),
            suffixes=tuple(_entries(self.grammar.get("suffixes", ""))),
            articles=self.articles,
            noise=self.noise,
        )


def _joined(cues: tuple[Cue, ...], cue: Cue) -> tuple[Cue, ...]:
    """Add `cue` to `cues`; a second role of the same tag counts where it weighs more."""
    for index, old in enumerate(cues):
        if old.tag == cue.tag:
            both = Cue(
                cue.tag,
                max(cue.at_head, old.at_head),
                max(cue.in_object, old.in_object),
                max(cue.elsewhere, old.elsewhere),
                cue.is_topic or old.is_topic,
            )
            return (*cues[:index], both, *cues[index + 1 :])
    return (*cues, cue)


def _words(phrase: str, noise: Set[str]) -> list[str]:
    """Return the words of a phrase without noise, unless it is nothing else."""
    if phrase.isascii() and phrase.isalpha() and phrase.islower():
        return [phrase]  # as most are
    plain = phrase.rstrip("*")
    every = plain.split() if _PLAIN.fullmatch(plain) else words_of(plain)
    return [word for word in every if word not in noise] or every


def _noise(grammar: dict[str, Any]) -> frozenset[str]:
    """Return the words that the phrases of a language are matched without."""
    texts = (grammar.get("article", ""), grammar.get("noise", ""))
    return frozenset(entry for text in texts for entry in _entries(text))


def _phrases(data: dict[str, Any]) -> Iterator[str]:
    """Yield every phrase of a language's own lists."""
    for part, text in data["grammar"].items():
        if part in PARTS:
            yield from _entries(text)
    for tag in TAGS:
        for text in data.get(tag, {}).values():
            yield from _entries(text)


@lru_cache(maxsize=16)
def _read(name: str) -> dict[str, Any]:
    """Read one file; no list holds a backslash, so its strings may be literal ones.

    Those are found at once, while the others are read sign by sign: ten times as slow.
    """
    return tomllib.loads(read_text("data", f"{_FOLDER}/{name}.toml").replace('"""', "'''"))


def _entries(text: str) -> list[str]:
    return [entry for part in text.replace("\n", " ").split(",") if (entry := part.strip())]
