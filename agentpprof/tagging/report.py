"""How well tags cover what was done, and how evenly they spread: counts in, figures out. Pure.

Shares and entropy are of what has a tag; entropy is normalised: 1 is as even as can be, 0 is one
tag for everything.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from agentpprof.counts import counted
from agentpprof.vocabulary import UNTAGGED

MAX_UNTAGGED: Final = 5.0  # percent; the target is below it
_MAX_TOP_1: Final = 40.0
_MAX_TOP_3: Final = 80.0
_MIN_TAGS: Final = 5
_MAX_TAGS: Final = 25
_MIN_ENTROPY: Final = 0.5
_FEW: Final = 3  # with so few tags, uneven shares say nothing
_LARGEST: Final = 5
# Kinds whose spread is worth a warning: a project has few sessions, so few tags of them are usual.
_JUDGED: Final = ("prompt", "llm")
_NOUNS: Final = {"session": "sessions", "prompt": "prompts", "llm": "LLM calls"}


class Spread(NamedTuple):
    """The tags of one kind: how many things have one, and how they spread."""

    kind: str  # session, prompt, llm
    total: int
    untagged: int
    tags: dict[str, int]  # the largest first; without `untagged`

    @property
    def tagged(self) -> int:
        """How many things have a tag."""
        return self.total - self.untagged

    @property
    def untagged_pct(self) -> float:
        """Share of the things without a tag."""
        return _percent(self.untagged, self.total)

    def top_pct(self, count: int) -> float:
        """Share of the `count` largest tags in everything tagged."""
        return _percent(sum(list(self.tags.values())[:count]), self.tagged)

    @property
    def entropy(self) -> float:
        """Normalised entropy of the tags; 0 for one tag or none."""
        if len(self.tags) < 2:
            return 0.0
        shares = [count / self.tagged for count in self.tags.values()]
        return -sum(share * math.log(share) for share in shares) / math.log(len(shares))


def spread_of(kind: str, counts: Mapping[str, int]) -> Spread:
    """Return the spread of one kind from tag -> count, `untagged` among them."""
    tags = {tag: count for tag, count in counts.items() if tag != UNTAGGED and count}
    ordered = sorted(tags.items(), key=lambda each: (-each[1], each[0]))
    untagged = counts.get(UNTAGGED, 0)
    return Spread(kind, sum(tags.values()) + untagged, untagged, dict(ordered))


def coverage_pct(spreads: list[Spread]) -> float:
    """Return the share of everything that has a tag, over all kinds; 0 where there is nothing."""
    return _percent(sum(each.tagged for each in spreads), sum(each.total for each in spreads))


def warnings_of(spread: Spread) -> list[str]:
    """Return what is wrong with the tags of one kind, as lines for a person."""
    return [*_coverage_warnings(spread), *_spread_warnings(spread)]


def _coverage_warnings(spread: Spread) -> Iterator[str]:
    if spread.total and spread.untagged_pct >= MAX_UNTAGGED:
        yield (
            f"{spread.untagged:,} of {spread.total:,} {_NOUNS[spread.kind]} have no tag "
            f"({spread.untagged_pct:.1f} %, the target is below {MAX_UNTAGGED:g} %)"
        )


def _spread_warnings(spread: Spread) -> Iterator[str]:
    if spread.kind not in _JUDGED or not spread.tags:
        return
    count, nouns = len(spread.tags), _NOUNS[spread.kind]
    tags = counted(count, "tag")
    largest = next(iter(spread.tags))
    if spread.top_pct(1) > _MAX_TOP_1:
        yield (
            f"{largest} has {spread.top_pct(1):.1f} % of the tagged {nouns} (more than "
            f"{_MAX_TOP_1:g} %): split it by rules of your own"
        )
    if count > _FEW and spread.top_pct(3) > _MAX_TOP_3:
        yield (
            f"three tags have {spread.top_pct(3):.1f} % of the tagged {nouns} (more than "
            f"{_MAX_TOP_3:g} %)"
        )
    if count < _MIN_TAGS:
        yield f"the {nouns} have only {tags} (fewer than {_MIN_TAGS}): too coarse"
    if count > _MAX_TAGS:
        yield f"the {nouns} have {tags} (more than {_MAX_TAGS}): too fine to aggregate"
    if count > _FEW and spread.entropy < _MIN_ENTROPY:
        yield f"the tags of the {nouns} are uneven: entropy {spread.entropy:.2f} of 1"


def as_plain(spread: Spread) -> dict[str, Any]:
    """Return one kind for JSON (docs/tagging.md)."""
    return {
        "total": spread.total,
        "matched": spread.tagged,
        "unmatched": spread.untagged,
        "unmatched_pct": round(spread.untagged_pct, 1),
        "distinct_tags": len(spread.tags),
        "top1_pct": round(spread.top_pct(1), 1),
        "top3_pct": round(spread.top_pct(3), 1),
        "top5_pct": round(spread.top_pct(5), 1),
        "entropy": round(spread.entropy, 3),
        "tags": spread.tags,
    }


def as_lines(spread: Spread) -> Iterator[str]:
    """Yield one kind for a person: coverage, spread, and the five largest tags."""
    nouns = _NOUNS[spread.kind]
    if not spread.total:
        yield f"{nouns}: none"
        return
    tagged_pct = _percent(spread.tagged, spread.total)
    yield f"{nouns}: {spread.tagged:,} of {spread.total:,} have a tag ({tagged_pct:.1f} %)"
    if not spread.tags:
        return
    yield (
        f"  {counted(len(spread.tags), 'tag')}; the largest has {spread.top_pct(1):.1f} %, three "
        f"{spread.top_pct(3):.1f} %, five {spread.top_pct(5):.1f} %; entropy {spread.entropy:.2f}"
    )
    for tag, count in list(spread.tags.items())[:_LARGEST]:
        yield f"  {tag:<12} {count:>7,}  {_percent(count, spread.tagged):5.1f} %"


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
