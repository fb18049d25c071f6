"""A prompt is taken apart: the person's own sentences, and what was pasted beside them.

Only the first and the last 2,000 characters are looked at: what is wanted stands at the beginning
or at the end, and a pasted file of 5 MB costs no more than a page.
"""

import re
from typing import Final, NamedTuple

from agentpprof.tagging.pasted import has_inline_error, kind_of, kind_of_block

HALF: Final = 2000
MAX_SENTENCES: Final = 60

_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_TAGGED: Final = re.compile(r"<(system-reminder|local-command-\w+|ide_\w+)>.*?(</\1>|\Z)", re.S)
_MARKUP: Final = re.compile(r"</?[a-z][\w-]*>|\[(?:Image|Pasted text)[^\]\n]{0,60}\]", re.I)
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_URL: Final = re.compile(r"https?://\S+")
_LETTER: Final = re.compile(r"[^\W_]")
_END: Final = re.compile(r"([.!?…]+(?:[\s)\"']+|$)|[。！？]+|\n+)")


class Sentence(NamedTuple):
    """One sentence of the person's own words."""

    text: str
    is_question: bool  # it ends with a question mark


class PromptText(NamedTuple):
    """What the built-in tagger sees of a prompt."""

    own: str  # the person's own words, URLs and pasted parts taken out
    sentences: tuple[Sentence, ...]
    pasted: dict[str, int]  # kind (trace, log, diff, shell, code, quote) -> lines
    urls: tuple[str, ...]
    has_inline_error: bool


def take_apart(text: str) -> PromptText:
    """Split `text` into own sentences, kinds of pasted lines, and URLs."""
    short = text if len(text) <= 2 * HALF else f"{text[:HALF]}\n{text[-HALF:]}"
    if not short.isprintable():
        short = _CONTROL.sub(" ", short)
    if "<" in short or "[" in short:
        short = _MARKUP.sub(" ", _TAGGED.sub(" ", short))
    pasted: dict[str, int] = {}
    if "```" in short:
        short = _FENCE.sub(lambda fence: _count_fence(fence[0], pasted), short)
    urls: tuple[str, ...] = ()
    if "://" in short:
        urls = tuple(_URL.findall(short))
        short = _URL.sub(" ", short)
    own = _own_lines(short, pasted) if "\n" in short.strip() else _own_line(short, pasted)
    return PromptText(own, _sentences(own), pasted, urls, has_inline_error(short))


def _count_fence(fence: str, pasted: dict[str, int]) -> str:
    """Count a fenced block as what its most telling line is; nothing of it stays."""
    kind = kind_of_block(fence.strip("`"))
    pasted[kind] = pasted.get(kind, 0) + fence.count("\n") + 1
    return "\n"


def _own_lines(text: str, pasted: dict[str, int]) -> str:
    """Count and drop the pasted lines of `text`."""
    own = []
    for line in text.split("\n"):
        kind = kind_of(line)
        if kind:
            pasted[kind] = pasted.get(kind, 0) + 1
        if not kind or kind == "quote":
            own.append(line)
    return "\n".join(own)


def _own_line(text: str, pasted: dict[str, int]) -> str:
    """A single line is pasted only if it is a trace; a command stays the person's word."""
    if kind_of(text.strip()) == "trace":
        pasted["trace"] = 1
        return ""
    return text


def _sentences(text: str) -> tuple[Sentence, ...]:
    parts = _END.split(text)
    found = [
        Sentence(part, "?" in end or "？" in end)
        for part, end in zip(parts[::2], [*parts[1::2], ""], strict=True)
        if _LETTER.search(part)
    ]
    if len(found) > MAX_SENTENCES:
        found = [*found[: MAX_SENTENCES // 2], *found[-MAX_SENTENCES // 2 :]]
    return tuple(found)
