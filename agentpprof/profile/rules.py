"""What a person may say about frames and operations, read and checked before anything else is.

`--stack`, `--where`, `--op-map` and `--stack-rule`; patterns are google-re2, searched anywhere in
the text. A field that no rule makes and no operation has is an error that lists the known ones.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agentpprof.errors import UsageError, did_you_mean
from agentpprof.origins import option_of
from agentpprof.patterns import Pattern, compile_pattern
from agentpprof.profile.fields import FIELDS, SINGLE, TEXT_FIELDS

_NAME = re.compile(r"[a-z0-9_-]+")


class WhereRule(NamedTuple):
    """Keep operations whose field matches, or does not."""

    field: str
    pattern: Pattern
    is_negated: bool


class LabelRule(NamedTuple):
    """Where the pattern matches, the field or frame is this label."""

    field: str
    label: str
    pattern: Pattern
    texts: tuple[str, ...] = ()  # fields of people's texts that the pattern names
    option: str = ""  # on whose behalf it was given; none for rules of a file


class Rules(NamedTuple):
    """All rules of one run, checked."""

    stack: tuple[str, ...]
    where: tuple[WhereRule, ...] = ()
    op_map: tuple[LabelRule, ...] = ()
    stack_rules: tuple[LabelRule, ...] = ()
    labels: tuple[str, ...] = ()

    def fields(self) -> frozenset[str]:
        """Return the fields that some rule, frame or label names."""
        label_rules = (*self.op_map, *self.stack_rules)
        texts = (text for rule in label_rules for text in rule.texts)
        return frozenset((*self.stack, *self.labels, *(rule.field for rule in self.where), *texts))

    def has_label_rules(self) -> bool:
        """Say whether some rule looks at more than one field."""
        return bool(self.op_map or self.stack_rules)


def parse_stack(text: str, option: str = "--stack") -> tuple[str, ...]:
    """Read `--stack` or `--by`: frames separated by `,` or `;`, root first."""
    names = tuple(name.strip() for name in re.split(r"[,;]", text) if name.strip())
    if not names:
        raise UsageError(f"{option}: no frame is named; write for example {option} task,action")
    return names


def parse_where(text: str) -> WhereRule:
    """Read `--where`: FIELD=REGEX or FIELD!=REGEX; the first `=` parts the two."""
    head, equals, pattern = text.partition("=")
    is_negated = head.endswith("!")
    field = head.removesuffix("!").strip()
    if not equals or not _NAME.fullmatch(field):
        raise UsageError(
            f"--where {text!r}: write FIELD=REGEX or FIELD!=REGEX, for example result=error"
        )
    return WhereRule(field, compile_pattern(pattern, f"--where {field}"), is_negated)


def parse_label_rule(text: str, option: str, where: str = "") -> LabelRule:
    """Read `--op-map` or `--stack-rule`: FIELD:LABEL=REGEX; `where` names a file's line."""
    place = where or option
    head, equals, pattern = text.partition("=")
    field, colon, label = head.partition(":")
    if not equals or not colon:
        raise UsageError(
            f"{place} {text!r}: write FIELD:LABEL=REGEX, for example phase:ci=cmd=make"
        )
    for what, name in (("field", field), ("label", label)):
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{place} {text!r}: the {what} {name!r} may hold only a-z, 0-9, _ and -"
            )
    given = "" if where else option
    return LabelRule(field, label, compile_pattern(pattern, place), _texts_named(pattern), given)


def _texts_named(pattern: str) -> tuple[str, ...]:
    """Return the fields of people's texts that a pattern looks at: those written as `field=`."""
    return tuple(name for name in TEXT_FIELDS if re.search(rf"(?<![a-z_]){name}=", pattern))


def read_op_map_file(path: str) -> list[LabelRule]:
    """Read an `--op-map-file`; a UsageError names the file and the line."""
    option = option_of(path, "--op-map-file")
    try:
        data = Path(path).read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"{option} {path} can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{option} {path}, line {number}: it is not UTF-8 text") from None
    return parse_op_map_lines(lines, path)


def parse_op_map_lines(lines: Iterable[str], path: str) -> list[LabelRule]:
    """Read the rules of an `--op-map-file`: one a line, blank and `#` lines skipped."""
    option = option_of(path, "--op-map-file")
    return [
        parse_label_rule(line.strip(), "--op-map-file", f"{option} {path}, line {number}:")
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def check_fields(rules: Rules, by: Sequence[str] = ()) -> None:
    """Raise UsageError for names that nothing can ever fill, and for texts as frames.

    `by` are the frames that `--by` names, so that a wrong one is told with that option.
    """
    made = {rule.field for rule in rules.op_map}
    for name in rules.stack:
        option = "--by" if name in by else "--stack"
        _check_frame(name, made | {rule.field for rule in rules.stack_rules}, option)
    for name in rules.labels:
        _check_frame(name, made, "--label")
    for rule in rules.where:
        if rule.field not in FIELDS and rule.field not in made:
            raise UsageError(_unknown("--where", rule.field, list(FIELDS)))


def idle_rules(rules: Rules) -> list[str]:
    """Return what is allowed but does nothing: rules for frames that the stack does not have."""
    idle = dict.fromkeys(r.field for r in rules.stack_rules if r.field not in rules.stack)
    return [f"--stack-rule {name}: it does nothing, the stack has no such frame" for name in idle]


def unmatched_rules(rules: Rules, matched: Collection[LabelRule]) -> tuple[str, ...]:
    """Return what to say of rules of the command line that no operation, or no frame, matched."""
    given = (*rules.op_map, *(rule for rule in rules.stack_rules if rule.field in rules.stack))
    return tuple(
        f"{rule.option} {rule.field}:{rule.label} changes nothing: no operation matches it, or "
        "an earlier rule takes them all"
        for rule in given
        if rule.option and rule not in matched
    )


def _check_frame(name: str, made: set[str], option: str) -> None:
    if name in made:
        return
    field = FIELDS.get(name)
    frames = [known for known, each in FIELDS.items() if each.may_be_frame]
    if field is None:
        raise UsageError(_unknown(option, name, frames))
    if not field.may_be_frame:
        raise UsageError(
            f"{option}: {name} is text that people wrote, so it can be matched by --where but is "
            f"no frame; use {field.instead} instead"
        )


def _unknown(option: str, name: str, known: Sequence[str]) -> str:
    if name in SINGLE:
        return f"{option}: a profile has no field {name}: {SINGLE[name]}"
    if not _NAME.fullmatch(name):
        return f"{option}: {name!r} is no field: a name may hold only a-z, 0-9, _ and -"
    near = did_you_mean(name, known)
    hint = f" ({near})" if near else ""
    return f"{option}: unknown field {name!r}{hint}; known fields: {', '.join(known)}"
