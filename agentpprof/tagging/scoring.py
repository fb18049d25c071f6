"""All evidence about one prompt is added up.

A prompt is taken apart (`prompt_text`), each sentence is weighed (`sentence`), and the shape of the
whole tips the balance (`shapes`).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from agentpprof.tagging.answers import continuation
from agentpprof.tagging.language import language_of
from agentpprof.tagging.prompt_text import PromptText, take_apart
from agentpprof.tagging.reader import QUESTION, REQUEST, STATEMENT, Tally
from agentpprof.tagging.sentence import Weighed, weigh
from agentpprof.tagging.shapes import (
    fallback,
    has_own_end,
    is_review_comment,
    plan_title,
    shape_scores,
)
from agentpprof.tagging.slash import slash_scores, split_slash
from agentpprof.tagging.tokens import words_of

_REPEATED: Final = 0.5  # a tag that several sentences speak for gets half of each further score
_ENOUGH: Final = 1.0  # a lower score is no evidence
_NAMED: Final = 2.0  # from here on a kind of work is named
_YIELDING: Final = 0.4
_MOOD: Final = {REQUEST: 1.25, QUESTION: 1.0, STATEMENT: 0.85}
_COMMENT: Final = 0.4  # what a review comment finds wrong is not yet what is wanted


def score(text: str, slash_command: str) -> dict[str, float]:
    """Return the score of each tag that anything in `text` speaks for or against."""
    command, text = split_slash(text, slash_command)
    scores = slash_scores(command)
    for tag, weight in _score_text(take_apart(text), bool(scores)).items():
        scores[tag] = scores.get(tag, 0.0) + weight
    return scores


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
        names_work = _names_work(tally.totals())
        for tag, score in part.scores.items():
            yields = _YIELDING if tag == "follow" and names_work else 1.0
            tally.add(tag, score * place * mood * yields)
    return tally.totals()


def _names_work(scores: Mapping[str, float]) -> bool:
    """Say whether a kind of work was named: what then says "start with the first" adds little."""
    return any(score >= _NAMED for tag, score in scores.items() if tag not in ("follow", "chat"))
