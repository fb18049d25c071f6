"""The built-in tagger: one word of a closed list for every prompt, by rules and word lists.

Pure and deterministic: equal texts get equal tags, nothing is read but the packaged word lists.
The tag with the highest score wins (`scoring`). Importing this module costs nothing: the word lists
are read with the first prompt.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from agentpprof.vocabulary import TAGS, UNTAGGED

BUILTIN_VERSION: Final = 2
_LAST: Final = ("follow", "chat", UNTAGGED)  # a session is called so only if nothing else is there
_ORDER: Final = {tag: -index for index, tag in enumerate((*TAGS, UNTAGGED))}


def tag_prompt(text: str, slash_command: str = "") -> str:
    """Return the tag of a prompt, `untagged` if nothing is sensible.

    `slash_command` is the command or skill it was given with, with or without the slash.
    """
    from agentpprof.tagging.scoring import score

    scores = score(text, slash_command)
    if not scores:
        return UNTAGGED
    best = max(scores.items(), key=_rank)
    return best[0] if best[1] > 0 else UNTAGGED


def score_prompt(text: str, slash_command: str = "") -> dict[str, float]:
    """Return the score of each tag that anything speaks for, the highest first."""
    from agentpprof.tagging.scoring import score

    ranked = sorted(score(text, slash_command).items(), key=_rank, reverse=True)
    return {tag: round(points, 2) for tag, points in ranked if points > 0}


def _rank(scored: tuple[str, float]) -> tuple[float, int]:
    """Order by score, equal ones by the order of the list."""
    return scored[1], _ORDER[scored[0]]


def tag_session(tags_with_weights: Iterable[tuple[str, int]]) -> str:
    """Return the tag of a session from its prompts' tags and their weights (operations).

    The weightiest wins, ties go by name; `follow` and `chat` win only where nothing else is there,
    `untagged` only alone. The view `session_tags` decides the same in SQL.
    """
    totals: dict[str, int] = {}
    for tag, weight in tags_with_weights:
        totals[tag] = totals.get(tag, 0) + weight
    named = {tag: weight for tag, weight in totals.items() if tag not in _LAST}
    named = named or {tag: weight for tag, weight in totals.items() if tag != UNTAGGED}
    if not named:
        return UNTAGGED
    return min(named, key=lambda tag: (-named[tag], tag))


def word_data() -> list[tuple[str, bytes]]:
    """Return name and content of every word list, by name."""
    from agentpprof.resources import folder

    found = (folder("data") / "tag_words").glob("*.toml")
    return sorted((path.name, path.read_bytes()) for path in found)


@lru_cache(maxsize=1)
def definition() -> str:
    """Return a text that changes whenever the tagger or its words change, for the tag cache."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for name, content in word_data():
        digest.update(name.encode() + b"\0" + content + b"\0")
    return f"builtin {BUILTIN_VERSION} words {digest.hexdigest()}"
