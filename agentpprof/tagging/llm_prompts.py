"""What a model is asked, and what of its answer counts: one word, or one of the declared tags.

Wordings and grammar lie in data/llm. Pure: nothing here touches a network.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from agentpprof.errors import UsageError
from agentpprof.redactor import redact
from agentpprof.resources import folder, read_text
from agentpprof.tagging.rules import check_tag

MAX_TOKENS: Final = 16  # 12 letters and an end; a word that needs more is cut
HEAD: Final = 1200  # characters of a text that are sent, from its two ends
TAIL: Final = 400
_SHORTEST: Final = 200  # below that a context that is too small has to be said
_AROUND = " \t\r\n\"'`*_.>"
_PLACE = re.compile(r"\{(\w+)\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_MARKER = re.compile(r"<(?=[|/｜])|\[(?=/?INST\])")  # how chat templates mark whose turn it is
_ANSWER_SHOWN = 40

Choices = tuple[tuple[str, str], ...]
Message = dict[str, str]


class Question(NamedTuple):
    """One text that a model is to name; `text` is what may leave the machine."""

    kind: str  # session, prompt or llm
    text_hash: int
    text: str
    choices: Choices = ()  # (tag, description); empty: any word


def definition(model: str, choices: Choices) -> str:
    """Return a text that changes whenever a text might get another tag, for the tag cache."""
    lines = [f"llm {model}", f"wording {_wording_digest()}", f"grammar {grammar(choices)}"]
    return "\n".join(lines + [f"choice {tag}={description}" for tag, description in choices])


@cache
def _wording_digest() -> str:
    digest = blake2b(digest_size=16)
    for path in sorted((folder("data") / "llm").iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(repr((HEAD, TAIL)).encode())
    return digest.hexdigest()


@cache
def grammar(choices: Choices) -> str:
    """Return the GBNF grammar of an answer; it holds nothing of a log."""
    if not choices:
        return read_text("data", "llm/word.gbnf")
    return "root ::= " + " | ".join(f'"{tag}"' for tag, _ in choices) + "\n"


def messages(question: Question, bad_answer: str | None = None) -> list[Message]:
    """Return the conversation that asks a question; with a bad answer it is asked once more."""
    form = "choice" if question.choices else "word"
    listed = "\n".join(f"{tag}: {description}" for tag, description in question.choices)
    asked = _filled(
        f"user_{form}.txt",
        {"what": _kinds()[question.kind], "choices": listed, "text": question.text},
    )
    found = [_message("system", _read(f"system_{form}.txt")), _message("user", asked)]
    if bad_answer is not None:
        tags = ", ".join(tag for tag, _ in question.choices)
        found.append(_message("assistant", sendable(bad_answer, _ANSWER_SHOWN, 0) or "-"))
        found.append(_message("user", _filled(f"retry_{form}.txt", {"tags": tags})))
    return found


def checked_tag(answer: str, choices: Choices) -> str | None:
    """Return the tag that an answer names, None where it is no single valid word."""
    word = answer.strip(_AROUND).lower()
    if choices:
        return word if any(word == tag for tag, _ in choices) else None
    try:
        check_tag(word, "")
    except UsageError:
        return None
    return word


def sendable(text: str, head: int = HEAD, tail: int = TAIL) -> str:
    """Return what of a text may be sent: without secrets and names, its two ends.

    Redacted whole before it is cut: a cut can hide how a secret begins.
    """
    clean = _CONTROL.sub(" ", redact(text)).strip()
    return _cut(_MARKER.sub(lambda found: f"{found[0]} ", clean), head, tail)


def shorter(question: Question) -> Question | None:
    """Return the question with half its text, None where that would say too little."""
    size = len(question.text)
    if size < _SHORTEST:
        return None
    return question._replace(text=_cut(question.text, size * 3 // 8, size // 8))


def _cut(text: str, head: int, tail: int) -> str:
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text for a server
    if len(text) <= head + tail:
        return text
    return f"{text[:head].rstrip()} … {text[len(text) - tail :].lstrip() if tail else ''}".rstrip()


def answer_text(document: Any) -> tuple[str, bool] | None:
    """Return (content, whether it is whole) of a server's answer, None where it has none."""
    found = _first_choice(document)
    if found is None:
        return None
    message = found.get("message")
    content = message.get("content") if isinstance(message, dict) else found.get("text")
    if not isinstance(content, str):
        return None
    return content, found.get("finish_reason") != "length"


def _first_choice(document: Any) -> dict[str, Any] | None:
    choices = document.get("choices") if isinstance(document, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


@cache
def _read(name: str) -> str:
    return read_text("data", f"llm/{name}").strip()


@cache
def _kinds() -> dict[str, str]:
    return dict(tomllib.loads(read_text("data", "llm/kinds.toml")))


def _filled(name: str, values: dict[str, str]) -> str:
    """Fill a wording's places in one go: what is put in is not looked at again."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), _read(name))


def session_text(prompts: Sequence[str]) -> str:
    """Return what of a session's first prompts is sent, a line each."""
    each = max(1, (HEAD + TAIL) // max(len(prompts), 1))
    return "\n".join(sendable(" ".join(text.split()), each, 0) for text in prompts)
