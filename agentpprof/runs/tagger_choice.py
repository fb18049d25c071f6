"""Who tags in a run: the tag options, checked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Optional

from agentpprof.config import configured_tagger
from agentpprof.errors import UsageError
from agentpprof.option_groups import TagOptions
from agentpprof.runs.llm_server import LlmChoice, read_llm_choice
from agentpprof.tagging.tagger import Tagger

if TYPE_CHECKING:
    from agentpprof.runs.llm_tagging import TaggedByModel

TAGGERS = ("regex", "llm")
_OfServer = Literal[
    "llama_url",
    "model",
    "timeout",
    "max_uncached_tags",
    "cache",
    "llm_parallel",
    "llm_key_file",
    "allow_remote_llm",
]
# Options that only a model's server needs: said to do nothing without it.
_LLM_ONLY: Final[dict[_OfServer, str]] = {
    "llama_url": "--llama-url",
    "model": "--model",
    "timeout": "--timeout",
    "max_uncached_tags": "--max-uncached-tags",
    "cache": "--cache",
    "llm_parallel": "--llm-parallel",
    "llm_key_file": "--llm-key-file",
    "allow_remote_llm": "--allow-remote-llm",
}


class TaggerChoice(NamedTuple):
    """The tagger of a run; `llm` is set when a model is asked."""

    tagger: Tagger
    llm: LlmChoice | None
    saves: bool
    notes: tuple[str, ...]
    model: Optional["TaggedByModel"] = None  # what the model said, once it was asked


def read_tagger(options: TagOptions) -> TaggerChoice:
    """Check all tag options; raises UsageError that says which is wrong and what is right."""
    name = options["tagger_name"]
    if name not in TAGGERS:
        raise UsageError(f"--tagger {name!r}: there are {' and '.join(TAGGERS)}")
    if options["preset"] and options["no_builtin_tags"]:
        raise UsageError("--preset and --no-builtin-tags contradict each other: leave one out")
    notes = []
    if options["preset"]:
        notes.append("--preset: the built-in rules are the default now; it can be left out")
    llm = read_llm_choice(options)  # also without --tagger llm: a wrong value is wrong
    if name == "llm":
        _refuse_rules(options)
        return TaggerChoice(configured_tagger(), llm, not options["no_cache"], tuple(notes))
    if options["task_choices"]:
        raise UsageError("--task-choice needs --tagger llm: rules choose among no tasks")
    given = [flag for key, flag in _LLM_ONLY.items() if _is_given(options[key])]
    if given:
        notes.append(f"{', '.join(given)}: without effect, as --tagger llm is not asked for")
    rules, warnings = _tag_rules(options["tag_rules"])
    tagger = Tagger(rules, has_builtin=not options["no_builtin_tags"])
    return TaggerChoice(tagger, None, not options["no_cache"], (*notes, *warnings))


def _is_given(value: object) -> bool:
    return value is not None and value is not False


def _refuse_rules(options: TagOptions) -> None:
    if options["tag_rules"]:
        raise UsageError("--tag-rule is for --tagger regex only: a model is asked without rules")
    if options["no_builtin_tags"]:
        raise UsageError("--no-builtin-tags is for --tagger regex only")


def _tag_rules(texts: Sequence[str]) -> tuple[tuple[Any, ...], list[str]]:
    """Return the rules, and what is allowed but unwise about them."""
    if not texts:
        return (), []
    from agentpprof.tagging.rules import parse_tag_rule, rule_warnings

    rules = tuple(parse_tag_rule(text) for text in texts)
    return rules, rule_warnings(rules, texts)
