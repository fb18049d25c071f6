"""One sentence is weighed: its mood, and the tags that its words speak for."""

from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from agentpprof.tagging.phrases import Found, Phrases, find_phrases
from agentpprof.tagging.reader import (
    QUESTION,
    REQUEST,
    STATEMENT,
    Reader,
    Tally,
    lengths_of,
)
from agentpprof.tagging.tokens import BLANK
from agentpprof.tagging.word_lists import lexicon
from agentpprof.tagging.words import NEGATION, TAG_QUESTION, VOICE, Lexicon

_MARKS: Final = frozenset((*",;:&", BLANK))
_REPEATED: Final = 0.3  # a second word for the same tag says little more


class Weighed(NamedTuple):
    """What one sentence says."""

    scores: dict[str, float]
    mood: str
    is_personal: bool  # it says "I", "we", "please"


def weigh(words: list[str], is_question: bool, language: str) -> Weighed:
    """Return the score of each tag that the `words` of one sentence speak for, and its mood."""
    lex = lexicon(language)
    phrases = find_phrases(words, language)
    nodes, found, parts, nouns = phrases
    tally = Tally(_REPEATED)
    start, framed = _skip_opening(phrases)
    here = found[start] if start < len(nodes) else []
    asked = _question(here, framed, is_question)
    if asked:
        tally.add(*asked)
    forbids = bool(here) and bool(parts[start] & NEGATION) and not is_question
    begins = any(entry.is_verb for _, entry in here) and start not in nouns
    begins = begins and not _is_told(nodes[start].key, words, lex)
    is_request = not asked and (framed or forbids or begins)
    mood = REQUEST if is_request else QUESTION if asked or is_question else STATEMENT
    if is_question and len(nodes) > 3 and parts[-1] & TAG_QUESTION:
        mood = QUESTION  # "… , right?"
        tally.add("explain", 4.0)
    elif mood == QUESTION and not asked:
        tally.add("explain", 1.5)
    reader = Reader(phrases, tally, mood, lex.free_order)
    reader.read(start)
    return Weighed(tally.totals(), reader.mood, bool(reduce(or_, parts, 0) & VOICE))


def _is_told(key: str, words: list[str], lex: Lexicon) -> bool:
    """Say whether the verb `key` stands there as "checked" or "checking": that is no request."""
    if lex.free_order or key in words:
        return False
    return any(word.endswith(("ed", "ing")) and word[:3] == key[:3] for word in words)


def _skip_opening(phrases: Phrases) -> tuple[int, bool]:
    """Return where the sentence really begins, and whether a request was announced.

    A longer phrase that speaks for a tag goes before: "let's try the" is no "let's".
    """
    at, framed = 0, False
    for_all = zip(phrases.nodes, phrases.found, strict=True)
    for place, (node, here) in enumerate(for_all):
        if place < at:
            continue
        if node.key in _MARKS:
            at += 1
            continue
        if not here:
            break
        frame, filler, told, opener = lengths_of(here)
        skipped = max(frame, filler)
        framed = framed or frame > 0
        if not skipped or max(told, opener) > skipped or (at and opener and frame < 2):
            break
        at += skipped
    return at, framed


def _question(here: list[Found], framed: bool, is_marked: bool) -> tuple[str, float] | None:
    """Return tag and weight of how a question begins; "have a look" is none, "have we" is one."""
    verb = max((size for size, entry in here if entry.is_verb), default=0)
    for size, entry in here:
        if entry.question and size >= verb:
            if entry.parts & NEGATION and not is_marked:
                return None  # "don't push yet"
            is_order = framed and (verb or entry.question[1] < 2.0)  # "let's do", "can you show"
            return None if is_order else entry.question
    return None
