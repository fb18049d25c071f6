"""Tag rules that people write: `KIND:TAG=REGEX`, tried in order, the first match wins.

They come before the built-in tagger. Patterns are google-re2 (see `agentpprof.patterns`).
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agentpprof.errors import UsageError
from agentpprof.origins import option_of
from agentpprof.patterns import Pattern, PatternSet, compile_pattern, quoted
from agentpprof.vocabulary import TAG_KINDS

OPTION: Final = "--tag-rule"
ALL: Final = "all"
RULE_KINDS: Final = (*TAG_KINDS, ALL)
MIN_TAG: Final = 3
MAX_TAG: Final = 12
VAGUE_TAGS: Final = frozenset({"task", "work", "misc", "thing", "stuff", "other", "item", "data"})
CATCH_ALL: Final = frozenset({".", ".*", ".+"})
_FORM: Final = "KIND:TAG=REGEX, for example prompt:ship=(?i)release|staging"


class TagRule(NamedTuple):
    """One rule: a text of this kind that holds the pattern gets the tag."""

    kind: str  # one of RULE_KINDS
    tag: str
    pattern: Pattern


def parse_tag_rule(text: str) -> TagRule:
    """Read one rule as it stands in the option or the configuration.

    Raises `UsageError` that says what is wrong with it and what would be right.
    """
    head, equals, pattern = text.partition("=")
    kind, colon, tag = head.partition(":")
    option, shown = option_of(text, OPTION), quoted(text)
    if not equals:
        raise UsageError(f"{option} {shown}: there is no `=` before the pattern; write {_FORM}")
    if not colon:
        raise UsageError(f"{option} {shown}: there is no `:` after the kind; write {_FORM}")
    if kind not in RULE_KINDS:
        raise UsageError(
            f"{option} {shown}: unknown kind {quoted(kind)}; the kinds are {', '.join(RULE_KINDS)}"
        )
    check_tag(tag, f"{option} {shown}")
    return TagRule(kind, tag, compile_pattern(pattern, f"{option} {kind}:{tag}"))


def check_tag(tag: str, where: str) -> None:
    """Raise `UsageError`, with `where` in front, unless `tag` is a word of 3 to 12 letters a-z."""
    right = f"a tag is one word of {MIN_TAG} to {MAX_TAG} letters a-z"
    if not tag:
        raise UsageError(f"{where}: the tag is empty; {right}")
    if not (tag.isascii() and tag.isalpha() and tag.islower()):
        raise UsageError(f"{where}: the tag {quoted(tag)} has other characters than a-z; {right}")
    if len(tag) < MIN_TAG:
        raise UsageError(f"{where}: the tag {quoted(tag)} is too short; {right}")
    if len(tag) > MAX_TAG:
        raise UsageError(f"{where}: the tag {quoted(tag)} is too long; {right}")


def rule_warnings(rules: Sequence[TagRule], texts: Sequence[str] = ()) -> list[str]:
    """Return what is allowed but unwise about `rules`, each warning once, in their order.

    `texts` are what the rules were read from, and say where each was found.
    """
    warnings: dict[str, None] = {}
    for rule, text in zip(rules, texts or [""] * len(rules), strict=True):
        where = f"{option_of(text, OPTION)} {rule.kind}:{rule.tag}"
        if rule.tag in VAGUE_TAGS:
            warnings[f"{where}: {quoted(rule.tag)} says little; name the kind of work instead"] = (
                None
            )
        if rule.pattern.source in CATCH_ALL:
            # An LLM call without words keeps the tag of what it did next.
            built_in = "" if rule.kind == "llm" else " and no built-in tag"
            warnings[
                f"{where}: {quoted(rule.pattern.source)} matches every text, so no rule after it"
                f"{built_in} is used"
            ] = None
    return list(warnings)


def match_rules(rules: Iterable[TagRule], kind: str, texts: Sequence[str]) -> list[str]:
    """Return for each text the tag of the first rule of `kind` (or `all`) that matches, else ''."""
    mine = [rule for rule in rules if rule.kind in (kind, ALL)]
    if not mine:
        return [""] * len(texts)
    tags = [rule.tag for rule in mine]
    found = PatternSet(rule.pattern for rule in mine).first_of_all(texts)
    return ["" if index is None else tags[index] for index in found]
