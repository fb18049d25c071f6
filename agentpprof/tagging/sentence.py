"""One sentence is weighed: its mood, and the tags that its words speak for."""

from typing import Final, NamedTuple

from agentpprof.tagging.phrases import Found, find_phrases, keys_and_nouns
from agentpprof.tagging.reader import (
    QUESTION,
    REQUEST,
    STATEMENT,
    Reader,
    Tally,
    lengths_of,
)
from agentpprof.tagging.words import (
    NEGATION,
    TAG_QUESTION,
    VOICE,
    Lexicon,
    lexicon,
)

_REPEATED: Final = 0.3  # a second word for the same tag says little more


class Weighed(NamedTuple):
    """What one sentence says."""

    scores: dict[str, float]
    mood: str
    is_personal: bool  # it says "I", "we", "please"


def weigh(words: list[str], is_question: bool, language: str) -> Weighed:
    """Return the score of each tag that the `words` of one sentence speak for, and its mood."""
    lex = lexicon(language)
    keys, nouns = keys_and_nouns(words, language)
    found, parts = find_phrases(keys, lex)
    tally = Tally(_REPEATED)
    start, framed = _skip_opening(keys, found)
    here = found[start] if start < len(keys) else []
    asked = _question(here, framed, is_question)
    if asked:
        tally.add(*asked)
    forbids = start < len(keys) and bool(parts[start] & NEGATION) and not is_question
    begins = any(entry.is_verb for _, entry in here) and start not in nouns
    begins = begins and not _is_told(keys[start], words, lex)
    is_request = not asked and (framed or forbids or begins)
    mood = REQUEST if is_request else QUESTION if asked or is_question else STATEMENT
    if is_question and len(keys) > 3 and parts[-1] & TAG_QUESTION:
        mood = QUESTION  # "… , right?"
        tally.add("explain", 4.0)
    elif mood == QUESTION and not asked:
        tally.add("explain", 1.5)
    reader = Reader(lex, tally, mood, nouns)
    reader.read(keys, found, parts, start)
    return Weighed(tally.totals(), reader.mood, any(part & VOICE for part in parts))


def _is_told(key: str, words: list[str], lex: Lexicon) -> bool:
    """Say whether the verb `key` stands there as "checked" or "checking": that is no request."""
    if lex.free_order or key in words:
        return False
    return any(word.endswith(("ed", "ing")) and word[:3] == key[:3] for word in words)


def _skip_opening(keys: list[str], found: list[list[Found]]) -> tuple[int, bool]:
    """Return where the sentence really begins, and whether a request was announced.

    A longer phrase that speaks for a tag goes before: "let's try the" is no "let's".
    """
    at, framed = 0, False
    while at < len(keys):
        frame, filler, told, opener = lengths_of(found[at]) if found[at] else (0, 0, 0, 0)
        skipped = max(frame, filler)
        framed = framed or frame > 0
        if keys[at] in ",;:&_":
            skipped = 1
        elif not skipped or max(told, opener) > skipped or (at and opener and frame < 2):
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
