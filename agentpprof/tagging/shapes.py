"""The shape of a whole prompt: a bare yes, a pasted trace, a review comment, a plan to carry out."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentpprof.tagging.prompt_text import PromptText
from agentpprof.tagging.sentence import QUESTION, REQUEST, STATEMENT, Weighed
from agentpprof.tagging.words import common, lexicon

_SLASH: Final = re.compile(r"\s*/([a-zA-Z][\w:.-]*)(?=\s|$)")
_COMMAND_NAME: Final = re.compile(r"<command-name>\s*/?([\w:.-]+)\s*</command-name>")
_COMMAND_ARGS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.S)
_PLAN: Final = re.compile(
    r"\s*(?:please )?(?:implement|execute|carry out|build)(?: the| this)?(?: following)? plan\b[^\n]*\n+\s*#+ *"
    r"(?:plan|implementation plan)?:? *([^\n]*)",
    re.I,
)
_IDENTIFIER: Final = re.compile(r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\w\.(?:go|py|ts|js|rs|java)\b|\(\)")
_PULL: Final = re.compile(r"/(?:pull|merge_requests)/\d+")
_MAX_FOLLOW: Final = 24
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


def continuation(words: Sequence[str], language: str) -> dict[str, float]:
    """Score a prompt that is nothing but "yes", "go on", "option 2" or a greeting."""
    plain = [word for word in words if word not in ",;:`\"&"]
    if not plain:
        return {"chat": 3.0} if not words else {}
    if len(plain) > _MAX_FOLLOW:
        return {}
    sets = lexicon(language).sets
    if all(word.isdigit() or len(word) == 1 and word.isascii() for word in plain):
        return {"follow": 6.0}
    for name in ("chat", "follow"):
        core = _covered(plain, language, (f"{name}_core",), (f"{name}_rest",))
        if core:
            return {name: 6.0}
    return {"follow": 6.0} if _covered(plain, language, ("follow_core", "chat_core"), ("follow_rest", "chat_rest", "filler")) and sets else {}


def _covered(words: Sequence[str], language: str, cores: Sequence[str], rests: Sequence[str]) -> bool:
    """Say whether phrases of these lists make up all of `words`, at least one a core phrase."""
    lex = lexicon(language)
    has_core, at = False, 0
    while at < len(words):
        most = min(lex.longest.get(words[at], 1), len(words) - at)
        for size in range(most, 0, -1):
            phrase = " ".join(words[at : at + size])
            is_core = any(phrase in lex.sets[name] for name in cores)
            if is_core or any(phrase in lex.sets[name] for name in rests):
                has_core |= is_core
                at += size
                break
        else:
            if not words[at].isdigit():
                return False
            at += 1
    return has_core


def plan_title(own: str) -> str:
    """Return the title of a plan that the prompt wants carried out, or ''."""
    found = _PLAN.match(own)
    return found[1] if found else ""


def shape_scores(
    prompt: PromptText, words: Sequence[str], parts: Sequence[Weighed], language: str
) -> dict[str, float]:
    """Score what was pasted, and statements that read like a review comment."""
    scores = _pasted_scores(prompt, len(words))
    if _is_review_comment(prompt, words, parts, language):
        has_request = any(part.mood == REQUEST for part in parts)
        scores["review"] = scores.get("review", 0.0) + (3.0 if has_request else 9.0)
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


def _is_review_comment(
    prompt: PromptText, words: Sequence[str], parts: Sequence[Weighed], language: str
) -> bool:
    """A reviewer writes whole sentences about named code and never says "I" or "please"."""
    if len(words) < _COMMENT_WORDS or not _IDENTIFIER.search(prompt.own):
        return False
    voice = lexicon(language).sets["own_voice"]
    personal = sum(word in voice for word in words)
    first = prompt.own.lstrip()[:1]
    statements = sum(part.mood == STATEMENT for part in parts)
    return personal * 40 <= len(words) and statements * 2 >= len(parts) and not first.islower()


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
    prompt: PromptText, words: Sequence[str], parts: Sequence[Weighed]
) -> dict[str, float]:
    """Score a prompt that no word speaks for, by its mood."""
    if not words:
        return _without_words(prompt)
    if any(part.mood == QUESTION for part in parts):
        return {"explain": 1.0}
    if any(part.mood == REQUEST for part in parts):
        return {"feature": 1.0}
    if len(words) < 3:
        return {"chat": 1.0}
    return {"plan": 1.0} if any("o" in word for word in words) and prompt.own.isascii() else {}


def _without_words(prompt: PromptText) -> dict[str, float]:
    kinds = (("trace", "debug"), ("log", "debug"), ("shell", "debug"), ("diff", "review"), ("code", "explain"))
    for kind, tag in kinds:
        if prompt.pasted.get(kind):
            return {tag: 1.0}
    return {"research": 1.0} if prompt.urls else {"chat": 1.0}
