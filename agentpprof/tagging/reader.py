"""The words of one sentence are read from left to right, and counted by their place.

Where a request begins a verb decides, in its object a topic does, behind "for", "that" or
"because" both only tip the balance. What is negated ("don't commit") or stands in quotation marks
hardly counts.
"""

from typing import Final

from agentpprof.tagging.phrases import Phrases
from agentpprof.tagging.tokens import BLANK
from agentpprof.tagging.words import (
    FILLER,
    FRAME,
    JOINT,
    NEGATION,
    PRONOUN,
    SUBORDINATE,
    VOICE,
    WHY,
    Cue,
    Entry,
    Known,
)

_OBJECT_WORDS: Final = 6  # how far the object of a verb reaches
_NEGATION_REACH: Final = 3
_NEGATED: Final = 0.15
_QUOTED: Final = 0.3
_BEHIND: Final = 0.7  # "… and see if it fails": what stands behind "if" is no request
_STATED: Final = {"feature": 0.35, "debug": 1.0, "build": 1.0}  # elsewhere:
_ASKED: Final = {"feature": 0.4, "run": 0.6}  # "does it support …?" asks for nothing new
_STATED_ELSE: Final = 0.55  # what a statement is about is not yet what is wanted
_COMPLAINT: Final = 2.2  # "the list isn't sorted"
_OWN_NOT: Final = 0.8  # "I don't think so"
_WHY_NOT: Final = 5.0  # "check why it doesn't start"
_TURNS: Final = NEGATION | WHY
_QUOTES: Final = frozenset('`"')
_MARKS: Final = _QUOTES | {",", BLANK}
_UNTOUCHED: Final = frozenset(
    {"debug", "explain", "plan", "perf", "security"}
)  # "it does not start"

REQUEST: Final = "request"
QUESTION: Final = "question"
STATEMENT: Final = "statement"


class Tally:
    """Scores that are added up so that the best piece of evidence counts most."""

    __slots__ = ("_best", "_repeated", "_sum")

    def __init__(self, repeated: float) -> None:
        """Take the share that every further piece for the same tag counts."""
        self._repeated = repeated
        self._best: dict[str, float] = {}
        self._sum: dict[str, float] = {}

    def add(self, tag: str, score: float) -> None:
        """Add one piece of evidence for `tag`."""
        best, sums = self._best, self._sum
        sums[tag] = sums.get(tag, 0.0) + score
        if score > best.get(tag, 0.0):
            best[tag] = score

    def totals(self) -> dict[str, float]:
        """Return tag -> the best piece and a share of the others."""
        share = self._repeated
        return {tag: best + share * (self._sum[tag] - best) for tag, best in self._best.items()}


class Reader:
    """Goes through the words of one sentence from left to right."""

    __slots__ = (
        "asks_why",
        "free_order",
        "has_pronoun",
        "is_behind",
        "is_conditional",
        "is_head",
        "is_quoted",
        "mood",
        "negated_left",
        "object_left",
        "only_pronoun",
        "phrases",
        "tally",
    )

    def __init__(self, phrases: Phrases, tally: Tally, mood: str, free_order: bool) -> None:
        """Take the sentence and its mood; what is found goes to `tally`."""
        self.phrases, self.tally, self.mood, self.free_order = phrases, tally, mood, free_order
        self.is_head = mood == REQUEST  # the next phrase may be the verb of a request
        self.object_left = 0 if mood == QUESTION else _OBJECT_WORDS
        self.is_behind = False  # behind "if", "what" … of a request
        self.only_pronoun = False  # nothing but "it" or "that" stands behind the verb so far
        self.has_pronoun = False
        self.is_conditional = False  # "when it is empty, hide it": a request behind the comma
        self.asks_why = False  # "check why …" has been read
        self.negated_left = 0
        self.is_quoted = False

    def read(self, start: int) -> None:
        """Count every phrase from `start` on, the longest that speaks for something first."""
        nodes, every, _ = self.phrases
        at, count = start, len(nodes)
        opens = every[start].parts if start < count else 0
        self.is_conditional = self.mood == STATEMENT and bool(opens & SUBORDINATE)
        while at < count:
            here, size = every[at], 1
            if here.found:
                size = self._take(here, at, at == start)
                if here.parts & _TURNS:
                    self._turn(here.parts, at)
            elif (key := nodes[at].key) in _MARKS:
                self._pass_mark(key)
            else:  # most words: nothing is known of them, so no call is spent on them
                self.object_left -= 1
                self.only_pronoun = self.is_head = False
            self.negated_left -= 1
            at += size

    def _take(self, here: Known, at: int, opens: bool) -> int:
        """Count the longest phrase here that speaks for something; return its length."""
        if here.telling:
            size, entry = here.telling
            is_verbal = here.is_verbal and at not in self.phrases.nouns
            self._count(entry, is_verbal, opens and size > 1)
            return size
        size = self._announced(here.frame) if here.parts & FRAME else 0
        if not size:
            self._step(self.phrases.nodes[at].key, here.parts)
        return size or 1

    def _pass_mark(self, key: str) -> None:
        """Move on by a comma, a quotation mark or a blank."""
        if key in _QUOTES:
            self.is_quoted = not self.is_quoted
        else:
            self._step(key, 0)

    def _announced(self, size: int) -> int:
        """Return the length of a phrase that announces a request: "for the rest can you …"."""
        if size < 2 or self.mood == QUESTION:
            return 0
        self.mood, self.is_head, self.is_behind = REQUEST, True, False
        return size

    def _turn(self, part: int, at: int) -> None:
        """Take note of "not" and "why"."""
        if part & WHY:
            self.asks_why = True
        if not part & NEGATION:
            return
        self.negated_left = _NEGATION_REACH + 1
        before = self.phrases.here[at - 1].parts if at else 0
        is_own = bool(before & VOICE)  # "I don't think", "why don't we"
        if self.asks_why and self.mood != STATEMENT:
            self.tally.add("debug", 0.0 if is_own or self._is_personal(at) else _WHY_NOT)
        elif self.mood == STATEMENT and not self.is_conditional:
            self.tally.add("debug", _OWN_NOT if is_own else _COMPLAINT)

    def _is_personal(self, at: int) -> bool:
        """Say whether "I" or "we" follows: "why don't we use a queue" is no complaint."""
        return any(each.parts & VOICE for each in self.phrases.here[at + 1 : at + 3])

    def _count(self, entry: Entry, is_verbal: bool, opens: bool) -> None:
        """Count one phrase; `opens`: it is a longer one that the sentence begins with."""
        is_verb = entry.is_verb and is_verbal
        is_first = (self.is_head and is_verb) or (opens and self.mood != QUESTION)
        factor = _QUOTED if self.is_quoted else _BEHIND if self.is_behind else 1.0
        is_negated = self.negated_left > 0 and is_verbal
        add = self.tally.add
        for cue in entry.cues:
            tag = cue.tag
            weight = factor * (cue.at_head if is_first else self._weight(cue))
            if self.is_quoted and tag == "debug":
                weight /= _QUOTED  # it says "permission denied"
            if is_negated and tag not in _UNTOUCHED:
                weight *= _NEGATED
            add(tag, weight)
        if self.is_head and is_verb:
            self.is_head, self.object_left, self.only_pronoun = False, _OBJECT_WORDS, True
            self.mood = REQUEST
        elif entry.parts & SUBORDINATE:
            self._go_behind()
        else:
            self.object_left -= 1
            self.only_pronoun = False

    def _weight(self, cue: Cue) -> float:
        """Return what `cue` weighs where it does not begin a request."""
        if self.mood == QUESTION:
            place = cue.in_object if self.object_left > 0 else cue.elsewhere
            return place * _ASKED.get(cue.tag, 1.0)
        inside = self.free_order or self.object_left > 0
        weight = cue.in_object if inside else cue.elsewhere
        if cue.is_topic and self.mood == STATEMENT:
            weight *= _STATED.get(cue.tag, _STATED_ELSE)
        return weight

    def _step(self, key: str, parts: int) -> None:
        """Move on by a word that speaks for nothing here."""
        if key == "," or parts & JOINT:
            self.is_head = self.mood == REQUEST or (key == "," and self.is_conditional)
            self.is_behind = self.is_behind and not self.is_head
        elif self.only_pronoun and parts & PRONOUN:
            self.has_pronoun = True  # "add that to the readme": the readme is the object
        elif parts & SUBORDINATE:
            self._go_behind()
        elif key != BLANK:
            self.object_left -= 1
            self.only_pronoun = False
            self.is_head = self.is_head and bool(parts & FILLER)

    def _go_behind(self) -> None:
        if self.only_pronoun and self.has_pronoun:
            self.only_pronoun = self.has_pronoun = False
            return
        self.object_left, self.is_head = 0, False
        self.is_behind = self.mood == REQUEST and not self.free_order
