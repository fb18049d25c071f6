"""How far two taggers agree on the same texts. Pure: tags in, figures out."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple


class Agreement(NamedTuple):
    """Two taggers' tags side by side."""

    pairs: Counter[tuple[str, str]]  # (tag of the one, tag of the other) -> texts
    differing: list[int]  # text hashes, the commonest pair first
    only_first: int
    only_second: int

    @property
    def texts(self) -> int:
        """How many texts both have tagged."""
        return self.pairs.total()

    @property
    def agreed(self) -> int:
        """How many of them have one tag."""
        return sum(count for (one, other), count in self.pairs.items() if one == other)

    @property
    def agreed_pct(self) -> float:
        """Share of the texts with one tag."""
        return 100 * self.agreed / self.texts if self.texts else 0.0

    @property
    def kappa(self) -> float:
        """Agreement beyond chance (Cohen): 1 is all, 0 what chance gives."""
        ones, others = Counter[str](), Counter[str]()
        for (one, other), count in self.pairs.items():
            ones[one] += count
            others[other] += count
        if not self.texts:
            return 0.0
        by_chance = sum(ones[tag] * others[tag] for tag in ones) / self.texts**2
        return 1.0 if by_chance == 1 else (self.agreed / self.texts - by_chance) / (1 - by_chance)

    def as_plain(self) -> dict[str, Any]:
        """Return the figures for JSON; the matrix has a row a tag of the first tagger."""
        matrix: dict[str, dict[str, int]] = {}
        for (one, other), count in sorted(self.pairs.items()):
            matrix.setdefault(one, {})[other] = count
        return {
            "texts": self.texts,
            "agreed": self.agreed,
            "agreed_pct": round(self.agreed_pct, 1),
            "kappa": round(self.kappa, 3),
            "only_first": self.only_first,
            "only_second": self.only_second,
            "matrix": matrix,
        }


def agreement(first: Mapping[int, str], second: Mapping[int, str]) -> Agreement:
    """Compare two taggers on the texts (hashes) that both have tagged."""
    both = first.keys() & second.keys()
    pairs = Counter((first[each], second[each]) for each in both)
    differing = sorted(
        (each for each in both if first[each] != second[each]),
        key=lambda each: (-pairs[first[each], second[each]], first[each], second[each], each),
    )
    return Agreement(pairs, differing, len(first) - len(both), len(second) - len(both))
