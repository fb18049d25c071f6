"""The shape of a whole prompt: a bare yes, a pasted trace, a review comment, a plan."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentpprof.tagging.phrases import keys_of, phrases_at
from agentpprof.tagging.prompt_text import PromptText
from agentpprof.tagging.reader import QUESTION, REQUEST, STATEMENT
from agentpprof.tagging.sentence import Weighed
from agentpprof.tagging.tokens import BLANK
from agentpprof.tagging.words import (
    CHAT_CORE,
    CHAT_REST,
    FILLER,
    FOLLOW_CORE,
    FOLLOW_REST,
    RESTRICT,
    SUBJECT,
    Entry,
    Node,
    common,
    lexicon,
)

_SLASH: Final = re.compile(r"\s*/([a-zA-Z][\w:.-]*)(?=\s|$)")
_COMMAND_NAME: Final = re.compile(r"<command-name>\s*/?([\w:.-]+)\s*</command-name>")
_COMMAND_ARGS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.S)
_PLAN: Final = re.compile(
    r"\s*(?:please )?(?:implement|execute|carry out|build)(?: the| this)?(?: following)? plan\b"
    r"[^\n]*\n+\s*#+ *(?:plan|implementation plan)?:? *([^\n]*)",
    re.I,
)
_IDENTIFIER: Final = re.compile(
    r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\w\.[a-zA-Z]\w|\w/\w|\(\)"
)
_PULL: Final = re.compile(r"/(?:pull|merge_requests)/\d+")
_TELLING: Final = 4.0  # weight of a phrase that decides wherever it stands
_MAX_CHOICE: Final = 5
_MAX_ANSWER: Final = 10
_ANSWERED: Final = 1.5
_RESTRICTED: Final = 4.0  # "but", "without": it goes on, with a restriction
_MAX_FOLLOW: Final = 24
_FOLLOW: Final = FOLLOW_CORE | FOLLOW_REST | CHAT_CORE | CHAT_REST | FILLER
_TAG_OF_PASTED: Final = (
    ("trace", "debug"),
    ("log", "debug"),
    ("shell", "debug"),
    ("diff", "review"),
    ("code", "explain"),
)
_COMMENT_WORDS: Final = 18


def split_slash(text: str, slash_command: str) -> tuple[str, str]:
    """Return the name of the slash command of a prompt ('' if none) and the text beside it."""
    if slash_command:
        return slash_command.strip().lstrip("/").lower(), text
    named = _COMMAND_NAME.search(text[:2000]) if "<command-name>" in text[:2000] else None
    if named:
        arguments = _COMMAND_ARGS.search(text[:6000])
        return named[1].lower(), arguments[1] if arguments else ""
    typed = _SLASH.match(text[:200])
    if typed and "/" not in typed[1]:
        return typed[1].lower(), text[typed.end() :]
    return "", text


def slash_scores(command: str) -> dict[str, float]:
    """Score a slash command or skill by its name, else by the parts of its name."""
    if not command:
        return {}
    name = command.split(":")[-1]
    for words in ((name,), re.split(r"[:_.-]", command)):
        for tag, names in common()["slash"].items():
            if any(word in names for word in words):
                return {tag: 8.0}
    return {}


def continuation(prompt: PromptText, words: Sequence[str], language: str) -> dict[str, float]:
    """Score a prompt that is nothing but "yes", "go on", "option 2" or a greeting."""
    plain = [word for word in words if word not in ',;:`"&']
    if not plain or len(plain) > _MAX_FOLLOW or prompt.pasted or prompt.urls:
        return {}
    if all(word.isdigit() or (len(word) == 1 and word.isascii()) for word in plain):
        return {"follow": 6.0}
    keys = keys_of(plain, language) or plain
    first = lexicon(language).first
    if _covered(keys, first, CHAT_CORE, CHAT_CORE | CHAT_REST):
        return {"chat": 6.0}
    is_asked = any(sentence.is_question for sentence in prompt.sentences)
    if is_asked and any(entry.question for _, entry in phrases_at(keys, 0, first.get(keys[0]))):
        return {}
    return {"follow": 6.0} if _covered(keys, first, FOLLOW_CORE, _FOLLOW) else {}


def _answer_score(words: Sequence[str], language: str) -> float:
    """Return what speaks for `follow` in "yes, but keep the name": an answer and then more."""
    if "," not in words[1:_MAX_ANSWER]:
        return 0.0
    comma = words.index(",", 1)
    answer, more = keys_of(words[:comma], language), keys_of(words[comma + 1 :], language)
    first = lexicon(language).first
    if not answer or not more or not _covered(answer, first, FOLLOW_CORE, _FOLLOW):
        return 0.0
    node = first.get(more[0])
    return _RESTRICTED if node and node.parts & RESTRICT else _ANSWERED


def _covered(keys: Sequence[str], first: dict[str, Node], core: int, allowed: int) -> bool:
    """Say whether phrases of these lists make up all of `keys`, at least one of them of `core`."""
    has_core, at = False, 0
    while at < len(keys):
        size = 0
        for length, entry in phrases_at(keys, at, first.get(keys[at])):
            if length > 1 and not entry.parts & allowed and _is_telling(entry):
                return False  # "still the same" is more than "the same"
            if entry.parts & allowed:
                has_core = has_core or bool(entry.parts & core)
                size = length
                break
        if not size and not (keys[at].isdigit() or keys[at] == BLANK):
            return False
        has_core = has_core or (core == FOLLOW_CORE and _is_choice(keys, at))
        at += size or 1
    return has_core


def _is_choice(keys: Sequence[str], at: int) -> bool:
    """Say whether the answer of a few words names a choice there: "do 2", "C please"."""
    key = keys[at]
    return len(keys) <= _MAX_CHOICE and (key.isdigit() or (len(key) == 1 and key.isalpha()))


def _is_telling(entry: Entry) -> bool:
    return any(cue.elsewhere > _TELLING for cue in entry.cues.values())


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
    if len(words) < _MAX_FOLLOW and (answer := _answer_score(words, language)):
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
    is_stated = words[0] in lex.articles or bool(node and node.parts & SUBJECT)
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
