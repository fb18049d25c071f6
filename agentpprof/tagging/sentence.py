"""One sentence is weighed: its mood, and the tags that its words speak for."""

from typing import Final, NamedTuple

from agentpprof.tagging.phrases import Phrases, find_phrases
from agentpprof.tagging.reader import (
    QUESTION,
    REQUEST,
    STATEMENT,
    Reader,
    Tally,
)
from agentpprof.tagging.tokens import BLANK
from agentpprof.tagging.word_lists import lexicon
from agentpprof.tagging.words import NEGATION, TAG_QUESTION, VOICE, Known, Lexicon

_MARKS: Final = frozenset((*",;:&", BLANK))
_NOTHING: Final = Known()
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
    nodes, every, nouns = phrases
    tally = Tally(_REPEATED)
    start, framed = _skip_opening(phrases)
    here = every[start] if start < len(nodes) else _NOTHING
    asked = _question(here, framed, is_question)
    if asked:
        tally.add(*asked)
    forbids = bool(here.parts & NEGATION) and not is_question
    begins = here.verb > 0 and start not in nouns
    begins = begins and not _is_told(nodes[start].key, words, lex)
    is_request = not asked and (framed or forbids or begins)
    mood = REQUEST if is_request else QUESTION if asked or is_question else STATEMENT
    if is_question and len(nodes) > 3 and every[-1].parts & TAG_QUESTION:
        mood = QUESTION  # "… , right?"
        tally.add("explain", 4.0)
    elif mood == QUESTION and not asked:
        tally.add("explain", 1.5)
    reader = Reader(phrases, tally, mood, lex.free_order)
    reader.read(start)
    return Weighed(tally.totals(), reader.mood, _is_personal(every))


def _is_personal(every: list[Known]) -> bool:
    for here in every:  # noqa: SIM110 # `any` would cost a generator for each sentence
        if here.parts & VOICE:
            return True
    return False


def _is_told(key: str, words: list[str], lex: Lexicon) -> bool:
    """Say whether the verb `key` stands there as "checked" or "checking": that is no request."""
    if lex.free_order or key in words:
        return False
    beginning = key[:3]
    alike = [word for word in words if word[:3] == beginning]
    return any(word.endswith(("ed", "ing")) for word in alike)


def _skip_opening(phrases: Phrases) -> tuple[int, bool]:
    """Return where the sentence really begins, and whether a request was announced.

    A longer phrase that speaks for a tag goes before: "let's try the" is no "let's".
    """
    at, framed = 0, False
    for place, (node, here) in enumerate(zip(phrases.nodes, phrases.here, strict=True)):
        if place < at:
            continue
        if node.key in _MARKS:
            at += 1
            continue
        if not here.found:
            break
        framed = framed or here.frame > 0
        skipped = max(here.frame, here.filler)
        told = here.telling[0] if here.telling else 0
        if not skipped or max(told, here.opener) > skipped:
            break
        if at and here.opener and here.frame < 2:
            break
        at += skipped
    return at, framed


def _question(here: Known, framed: bool, is_marked: bool) -> tuple[str, float] | None:
    """Return tag and weight of how a question begins; "have a look" is none, "have we" is one."""
    if not here.opener:
        return None
    verb = here.verb
    for size, entry in here.found:
        if entry.question and size >= verb:
            if entry.parts & NEGATION and not is_marked:
                return None  # "don't push yet"
            is_order = framed and (verb or entry.question[1] < 2.0)  # "let's do", "can you show"
            return None if is_order else entry.question
    return None
