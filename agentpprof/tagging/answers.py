"""Prompts that only answer or greet: "yes", "go on", "option 2", "yes, but keep the name"."""

from collections.abc import Sequence
from typing import Final

from agentpprof.tagging.phrases import first_node, known_at, nodes_of, phrases_at
from agentpprof.tagging.prompt_text import PromptText
from agentpprof.tagging.tokens import BLANK
from agentpprof.tagging.words import (
    CHAT_CORE,
    CHAT_REST,
    FILLER,
    FOLLOW_CORE,
    FOLLOW_REST,
    RESTRICT,
    Entry,
    Node,
    known_of,
    reach_of,
)

_SURE: Final = 6.0
_TELLING: Final = 4.0  # weight of a phrase that decides wherever it stands
_MAX_CHOICE: Final = 5
_MAX_ANSWER: Final = 10
_ANSWERED: Final = 1.5
_RESTRICTED: Final = 4.0  # "but", "without": it goes on, with a restriction
_MAX_WORDS: Final = 24
_FOLLOW: Final = FOLLOW_CORE | FOLLOW_REST | CHAT_CORE | CHAT_REST | FILLER


def continuation(prompt: PromptText, words: Sequence[str], language: str) -> dict[str, float]:
    """Score a prompt that is nothing but "yes", "go on", "option 2" or a greeting."""
    if prompt.pasted or prompt.urls:
        return {}
    plain = [word for word in words if word not in ',;:`"&']
    if not plain or len(plain) > _MAX_WORDS:
        return {}
    if all(word.isdigit() or (len(word) == 1 and word.isascii()) for word in plain):
        return {"follow": _SURE}
    first = first_node(plain, language)
    if first is None or not (first.key.isdigit() or reach_of(first) & _FOLLOW):
        return {}  # most prompts end here
    nodes = nodes_of(plain, language)
    if not (first.key.isdigit() or known_at(nodes, 0).parts & _FOLLOW):
        return {}
    if _covered(nodes, CHAT_CORE, CHAT_CORE | CHAT_REST):
        return {"chat": _SURE}
    is_asked = any(sentence.is_question for sentence in prompt.sentences)
    if is_asked and any(entry.question for _, entry in phrases_at(nodes, 0)):
        return {}
    return {"follow": _SURE} if _covered(nodes, FOLLOW_CORE, _FOLLOW) else {}


def answer_score(words: Sequence[str], language: str) -> float:
    """Return what speaks for `follow` in "yes, but keep the name": an answer and then more."""
    if len(words) > _MAX_WORDS or "," not in words[1:_MAX_ANSWER]:
        return 0.0
    comma = words.index(",", 1)
    answer, more = nodes_of(words[:comma], language), nodes_of(words[comma + 1 :], language)
    if not answer or not more or not _covered(answer, FOLLOW_CORE, _FOLLOW):
        return 0.0
    return _RESTRICTED if known_of(more[0]).parts & RESTRICT else _ANSWERED


def _covered(nodes: Sequence[Node], core: int, allowed: int) -> bool:
    """Say whether phrases of these lists make up all of `nodes`, at least one of them of `core`."""
    has_core, at = False, 0
    while at < len(nodes):
        size, key = 0, nodes[at].key
        for length, entry in phrases_at(nodes, at):
            if length > 1 and not entry.parts & allowed and _is_telling(entry):
                return False  # "still the same" is more than "the same"
            if entry.parts & allowed:
                has_core = has_core or bool(entry.parts & core)
                size = length
                break
        if not size and not (key.isdigit() or key == BLANK):
            return False
        has_core = has_core or (core == FOLLOW_CORE and _is_choice(key, len(nodes)))
        at += size or 1
    return has_core


def _is_choice(key: str, count: int) -> bool:
    """Say whether an answer of a few words names a choice by `key`: "do 2", "C please"."""
    return count <= _MAX_CHOICE and (key.isdigit() or (len(key) == 1 and key.isalpha()))


def _is_telling(entry: Entry) -> bool:
    return any(cue.elsewhere > _TELLING for cue in entry.cues)
