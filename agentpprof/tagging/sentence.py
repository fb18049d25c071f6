"""One sentence is weighed: which tags do its words speak for?

The place of a word counts more than the word: where a request begins a verb decides, in its object
a topic does, behind "for", "that" or "because" both only tip the balance. What is negated
("don't commit") or stands in quotation marks hardly counts.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from agentpprof.tagging.words import Cue, Lexicon, common, lexicon

_OBJECT_WORDS: Final = 6  # how far the object of a verb reaches
_NEGATION_REACH: Final = 3
_NEGATED: Final = 0.15
_QUOTED: Final = 0.3
_QUOTES: Final = frozenset("`\"")
_UNTOUCHED: Final = frozenset({"debug", "explain", "plan", "perf"})  # "it does not start"
_MIN_TYPO: Final = 6

REQUEST: Final = "request"
QUESTION: Final = "question"
STATEMENT: Final = "statement"


class Weighed(NamedTuple):
    """What one sentence says."""

    scores: dict[str, float]
    mood: str
    words: int


def weigh(words: list[str], is_question: bool, language: str) -> Weighed:
    """Return the score of each tag that the `words` of one sentence speak for, and its mood."""
    lex = lexicon(language)
    keys = [_key(language, word) for word in words]
    scores: dict[str, float] = {}
    start, framed = _skip_opening(keys, lex)
    asked = _question(keys, start, lex, scores)
    _, phrase = _longest(keys, start, lex.longest, lex.verbs)
    is_request = (framed or phrase != "") and not asked
    mood = REQUEST if is_request else QUESTION if asked or is_question else STATEMENT
    if is_question and not asked and not is_request:
        scores["explain"] = scores.get("explain", 0.0) + 1.5
    _Reader(keys, lex, scores, mood).read(start)
    return Weighed(scores, mood, len(words))


def _skip_opening(keys: list[str], lex: Lexicon) -> tuple[int, bool]:
    """Return where the sentence really begins, and whether a request was announced."""
    at, framed = 0, False
    while at < len(keys):
        if keys[at] in ",;:&":
            at += 1
            continue
        if at and _longest(keys, at, lex.longest, lex.questions)[0]:
            size, _ = _longest(keys, at, lex.longest, lex.sets["frame"])
            if size < 2:
                break
        size, _ = _longest(keys, at, lex.longest, lex.sets["frame"])
        if size:
            framed = True
        else:
            size, _ = _longest(keys, at, lex.longest, lex.sets["filler"])
        if not size:
            break
        at += size
    return at, framed


def _question(keys: list[str], start: int, lex: Lexicon, scores: dict[str, float]) -> bool:
    """Score how a question begins; a request ("can you …") is none."""
    size, phrase = _longest(keys, start, lex.longest, lex.questions)
    if not size:
        size, phrase = _longest(keys, 0, lex.longest, lex.questions)
    if not size or (start and keys[:start] and phrase in lex.sets["frame"]):
        return False
    tag, weight = lex.questions[phrase]
    scores[tag] = scores.get(tag, 0.0) + weight
    return True


class _Reader:
    """Goes through the words of one sentence from left to right."""

    def __init__(
        self, keys: list[str], lex: Lexicon, scores: dict[str, float], mood: str
    ) -> None:
        self.keys, self.lex, self.scores, self.mood = keys, lex, scores, mood
        self.is_head = mood == REQUEST  # the next phrase may be the verb of a request
        self.object_left = _OBJECT_WORDS if mood == STATEMENT else 0
        self.negated_left = 0
        self.is_quoted = False

    def read(self, start: int) -> None:
        keys, lex = self.keys, self.lex
        at = start
        while at < len(keys):
            key = keys[at]
            size, phrase = _longest(keys, at, lex.longest, lex.cues)
            if key in _QUOTES:
                self.is_quoted = not self.is_quoted
            elif size:
                self._count(lex.cues[phrase], phrase)
            else:
                self._step(key)
            if key in lex.sets["negation"]:
                self.negated_left = _NEGATION_REACH + 1
            self.negated_left -= 1
            at += size or 1

    def _count(self, cues: tuple[Cue, ...], phrase: str) -> None:
        is_verb = phrase in self.lex.verbs
        factor = _QUOTED if self.is_quoted else 1.0
        for cue in cues:
            weight = self._weight(cue, is_verb)
            if self.negated_left > 0 and cue.tag not in _UNTOUCHED:
                weight *= _NEGATED
            self.scores[cue.tag] = self.scores.get(cue.tag, 0.0) + weight * factor
        if self.is_head and is_verb:
            self.is_head, self.object_left = False, _OBJECT_WORDS
        else:
            self._step(phrase)

    def _weight(self, cue: Cue, is_verb: bool) -> float:
        if self.is_head and is_verb:
            return cue.at_head
        if self.lex.free_order and self.mood != QUESTION:
            return max(cue.at_head * 0.9, cue.in_object)
        return cue.in_object if self.object_left > 0 else cue.elsewhere

    def _step(self, key: str) -> None:
        """Move on by a word that speaks for nothing here."""
        sets = self.lex.sets
        if key in sets["joint"] or key == ",":
            self.is_head = self.mood == REQUEST
        elif key in sets["subordinate"]:
            self.object_left, self.is_head = 0, False
        else:
            self.object_left -= 1
            self.is_head = self.is_head and key in sets["filler"]


def _longest(
    keys: list[str], at: int, longest: dict[str, int], wanted: "frozenset[str] | dict[str, object]"
) -> tuple[int, str]:
    """Return size and text of the longest phrase of `wanted` that begins at `at`, or (0, '')."""
    if at >= len(keys):
        return 0, ""
    first = keys[at]
    most = longest.get(first, 0)
    if most < 2:
        return (1, first) if first in wanted else (0, "")
    for size in range(min(most, len(keys) - at), 0, -1):
        phrase = " ".join(keys[at : at + size])
        if phrase in wanted:
            return size, phrase
    return 0, ""


@lru_cache(maxsize=65536)
def _key(language: str, word: str) -> str:
    """Return the entry that `word` is a form of, or the word itself."""
    lex = lexicon(language)
    if word in lex.known:
        return word
    for size in range(len(word) - 1, 2, -1):
        if word[:size] in lex.stems:
            return word[:size]
    return _base_form(word, lex) or _file_kind(word) or word


def _base_form(word: str, lex: Lexicon) -> str:
    for suffix in lex.suffixes:
        if not word.endswith(suffix) or len(word) - len(suffix) < 3:
            continue
        base = word[: -len(suffix)]
        for form in (base, base + "e", base[:-1] if base[-1] == base[-2] else base):
            if form in lex.known:
                return form
    return ""


def _file_kind(word: str) -> str:
    """Return the ending of a file name that says what it is ("results.csv" is data)."""
    ending = word[word.rfind(".") :] if "." in word else ""
    return ending if any(ending in endings for endings in common()["files"].values()) else ""
