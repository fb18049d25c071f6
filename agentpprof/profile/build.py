"""Fold cells into a profile: rules, frames, labels, sums. Pure.

Without rules the frames of a field are computed once per distinct value; with rules each distinct
cell is looked at once.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from agentpprof.models import Profile, Sample
from agentpprof.privacy import PublicText, frame
from agentpprof.profile.fields import FIELDS, MATCHED_FIELDS, TEXT_FIELDS, Cell, values_of
from agentpprof.profile.rules import LabelRule, Rules
from agentpprof.profile.views import View

Fold = Callable[[Cell], tuple[tuple[PublicText, ...], tuple[tuple[str, PublicText], ...]] | None]


def build_profile(cells: Iterable[tuple[Cell, int]], view: View, rules: Rules) -> Profile:
    """Return the profile of weighed cells; equal stacks and labels are one sample."""
    fold = _fold_with_rules(view, rules) if _has_rules(rules) else _fold_plainly(view, rules)
    sums: dict[Any, int] = {}
    for cell, value in cells:
        folded = fold(cell)
        if folded is not None and value:
            sums[folded] = sums.get(folded, 0) + value
    samples = tuple(Sample(stack, labels, value) for (stack, labels), value in sums.items())
    return Profile(view.name, view.sample_type, view.unit, samples)


def kept_cells(
    cells: Iterable[tuple[Cell, int]], view: View, rules: Rules
) -> Iterator[tuple[Cell, int]]:
    """Yield the cells that `--where` keeps: for rules that need names which are then taken away."""
    names = {rule.field for rule in rules.where}
    for cell, value in cells:
        if _is_kept({name: values_of(name, cell, view.name) for name in names}, rules):
            yield cell, value


def _has_rules(rules: Rules) -> bool:
    return bool(rules.where or rules.op_map or rules.stack_rules)


def _fold_plainly(view: View, rules: Rules) -> Fold:
    """Return the fold without rules: neighbours with one dependency are looked up together."""
    frame_tables = _tables_of(rules.stack, _frames_of, view)
    label_tables = _tables_of(rules.labels, _labels_of, view)

    def fold(cell: Cell) -> Any:
        stack: tuple[PublicText, ...] = ()
        for depends_on, known, compute in frame_tables:
            key = depends_on(cell)
            found = known.get(key)
            if found is None:
                found = known[key] = compute(cell)
            stack += found
        labels: tuple[tuple[str, PublicText], ...] = ()
        for depends_on, known, compute in label_tables:
            key = depends_on(cell)
            found = known.get(key)
            if found is None:
                found = known[key] = compute(cell)
            labels += found
        return stack, labels

    return fold


def _tables_of(names: Sequence[str], read: Callable[..., Any], view: View) -> list[Any]:
    """Return (what decides, known values, how to compute them) for each run of equal keys."""
    tables = []
    for depends_on, run in groupby(names, key=lambda name: FIELDS[name].depends_on):
        together = tuple(run)
        known: dict[Hashable, Any] = {}
        tables.append((depends_on, known, partial(read, together, view)))
    return tables


def _frames_of(names: Sequence[str], view: View, cell: Cell) -> tuple[PublicText, ...]:
    return tuple(frame(name, value) for name in names for value in values_of(name, cell, view.name))


def _labels_of(names: Sequence[str], view: View, cell: Cell) -> tuple[tuple[str, PublicText], ...]:
    found = ((name, values_of(name, cell, view.name)) for name in names)
    return tuple((name, PublicText(values[0])) for name, values in found if values)


def _fold_with_rules(view: View, rules: Rules) -> Fold:
    """Return the fold with rules: op-map first, then where, then stack rules."""
    names = tuple(dict.fromkeys((*MATCHED_FIELDS, *(n for n in rules.fields() if n in FIELDS))))

    def fold(cell: Cell) -> Any:
        values = {name: found for name in names if (found := values_of(name, cell, view.name))}
        claimed = _apply_op_map(values, rules.op_map)
        if not _is_kept(values, rules):
            return None
        texts = _MatchTexts(values, claimed)
        # Texts that people wrote were only there to be matched, unless a rule put a label there.
        shown = {n: v for n, v in values.items() if n in claimed or n not in TEXT_FIELDS}
        stack: list[PublicText] = []
        for name in rules.stack:
            label = _stack_label(name, texts, rules.stack_rules)
            chosen = (label,) if label else shown.get(name, ())
            stack += [frame(name, value) for value in chosen]
        labels = tuple((name, PublicText(shown[name][0])) for name in rules.labels if name in shown)
        return tuple(stack), labels

    return fold


class _MatchTexts:
    """What rules see of one operation: `field=value` by field, with the texts that a rule names."""

    def __init__(self, values: dict[str, tuple[str, ...]], made: frozenset[str]) -> None:
        self._values = values
        self._names = made.union(MATCHED_FIELDS)
        self._known: dict[tuple[str, ...], str] = {}

    def of(self, rule: LabelRule) -> str:
        """Return the text that `rule` is searched in."""
        text = self._known.get(rule.texts)
        if text is None:
            names = sorted(self._names.union(rule.texts).intersection(self._values))
            pairs = [f"{name}={value}" for name in names for value in self._values[name]]
            text = self._known[rule.texts] = " ".join(pairs)
        return text


def _apply_op_map(
    values: dict[str, tuple[str, ...]], op_map: tuple[LabelRule, ...]
) -> frozenset[str]:
    """Rewrite fields in the order of the rules, each at most once; returns which."""
    claimed: set[str] = set()
    texts = _MatchTexts(values, frozenset())
    for rule in op_map:
        if rule.field not in claimed and rule.pattern.search(texts.of(rule)):
            claimed.add(rule.field)
            values[rule.field] = (rule.label,)
            texts = _MatchTexts(values, frozenset(claimed))
    return frozenset(claimed)


def _is_kept(values: dict[str, tuple[str, ...]], rules: Rules) -> bool:
    for rule in rules.where:
        found = any(
            rule.pattern.search(value) or rule.pattern.search(f"{rule.field}={value}")
            for value in values.get(rule.field, ())
        )
        if found == rule.is_negated:
            return False
    return True


def _stack_label(name: str, texts: _MatchTexts, stack_rules: tuple[LabelRule, ...]) -> str:
    for rule in stack_rules:
        if rule.field == name and rule.pattern.search(texts.of(rule)):
            return rule.label
    return ""


def in_whole_seconds(profile: Profile) -> Profile:
    """Turn milliseconds into seconds so that the total, each stack and each sample agree.

    Largest remainder, three times: the total first, its seconds over the stacks, each stack's over
    its samples. So every format shows the same sum.
    """
    unsorted: dict[tuple[PublicText, ...], list[Sample]] = {}
    for sample in profile.samples:
        unsorted.setdefault(sample.stack, []).append(sample)
    by_stack = [sorted(unsorted[stack]) for stack in sorted(unsorted)]
    totals = [sum(sample.value for sample in samples) for samples in by_stack]
    whole = _share(totals, round(sum(totals) / 1000))
    seconds: list[Sample] = []
    for samples, stack_seconds in zip(by_stack, whole, strict=True):
        shares = _share([sample.value for sample in samples], stack_seconds)
        kept = zip(samples, shares, strict=True)
        seconds += [Sample(stack, labels, share) for (stack, labels, _), share in kept if share]
    return replace(profile, samples=tuple(seconds))


def _share(parts: list[int], whole: int) -> list[int]:
    """Return milliseconds in seconds, each rounded down or up so that they sum to `whole`."""
    shares = [part // 1000 for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda n: (-(parts[n] % 1000), n))
    for number in by_remainder[: whole - sum(shares)]:
        shares[number] += 1
    return shares
