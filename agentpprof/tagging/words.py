"""What the word lists say of a phrase: what it speaks for, and which part it plays.

Reading the lists is the matter of `word_lists`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

FILLER, FRAME, JOINT, SUBORDINATE, NEGATION = (1 << bit for bit in range(5))
VOICE, TAG_QUESTION, SUBJECT, PRONOUN, RESTRICT = (1 << bit for bit in range(5, 10))
FOLLOW_CORE, FOLLOW_REST, CHAT_CORE, CHAT_REST, WHY = (1 << bit for bit in range(10, 15))
PARTS: Final = {
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


@dataclass(frozen=True, slots=True)
class Cue:
    """What one phrase speaks for, by its place in the sentence."""

    tag: str
    at_head: float
    in_object: float
    elsewhere: float
    is_topic: bool  # it counts more in an object than elsewhere


class Entry:
    """Everything known about one phrase."""

    __slots__ = ("cues", "is_verb", "parts", "question")

    def __init__(self) -> None:
        """Start with a phrase that means nothing."""
        self.cues: tuple[Cue, ...] = ()
        self.question: tuple[str, float] | None = None  # tag and weight, if a question begins so
        self.is_verb = False  # a request can begin with it
        self.parts = 0  # bits: FILLER, FRAME, JOINT …


Found = tuple[int, Entry]  # how many words a phrase has, and what is known of it


@dataclass(frozen=True, slots=True)  # read for every word: a slot is read faster than a tuple
class Known:
    """What is known of a place in a sentence: the phrases that begin there, summed up once."""

    found: tuple[Found, ...] = ()  # the longest first
    parts: int = 0  # that any of them can play
    telling: Found | None = None  # the longest that speaks for a tag
    frame: int = 0  # length of the longest frame, and of the longest of the others
    filler: int = 0
    opener: int = 0  # that a question begins with
    verb: int = 0
    is_verbal: bool = False  # the shortest is a verb


class Node:
    """One word of the phrases; the phrase that ends here, and the words that may follow."""

    __slots__ = ("before", "entry", "following", "key", "known", "reach")

    def __init__(self, key: str, before: "Node | None" = None) -> None:
        """Start without a phrase; `key` is the word, `before` the word in front of it."""
        self.key = key
        self.before = before
        self.entry: Entry | None = None
        self.following: dict[str, Node] = {}
        self.known: Known | None = None  # filled in when a sentence first comes here
        self.reach: int | None = None  # the same


def known_of(node: Node) -> Known:
    """Return what is known where a sentence goes from a phrase's first word up to `node`."""
    if node.known is None:
        node.known = _sum_up(_phrases_up_to(node))
    return node.known


def reach_of(node: Node) -> int:
    """Return the parts that phrases which begin with `node` can play, whatever follows."""
    if node.reach is None:
        own = node.entry.parts if node.entry else 0
        node.reach = reduce(or_, map(reach_of, node.following.values()), own)
    return node.reach


def _phrases_up_to(node: Node) -> list[Found]:
    path = [node]
    while path[-1].before is not None:
        path.append(path[-1].before)
    sized = zip(range(len(path), 0, -1), path, strict=True)
    return [(size, each.entry) for size, each in sized if each.entry is not None]


def _sum_up(found: list[Found]) -> Known:
    def longest(has: Callable[[Entry], object]) -> int:
        return next((size for size, entry in found if has(entry)), 0)

    return Known(
        tuple(found),
        reduce(or_, (entry.parts for _, entry in found), 0),
        next((each for each in found if each[1].cues), None),
        longest(lambda entry: entry.parts & FRAME),
        longest(lambda entry: entry.parts & FILLER),
        longest(lambda entry: entry.question),
        longest(lambda entry: entry.is_verb),
        bool(found) and found[-1][1].is_verb,
    )


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
