"""Who tags in a run: the tag options, checked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from agentpprof.errors import AgentPprofError, UsageError
from agentpprof.tagging.tagger import Tagger

_TAGGERS = ("regex", "llm")
_DEFAULT_URL = "http://127.0.0.1:8080"
# Options that only a model's server needs: said to do nothing without it.
_LLM_ONLY = {
    "llama_url": "--llama-url",
    "model": "--model",
    "timeout": "--timeout",
    "max_uncached_tags": "--max-uncached-tags",
    "cache": "--cache",
}


class LlmChoice(NamedTuple):
    """How a model is asked for tags."""

    url: str
    model: str
    timeout_seconds: float
    max_requests: int | None  # None: no limit
    choices: tuple[tuple[str, str], ...]  # (tag, description); empty: any word
    cache: Path | None  # None: the database in use


class TaggerChoice(NamedTuple):
    """The tagger of a run; `llm` is set when a model is asked."""

    tagger: Tagger
    llm: LlmChoice | None
    saves: bool
    notes: tuple[str, ...]

    def check_is_there(self) -> None:
        """Raise the one error of a tagger that this version can't run."""
        if self.llm is not None:
            raise AgentPprofError(
                "--tagger llm: this version asks no model yet; leave it out, the built-in rules "
                "and --tag-rule tag without one"
            )


def read_tagger(options: Mapping[str, Any]) -> TaggerChoice:
    """Check all tag options; raises UsageError that says which is wrong and what is right."""
    name = options["tagger_name"]
    if name not in _TAGGERS:
        raise UsageError(f"--tagger {name!r}: there are {' and '.join(_TAGGERS)}")
    if options["preset"] and options["no_builtin_tags"]:
        raise UsageError("--preset and --no-builtin-tags contradict each other: leave one out")
    notes = []
    if options["preset"]:
        notes.append("--preset: the built-in rules are the default now; it can be left out")
    llm = _llm_choice(options)  # also without --tagger llm: a wrong value is wrong
    if name == "llm":
        _refuse_rules(options)
        return TaggerChoice(Tagger(), llm, not options["no_cache"], tuple(notes))
    if options["task_choices"]:
        raise UsageError("--task-choice needs --tagger llm: rules choose among no tasks")
    given = [flag for key, flag in _LLM_ONLY.items() if options[key] is not None]
    if given:
        notes.append(f"{', '.join(given)}: without effect, as --tagger llm is not asked for")
    rules, warnings = _tag_rules(options["tag_rules"])
    tagger = Tagger(rules, has_builtin=not options["no_builtin_tags"])
    return TaggerChoice(tagger, None, not options["no_cache"], (*notes, *warnings))


def _refuse_rules(options: Mapping[str, Any]) -> None:
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
    return rules, rule_warnings(rules)


def _llm_choice(options: Mapping[str, Any]) -> LlmChoice:
    timeout = 30.0 if options["timeout"] is None else options["timeout"]
    if not 0 < timeout <= 86_400:
        raise UsageError(f"--timeout {timeout:g}: write seconds, more than 0 and at most a day")
    requests = options["max_uncached_tags"]
    if options["model"] is not None and not options["model"].strip():
        raise UsageError("--model '' is empty: write the model's name, or leave it out")
    return LlmChoice(
        _url(options["llama_url"] or _DEFAULT_URL),
        options["model"] or "local",
        timeout,
        requests if requests is not None and requests >= 0 else None,
        _choices(options["task_choices"]),
        _cache(options["cache"]),
    )


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises where it is no number
    except ValueError:
        is_usable = False
    if not is_usable:
        raise UsageError(f"--llama-url {text!r} is no address: write for example {_DEFAULT_URL}")
    return text.rstrip("/")


def _choices(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if not texts:
        return ()
    from agentpprof.tagging.rules import check_tag

    choices: dict[str, str] = {}
    for text in texts:
        tag, equals, description = text.partition("=")
        if not equals:
            raise UsageError(
                f"--task-choice {text!r}: write TAG=DESCRIPTION, for example debug=finding faults"
            )
        check_tag(tag, f"--task-choice {text!r}")
        if not description.strip():
            raise UsageError(f"--task-choice {tag}: the description is empty; say when it fits")
        if tag in choices:
            raise UsageError(f"--task-choice {tag} is given twice: leave one out")
        choices[tag] = description.strip()
    if len(choices) < 2:
        raise UsageError("--task-choice: one task is no choice; name at least two")
    return tuple(choices.items())


def _cache(path: str | None) -> Path | None:
    if path is None:
        return None
    if not path or Path(path).is_dir():
        raise UsageError(f"--cache {path!r} is no file: name one, for example tags.db")
    return Path(path)
