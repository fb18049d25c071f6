"""The built-in tagger: one word of a closed list for every prompt, by rules and word lists.

Pure and deterministic: equal texts get equal tags, nothing is read but the packaged word lists.
A prompt is taken apart (`prompt_text`), each sentence is weighed (`sentence`), the shape of the
whole tips the balance (`shapes`), and the tag with the highest score wins.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from agentpprof.tagging.language import language_of
from agentpprof.tagging.prompt_text import PromptText, take_apart
from agentpprof.tagging.reader import QUESTION, REQUEST, STATEMENT, Tally
from agentpprof.tagging.sentence import Weighed, weigh
from agentpprof.tagging.shapes import (
    continuation,
    fallback,
    has_own_end,
    is_review_comment,
    plan_title,
    shape_scores,
    slash_scores,
    split_slash,
)
from agentpprof.tagging.tokens import words_of
from agentpprof.tagging.words import word_data
from agentpprof.vocabulary import TAGS, UNTAGGED

BUILTIN_VERSION: Final = 1
_REPEATED: Final = 0.5  # a tag that several sentences speak for gets half of each further score
_ENOUGH: Final = 1.0  # a lower score is no evidence
_MOOD: Final = {REQUEST: 1.25, QUESTION: 1.0, STATEMENT: 0.85}
_COMMENT: Final = 0.4  # what a review comment finds wrong is not yet what is wanted
_LAST: Final = ("follow", "chat", UNTAGGED)  # a session is called so only if nothing else is there
_ORDER: Final = {tag: -index for index, tag in enumerate((*TAGS, UNTAGGED))}


def tag_prompt(text: str, slash_command: str = "") -> str:
    """Return the tag of a prompt, `untagged` if nothing is sensible.

    `slash_command` is the command or skill it was given with, with or without the slash.
    """
    return _best(score_prompt(text, slash_command))


def tag_prompts(texts: Sequence[str]) -> list[str]:
    """Return the tag of each text; equal texts are looked at once."""
    tags = {text: tag_prompt(text) for text in dict.fromkeys(texts)}
    return [tags[text] for text in texts]


def score_prompt(text: str, slash_command: str = "") -> dict[str, float]:
    """Return the score of each tag that anything speaks for, the highest first."""
    command, text = split_slash(text, slash_command)
    scores = slash_scores(command)
    prompt = take_apart(text)
    for tag, score in _score_text(prompt, bool(scores)).items():
        scores[tag] = scores.get(tag, 0.0) + score
    ranked = sorted(scores.items(), key=lambda item: (-item[1], -_ORDER[item[0]]))
    return {tag: round(score, 2) for tag, score in ranked if score > 0}


def tag_session(tags_with_weights: Iterable[tuple[str, int]]) -> str:
    """Return the tag of a session from its prompts' tags and their weights (operations).

    The weightiest wins, ties go by the order of the list; `follow`, `chat` and untagged win only
    where nothing else is there. Tags of people's own rules stand behind the list, by name.
    """
    totals: dict[str, int] = {}
    for tag, weight in tags_with_weights:
        totals[tag] = totals.get(tag, 0) + weight
    named = {tag: weight for tag, weight in totals.items() if tag not in _LAST}
    named = named or {tag: weight for tag, weight in totals.items() if tag != UNTAGGED}
    if not named:
        return UNTAGGED
    return min(named, key=lambda tag: (-named[tag], -_ORDER.get(tag, -len(_ORDER)), tag))


@lru_cache(maxsize=1)
def definition() -> str:
    """Return a text that changes whenever the tagger or its words change, for the tag cache."""
    digest = hashlib.blake2b(digest_size=16)
    for name, content in word_data():
        digest.update(name.encode() + b"\0" + content + b"\0")
    return f"builtin {BUILTIN_VERSION} words {digest.hexdigest()}"


def _score_text(prompt: PromptText, has_command: bool) -> dict[str, float]:
    """Score the text of a prompt, whatever the command."""
    sentences = [words_of(sentence.text) for sentence in prompt.sentences]
    words = [word for sentence in sentences for word in sentence]
    language = language_of(prompt.own, words)
    simple = continuation(prompt, words, language)
    if simple:
        return simple
    title = plan_title(prompt.own)
    if title:
        title_words = words_of(title)
        weighed = weigh(title_words, False, language_of(title, title_words))
        return {**weighed.scores, "feature": weighed.scores.get("feature", 0.0) + 2.5}
    parts = [
        weigh(own_words, sentence.is_question, language)
        for own_words, sentence in zip(sentences, prompt.sentences, strict=True)
    ]
    is_comment = is_review_comment(prompt, words, parts)
    scores = _sum_up(parts, is_comment)
    for tag, score in shape_scores(prompt, words, parts, language, is_comment).items():
        scores[tag] = scores.get(tag, 0.0) + score
    if not has_command and max(scores.values(), default=0.0) < _ENOUGH:
        scores.update(fallback(prompt, words, parts, language))
    return scores


def _sum_up(parts: Sequence[Weighed], is_comment: bool) -> dict[str, float]:
    """Add the sentences up: requests count more, the first and the last request most."""
    requests = [index for index, part in enumerate(parts) if part.mood != STATEMENT]
    last_request = requests[-1] if requests else len(parts) - 1
    own_end = len(parts) - 1 if has_own_end(parts) else -1
    tally = Tally(_REPEATED)
    for index, part in enumerate(parts):
        place = 1.2 if index == last_request else 1.0 if index == 0 else 0.7 if index < 4 else 0.4
        mood = _COMMENT if is_comment and index != own_end else _MOOD[part.mood]
        for tag, score in part.scores.items():
            tally.add(tag, score * place * mood)
    return tally.totals()


def _best(scores: dict[str, float]) -> str:
    return next(iter(scores), UNTAGGED)
