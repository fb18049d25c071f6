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
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from agentpprof.resources import folder
from agentpprof.tagging.tokens import words_of
from agentpprof.vocabulary import TAGS

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
_VERBS: Final = frozenset({"act", "make", "look"})
_PLAIN: Final = re.compile(r"[a-z]+(?: [a-z]+)*")  # needs no tokenizer
_QUESTION_WEIGHTS: Final = {"why": 4.0, "ask": 3.2, "yesno": 1.5}

FILLER, FRAME, JOINT, SUBORDINATE, NEGATION = (1 << bit for bit in range(5))
VOICE, TAG_QUESTION, SUBJECT, PRONOUN, RESTRICT = (1 << bit for bit in range(5, 10))
FOLLOW_CORE, FOLLOW_REST, CHAT_CORE, CHAT_REST, WHY = (1 << bit for bit in range(10, 15))
_PARTS: Final = {
    "filler": FILLER,
    "frame": FRAME,
    "joint": JOINT,
    "subordinate": SUBORDINATE,
    "negation": NEGATION,
    "own_voice": VOICE,
    "tag_question": TAG_QUESTION,
    "subject": SUBJECT,
    "pronoun": PRONOUN,
    "restrict": RESTRICT,
    "follow_core": FOLLOW_CORE,
    "follow_rest": FOLLOW_REST,
    "chat_core": CHAT_CORE,
    "chat_rest": CHAT_REST,
}


class Cue(NamedTuple):
    """What one phrase speaks for, by its place in the sentence."""

    tag: str
    at_head: float
    in_object: float
    elsewhere: float


class Entry:
    """Everything known about one phrase."""

    __slots__ = ("cues", "is_verb", "parts", "question")

    def __init__(self) -> None:
        """Start with a phrase that means nothing."""
        self.cues: dict[str, Cue] = {}
        self.question: tuple[str, float] | None = None  # tag and weight, if a question begins so
        self.is_verb = False  # a request can begin with it
        self.parts = 0  # bits: FILLER, FRAME, JOINT …


class Node:
    """One word of the phrases; the phrase that ends here, and the words that may follow."""

    __slots__ = ("alone", "entry", "following", "parts")

    def __init__(self) -> None:
        """Start without a phrase."""
        self.entry: Entry | None = None
        self.following: dict[str, Node] = {}
        self.alone: list[tuple[int, Entry]] = []  # what is found if no longer phrase is
        self.parts = 0  # of the phrase that ends here


class Lexicon(NamedTuple):
    """All words of one language; languages other than English know the English ones too."""

    free_order: bool  # verbs stand anywhere (German, Japanese), not only where a request begins
    first: dict[str, Node]  # the words that phrases begin with
    known: frozenset[str]  # every single word of a phrase
    own: frozenset[str]  # those of the language itself, without the English ones
    stems: frozenset[str]  # words whose entry ended in `*`
    suffixes: tuple[str, ...]
    articles: frozenset[str]  # "the", "my": what follows is no verb
    noise: frozenset[str]  # words that phrases are matched without: articles, "please"


@lru_cache(maxsize=16)
def lexicon(language: str) -> Lexicon:
    """Return the words of `language`."""
    builder = _Builder()
    for tag, endings in common()["files"].items():
        builder.add_list(tag, "topic", endings)
    for name in dict.fromkeys(("en", language)):
        builder.add(_read(name))
    return builder.finish()


@lru_cache(maxsize=1)
def common() -> dict[str, dict[str, frozenset[str]]]:
    """Return the lists that hold in every language: section -> name -> words."""
    return {
        section: {name: frozenset(_entries(words)) for name, words in lists.items()}
        for section, lists in _read("common").items()
    }


def word_data() -> list[tuple[str, bytes]]:
    """Return name and content of every word list, by name: they are part of the definition."""
    found = (folder("data") / "tag_words").glob("*.toml")
    return sorted((path.name, path.read_bytes()) for path in found)


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
        self.noise |= self.articles | frozenset(_entries(self.grammar.get("noise", "")))
        for part, text in self.grammar.items():
            if part in _PARTS:
                self._add_part(part, text)
        for tag in TAGS:
            for role, text in data.get(tag, {}).items():
                if f"{tag}_{role}" in _PARTS:
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
        cue, is_verb = Cue(tag, *_WEIGHTS[role]), role in _VERBS
        for phrase in phrases:
            entry = self._entry(phrase)
            if id(entry) not in self.fresh:
                self.fresh.add(id(entry))
                entry.cues, entry.is_verb = {}, False
            old = entry.cues.get(tag)
            entry.cues[tag] = Cue(tag, *map(max, cue[1:], old[1:])) if old else cue
            entry.is_verb = entry.is_verb or is_verb

    def _add_questions(
        self, question: tuple[str, float], part: int, phrases: Iterable[str]
    ) -> None:
        for phrase in phrases:
            entry = self._entry(phrase)
            entry.question = question
            entry.parts |= part

    def _add_part(self, part: str, text: str) -> None:
        for phrase in _entries(text):
            self._entry(phrase).parts |= _PARTS[part]

    def _entry(self, phrase: str) -> Entry:
        """Return the entry of `phrase`, made if it is new."""
        plain = phrase.rstrip("*")
        every = plain.split() if _PLAIN.fullmatch(plain) else words_of(plain)
        words = [word for word in every if word not in self.noise] or every
        if plain != phrase:
            self.stems.add(words[-1])
        self.own.update(words)
        following, node = self.first, None
        for word in words:
            node = following.get(word)
            if node is None:
                node = following[word] = Node()
            following = node.following
        if node is None:  # an entry of punctuation only
            return Entry()
        if node.entry is None:
            node.entry = Entry()
        return node.entry

    def finish(self) -> Lexicon:
        """Return what was collected."""
        for node in self.first.values():
            if node.entry is not None:
                node.alone, node.parts = [(1, node.entry)], node.entry.parts
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


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((folder("data") / "tag_words" / f"{name}.toml").read_text("utf-8"))


def _entries(text: str) -> list[str]:
    return [entry for part in text.replace("\n", " ").split(",") if (entry := part.strip())]
