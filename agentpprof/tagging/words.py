"""What the word lists say of a phrase: what it speaks for, and which part it plays.

Reading the lists is the matter of `word_lists`.
"""

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


class Cue(NamedTuple):
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


class Node:
    """One word of the phrases; the phrase that ends here, and the words that may follow."""

    __slots__ = ("alone", "entry", "following", "key", "parts")

    def __init__(self, key: str) -> None:
        """Start without a phrase; `key` is the word."""
        self.key = key
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
