"""The tagger of a run: a person's rules first, then the built-in one.

Equal texts get equal tags under one definition, so tags are stored once by (definition, text) and
reused; a changed rule set is another definition.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agentpprof.tagging.rules import TagRule


class Tagger(NamedTuple):
    """What decides a prompt's tag."""

    rules: tuple[TagRule, ...] = ()
    has_builtin: bool = True

    def definition(self) -> str:
        """Return a text that changes whenever some text might get another tag."""
        lines = [f"{rule.kind}:{rule.tag}={rule.pattern.source}" for rule in self.rules]
        if self.has_builtin:
            from agentpprof.tagging import builtin

            lines.append(builtin.definition())
        return "\n".join(lines)

    def has_rules_for(self, kind: str) -> bool:
        """Say whether some rule looks at texts of this kind."""
        return any(rule.kind in (kind, "all") for rule in self.rules)

    def by_rules(self, kind: str, texts: Sequence[str]) -> list[str]:
        """Return the tag that a person's rules give to each text, empty where none matches."""
        if not self.rules:
            return [""] * len(texts)
        from agentpprof.tagging.rules import match_rules

        return match_rules(self.rules, kind, texts)


DEFAULT_TAGGER = Tagger()
