"""The shape of a whole prompt: a pasted trace, a review comment, a plan, a command line."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentpprof.tagging.answers import answer_score
from agentpprof.tagging.prompt_text import PromptText
from agentpprof.tagging.reader import QUESTION, REQUEST, STATEMENT
from agentpprof.tagging.sentence import Weighed
from agentpprof.tagging.word_lists import common, lexicon
from agentpprof.tagging.words import SUBJECT, known_of

_PLAN: Final = re.compile(
    r"\s*(?:please )?(?:implement|execute|carry out|build)(?: the| this)?(?: following)? plan\b"
    r"[^\n]*\n+\s*#+ *(?:plan|implementation plan)?:? *([^\n]*)",
    re.I,
)
_IDENTIFIER: Final = re.compile(
    r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\w\.[a-zA-Z]\w|\w/\w|\(\)"
)
_PULL: Final = re.compile(r"/(?:pull|merge_requests)/\d+")
_TAG_OF_PASTED: Final = (
    ("trace", "debug"),
    ("log", "debug"),
    ("shell", "debug"),
    ("diff", "review"),
    ("code", "explain"),
)
_COMMENT_WORDS: Final = 18


def plan_title(own: str) -> str:
    """Return the title of a plan that the prompt wants carried out, or ''."""
    found = _PLAN.match(own)
    return found[1] if found else ""


def shape_scores(
    prompt: PromptText,
    words: Sequence[str],
    parts: Sequence[Weighed],
    language: str,
    is_comment: bool,
) -> dict[str, float]:
    """Score what was pasted, and statements that read like a review comment."""
    scores = _pasted_scores(prompt, len(words))
    if is_comment:
        is_asked = has_own_end(parts)
        scores["review"] = scores.get("review", 0.0) + (1.5 if is_asked else 6.0)
    if answer := answer_score(words, language):
        scores["follow"] = scores.get("follow", 0.0) + answer
    for tag, score in _program(words).items():
        scores[tag] = scores.get(tag, 0.0) + score
    return scores


def _pasted_scores(prompt: PromptText, words: int) -> dict[str, float]:
    pasted, scores = prompt.pasted, {}
    few = words < 12
    if pasted.get("trace"):
        scores["debug"] = 6.0 if few else 3.0
    elif prompt.has_inline_error:
        scores["debug"] = 3.0
    elif pasted.get("log") or pasted.get("shell"):
        scores["debug"] = 3.0 if few else 1.0
    if pasted.get("diff"):
        scores["review"] = 3.0 if few else 1.0
    if pasted.get("quote"):
        scores["review"] = 1.0
    if any(_PULL.search(url) for url in prompt.urls):
        scores["review"] = scores.get("review", 0.0) + 2.0
    return scores


def is_review_comment(prompt: PromptText, words: Sequence[str], parts: Sequence[Weighed]) -> bool:
    """Say whether `prompt` reads like one: sentences about named code, no "I", no "please".

    The last sentence may be the person's own ("Can we add logging?").
    """
    if len(words) < _COMMENT_WORDS or prompt.own.lstrip()[:1].islower():
        return False
    if any(part.is_personal for part in parts[: max(1, len(parts) - 1)]):
        return False
    statements = sum(part.mood == STATEMENT for part in parts)
    return statements * 2 >= len(parts) and bool(_IDENTIFIER.search(prompt.own))


def has_own_end(parts: Sequence[Weighed]) -> bool:
    """Say whether the last of several sentences is a request or question of the person's own."""
    return len(parts) > 1 and parts[-1].mood != STATEMENT and parts[-1].is_personal


@lru_cache(maxsize=4096)
def _program_tag(first: str, two: str) -> str:
    for tag, names in common()["programs"].items():
        if two in names:
            return tag
    return next((tag for tag, names in common()["programs"].items() if first in names), "")


def _program(words: Sequence[str]) -> dict[str, float]:
    """Score a prompt that is a command line ("docker compose up -d")."""
    if not words or len(words) > 12:
        return {}
    tag = _program_tag(words[0], " ".join(words[:2]))
    has_flag = any(word.startswith("-") for word in words)
    return {tag: 4.0 if has_flag or len(words) < 4 else 1.5} if tag else {}


def fallback(
    prompt: PromptText, words: Sequence[str], parts: Sequence[Weighed], language: str
) -> dict[str, float]:
    """Score a prompt that hardly a word speaks for, by its mood."""
    if not words:
        return _without_words(prompt)
    if any(part.mood == QUESTION for part in parts):
        return {"explain": 1.0}
    if any(part.mood == REQUEST for part in parts):
        return {"feature": 1.0}
    if len(words) < 3 or not _is_latin(prompt.own):
        return {"chat": 1.0} if len(words) < 3 else {}
    lex = lexicon(language)
    node = lex.first.get(words[0])
    is_stated = words[0] in lex.articles or bool(node and known_of(node).parts & SUBJECT)
    # "the sidebar overlaps the text" reports a fault, "remember the answer" asks for something
    return {"debug": 1.0} if is_stated else {"feature": 1.0}


def _is_latin(text: str) -> bool:
    """Say whether most letters of `text` are of a script that the word lists can judge."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < "\u0250" for char in letters) > len(letters)


def _without_words(prompt: PromptText) -> dict[str, float]:
    for kind, tag in _TAG_OF_PASTED:
        if prompt.pasted.get(kind):
            return {tag: 1.0}
    return {"research": 1.0} if prompt.urls else {"chat": 1.0}
