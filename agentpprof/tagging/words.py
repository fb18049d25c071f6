"""The word lists of the built-in tagger, read from `data/tag_words/*.toml`.

What a word speaks for depends on where it stands, so every list of a tag has a role:

- `act`: a verb that alone says what is wanted ("commit", "refactor"); strong where a request begins
- `make`, `look`: verbs that leave it to their object ("add a test", "check the logs")
- `topic`: the object that decides then ("test", "logs"); weak behind "for", "that", "in" …
- `sure`: a phrase that decides wherever it stands ("not working", "code review")
- `ask`, `yesno`: beginnings of questions
- `hint`: a word that only tips the balance
"""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agentpprof.tagging.tokens import words_of
from agentpprof.vocabulary import TAGS

# Weight of a role: where a request begins, in its object, anywhere else.
_WEIGHTS: Final[dict[str, tuple[float, float, float]]] = {
    "act": (4.0, 1.6, 1.5),
    "make": (2.2, 0.3, 0.3),
    "look": (1.6, 0.0, 0.0),
    "topic": (2.2, 3.0, 1.4),
    "sure": (4.5, 4.5, 4.5),
    "hint": (0.7, 0.7, 0.7),
}
_QUESTION_WEIGHTS: Final = {"ask": 3.2, "yesno": 1.8}
_FOLDER: Final = files("agentpprof") / "data" / "tag_words"


class Cue(NamedTuple):
    """What one word or phrase speaks for, by its place in the sentence."""

    tag: str
    at_head: float
    in_object: float
    elsewhere: float


class Lexicon(NamedTuple):
    """All words of one language. Keys are phrases: words joined by single blanks."""

    free_order: bool  # verbs stand anywhere (German, Japanese), not only where a request begins
    cues: dict[str, tuple[Cue, ...]]
    questions: dict[str, tuple[str, float]]  # how a question begins -> tag and weight
    verbs: frozenset[str]  # phrases that can begin a request
    sets: dict[str, frozenset[str]]  # filler, frame, joint, negation, follow_core, …
    longest: dict[str, int]  # first word of a phrase -> most words of a phrase that begins so
    stems: frozenset[str]  # entries that ended in `*`
    suffixes: tuple[str, ...]
    known: frozenset[str]  # every single word that stands in a phrase


@lru_cache(maxsize=16)
def lexicon(language: str) -> Lexicon:
    """Return the words of `language`; other languages know the English ones too."""
    builder = _Builder()
    builder.add_topics(common()["files"])
    for name in dict.fromkeys(("en", language)):
        builder.add(_read(name), is_main=name == language)
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
    found = [entry for entry in _FOLDER.iterdir() if entry.name.endswith(".toml")]
    return sorted((entry.name, entry.read_bytes()) for entry in found)


class _Builder:
    """Collects the lists of one or two languages; the later one wins."""

    def __init__(self) -> None:
        self.cues: dict[str, dict[str, Cue]] = {}
        self.questions: dict[str, tuple[str, float]] = {}
        self.verbs: set[str] = set()
        self.sets: dict[str, frozenset[str]] = {}
        self.stems: set[str] = set()
        self.grammar: dict[str, Any] = {}

    def add(self, data: dict[str, Any], is_main: bool) -> None:
        own: dict[str, dict[str, Cue]] = {}
        for tag in TAGS:
            for role, text in data.get(tag, {}).items():
                self._add_list(own, tag, role, text)
        self.cues.update(own)  # a word of two languages means what it means in the later one
        if is_main:
            self.grammar = data["grammar"]
        for name in ("filler", "frame", "joint", "subordinate", "negation", "own_voice"):
            self._extend(name, data["grammar"].get(name, ""))
        for section in ("follow", "chat"):
            for name in ("core", "rest"):
                self._extend(f"{section}_{name}", data.get(section, {}).get(name, ""))

    def add_topics(self, lists: dict[str, frozenset[str]]) -> None:
        """Add file endings: "look at results.csv" is about data."""
        for tag, endings in lists.items():
            for ending in endings:
                self.cues[ending] = {tag: Cue(tag, *_WEIGHTS["topic"])}

    def _extend(self, name: str, text: str) -> None:
        self.sets[name] = self.sets.get(name, frozenset()) | frozenset(self._keys(text))

    def _add_list(self, own: dict[str, dict[str, Cue]], tag: str, role: str, text: str) -> None:
        if role in ("core", "rest"):
            return
        for key in self._keys(text):
            if role in _QUESTION_WEIGHTS:
                self.questions[key] = (tag, _QUESTION_WEIGHTS[role])
                continue
            weights = _WEIGHTS["sure" if role == "phrases" else role]
            old = own.setdefault(key, {}).get(tag, Cue(tag, 0.0, 0.0, 0.0))
            own[key][tag] = Cue(tag, *map(max, weights, old[1:]))
            if role in ("act", "make", "look"):
                self.verbs.add(key)

    def _keys(self, text: str) -> list[str]:
        keys = []
        for entry in _entries(text):
            words = words_of(entry.rstrip("*"))
            if entry.endswith("*") and words:
                self.stems.add(words[-1])
            keys.append(" ".join(words))
        return keys

    def finish(self) -> Lexicon:
        phrases = {*self.cues, *self.questions, *(key for s in self.sets.values() for key in s)}
        longest: dict[str, int] = {}
        known: set[str] = set()
        for phrase in phrases:
            words = phrase.split(" ")
            known.update(words)
            longest[words[0]] = max(longest.get(words[0], 1), len(words))
        return Lexicon(
            free_order=bool(self.grammar.get("free_order", False)),
            cues={key: tuple(by_tag.values()) for key, by_tag in self.cues.items()},
            questions=self.questions,
            verbs=frozenset(self.verbs),
            sets=self.sets,
            longest=longest,
            stems=frozenset(self.stems),
            suffixes=tuple(_entries(self.grammar.get("suffixes", ""))),
            known=frozenset(known),
        )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


def _entries(text: str) -> list[str]:
    return [entry for part in text.split(",") if (entry := part.strip())]
