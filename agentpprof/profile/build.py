"""Fold cells into a profile: rules, frames, labels, sums. Pure.

Cells are numbers, and a frame or label depends on some of them: without rules each distinct
combination is looked at once, with rules each distinct cell.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from agentpprof.models import Labels, Profile, Samples, Stack, without_zeros
from agentpprof.privacy import PublicText, frame
from agentpprof.profile.cells import Cells, Distinct
from agentpprof.profile.fields import (
    FIELDS,
    MATCHED_FIELDS,
    TEXT_FIELDS,
    Numbers,
    Parts,
    values_of,
)
from agentpprof.profile.rules import LabelRule, Rules, unmatched_rules
from agentpprof.profile.seconds import Sums, in_whole_seconds
from agentpprof.profile.views import View

T = TypeVar("T")
Matched = dict[int, LabelRule]  # by identity: rules that have matched


def build_profile(cells: Cells, view: View, rules: Rules) -> Profile:
    """Return the profile of weighed cells; equal stacks and labels are one sample."""
    stacks, label_sets = Distinct[Stack](), Distinct[Labels]()
    matched: Matched = {}
    if rules.where or rules.op_map or rules.stack_rules:
        sums = _sums_by_rules(cells, view, rules, (stacks, label_sets), matched)
    else:
        sums = _plain_sums(cells, view, rules, stacks, label_sets)
    found, labels = stacks.values(), label_sets.values()
    if view.unit == "seconds":
        sums = in_whole_seconds(sums, found, labels)
    by_stack = without_zeros({found[stack]: values for stack, values in sums.items()})
    unmatched = unmatched_rules(rules, matched.values())
    samples = Samples(by_stack, labels)
    return Profile(view.name, view.sample_type, view.unit, samples, unmatched=unmatched)


def kept_cells(cells: Cells, view: View, rules: Rules) -> Cells:
    """Return the cells that `--where` keeps: for rules on names which are then taken away."""
    names = {rule.field for rule in rules.where}

    def is_kept(numbers: Numbers) -> bool:
        cell = cells.cell(numbers)
        return _is_kept({name: values_of(name, cell, view.name) for name in names}, rules)

    weights = {numbers: value for numbers, value in cells.weights.items() if is_kept(numbers)}
    return cells._replace(weights=weights)


def _plain_sums(
    cells: Cells, view: View, rules: Rules, stacks: Distinct[Stack], label_sets: Distinct[Labels]
) -> Sums:
    """Sum by numbers of stack and labels, without rules."""
    stack_of = _numbered_by_parts(rules.stack, partial(_frames_of, view, cells), stacks)
    labels_of = _numbered_by_parts(rules.labels, partial(_labels_of, view, cells), label_sets)
    sums: Sums = {}
    for numbers, value in cells.weights.items():
        values = sums.setdefault(stack_of(numbers), {})
        labels = labels_of(numbers)
        values[labels] = values.get(labels, 0) + value
    return sums


def _numbered_by_parts(
    names: Sequence[str],
    read: Callable[[Sequence[str], Numbers], tuple[T, ...]],
    distinct: Distinct[tuple[T, ...]],
) -> Callable[[Numbers], int]:
    """Return cell -> number of what `names` read: looked at once a combination of parts.

    Neighbours that depend on the same parts are read together, so a new combination is mostly put
    together from what is known.
    """
    runs = [
        _once_per(parts, partial(read, tuple(run)))
        for parts, run in groupby(names, key=lambda name: FIELDS[name].depends_on)
    ]

    def number_of(numbers: Numbers) -> int:
        whole: tuple[T, ...] = ()
        for run in runs:
            whole += run(numbers)
        return distinct.number(whole)

    return _once_per({part for name in names for part in FIELDS[name].depends_on}, number_of)


def _once_per(parts: Collection[str], compute: Callable[[Numbers], T]) -> Callable[[Numbers], T]:
    """Return `compute`, called once for each combination of these parts."""
    places = [place for place, part in enumerate(Parts._fields) if part in parts]
    pick: Callable[[Numbers], Any] = itemgetter(*places) if places else bool
    known: dict[Any, T] = {}

    def remembered(numbers: Numbers) -> T:
        key = pick(numbers)
        found = known.get(key)
        if found is None:
            found = known[key] = compute(numbers)
        return found

    return remembered


def _frames_of(view: View, cells: Cells, names: Sequence[str], numbers: Numbers) -> Stack:
    cell = cells.cell(numbers)
    return tuple(frame(name, value) for name in names for value in values_of(name, cell, view.name))


def _labels_of(view: View, cells: Cells, names: Sequence[str], numbers: Numbers) -> Labels:
    cell = cells.cell(numbers)
    found = ((name, values_of(name, cell, view.name)) for name in names)
    return tuple((name, PublicText(values[0])) for name, values in found if values)


def _sums_by_rules(
    cells: Cells,
    view: View,
    rules: Rules,
    distinct: tuple[Distinct[Stack], Distinct[Labels]],
    matched: Matched,
) -> Sums:
    """Sum by numbers of stack and labels, with rules: op-map, then where, then stack rules."""
    stacks, label_sets = distinct
    names = tuple(dict.fromkeys((*MATCHED_FIELDS, *(n for n in rules.fields() if n in FIELDS))))
    sums: Sums = {}
    for numbers, value in cells.weights.items():
        cell = cells.cell(numbers)
        values = {name: found for name in names if (found := values_of(name, cell, view.name))}
        folded = _fold_by_rules(values, rules, matched)
        if folded is not None:
            summed = sums.setdefault(stacks.number(folded[0]), {})
            labels = label_sets.number(folded[1])
            summed[labels] = summed.get(labels, 0) + value
    return sums


def _fold_by_rules(
    values: dict[str, tuple[str, ...]], rules: Rules, matched: Matched
) -> tuple[Stack, Labels] | None:
    """Return stack and labels of one cell, None where a rule leaves it out."""
    claimed = _apply_op_map(values, rules.op_map, matched)
    if not _is_kept(values, rules):
        return None
    texts = _MatchTexts(values, claimed)
    # Texts that people wrote were only there to be matched, unless a rule put a label there.
    shown = {n: v for n, v in values.items() if n in claimed or n not in TEXT_FIELDS}
    stack: list[PublicText] = []
    for name in rules.stack:
        label = _stack_label(name, texts, rules.stack_rules, matched)
        chosen = (label,) if label else shown.get(name, ())
        stack += [frame(name, value) for value in chosen]
    labels = tuple((name, PublicText(shown[name][0])) for name in rules.labels if name in shown)
    return tuple(stack), labels


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
    values: dict[str, tuple[str, ...]], op_map: tuple[LabelRule, ...], matched: Matched
) -> frozenset[str]:
    """Rewrite fields in the order of the rules, each at most once; returns which."""
    claimed: set[str] = set()
    texts = _MatchTexts(values, frozenset())
    for rule in op_map:
        if rule.field not in claimed and rule.pattern.search(texts.of(rule)):
            claimed.add(rule.field)
            matched[id(rule)] = rule
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


def _stack_label(
    name: str, texts: _MatchTexts, stack_rules: tuple[LabelRule, ...], matched: Matched
) -> str:
    for rule in stack_rules:
        if rule.field == name and rule.pattern.search(texts.of(rule)):
            matched[id(rule)] = rule
            return rule.label
    return ""
