"""Two taggers' tags of the same prompts: read from where each keeps them, compared, told."""

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.config import configured_tagger, with_model_server
from agentpprof.counts import counted
from agentpprof.errors import NothingFoundError, UsageError
from agentpprof.models import PromptRow
from agentpprof.option_groups import TagsCompareOptions
from agentpprof.privacy import PublicText
from agentpprof.profile.agreement import Agreement, agreement
from agentpprof.profile.selection import choose_sessions, newest_sessions
from agentpprof.runs.llm_server import LlmChoice, read_llm_choice
from agentpprof.runs.opened import Opened, opened_selection
from agentpprof.store import llm_tags, queries, tag_cache
from agentpprof.tagging.llm_prompts import definition
from agentpprof.tagging.rules import parse_tag_rule
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger
from agentpprof.terminal import show
from agentpprof.text.telling import first_words

_TAGGERS = ("regex", "builtin", "hand", "llm", "llm:NAME")
_SHOWN = 30


class _Place(NamedTuple):
    """Where tags are read from."""

    connection: sqlite3.Connection
    prompts: list[PromptRow]
    choice: LlmChoice
    rules: Tagger
    llm_database: Path


def compare_taggers(names: tuple[str, str], options: TagsCompareOptions) -> dict[str, Any]:
    """Return how far two taggers agree; texts only if they were asked for."""
    _check_names(names)
    # Nothing is sent, so the server may be any.
    filled = with_model_server(options)
    filled["tagger_name"] = "regex"
    choice = read_llm_choice(filled)
    named = tuple(map(parse_tag_rule, options["tag_rules"]))
    rules = Tagger((*named, *configured_tagger().rules), has_builtin=not options["no_builtin_tags"])
    with opened_selection(options) as opened:
        database = choice.tag_database(opened.database, is_temporary=opened.is_temporary)
        place = _Place(opened.connection, _prompts(opened), choice, rules, database)
        tags = _tags(names[0], place), _tags(names[1], place)
        found = agreement(*tags)
        _check_both(names, found)
        document = {"status": "ok", "first": names[0], "second": names[1], **found.as_plain()}
        if options["include_previews"]:
            document["differing"] = list(_differing(place, found, tags))
    return document


def _check_names(names: tuple[str, str]) -> None:
    for name in names:
        if name not in _TAGGERS and not name.startswith("llm:"):
            raise UsageError(f"no tagger is called {name!r}: there are {', '.join(_TAGGERS)}")
    if names[0] == names[1]:
        raise UsageError(f"{names[0]} agrees with itself: name two taggers")


def _prompts(opened: Opened) -> list[PromptRow]:
    """Return people's prompts of the chosen sessions."""
    every = {session.key: session for session in queries.read_sessions(opened.connection)}
    chosen = choose_sessions(every.values(), opened.selection)
    keys = {s.key for s in newest_sessions(chosen, every, opened.selection.max_sessions)}
    return [
        prompt
        for prompt in queries.read_prompts(opened.connection)
        if prompt.session_key in keys and not prompt.is_of_agent
    ]


def _tags(name: str, place: _Place) -> dict[int, str]:
    """Return text hash -> tag of the chosen prompts by one tagger."""
    hashes = {prompt.text_hash for prompt in place.prompts}
    if name == "hand":
        return {prompt.text_hash: prompt.hand_tag for prompt in place.prompts if prompt.hand_tag}
    if name in ("regex", "builtin"):
        tagger = place.rules if name == "regex" else DEFAULT_TAGGER
        new = tag_cache.NewTags({}, {})
        tags = tag_cache.tags_of_prompts(place.connection, tagger, place.prompts, new)
    else:
        tags = _model_tags(name.partition(":")[2], place)
    return {text_hash: tag for text_hash, tag in tags.items() if text_hash in hashes}


def _model_tags(model: str, place: _Place) -> Mapping[int, str]:
    server, database = place.choice.server, place.llm_database
    model = model or llm_tags.read_model(database, server.url, server.model) or server.model
    key = (definition(model, place.choice.choices), "prompt")
    return llm_tags.read_known(database, [key])[key]


def _check_both(names: tuple[str, str], found: Agreement) -> None:
    """Raise NothingFoundError where there is nothing to compare, with what to do."""
    if found.texts:
        return
    if any(name.startswith("llm") for name in names):
        hint = "agentpprof tags run --tagger llm lets a model tag (with the same --task-choice)"
    else:
        hint = "agentpprof tags set gives a prompt a tag by hand"
    raise NothingFoundError(f"no prompt has a tag of both {names[0]} and {names[1]}: {hint}")


def _differing(
    place: _Place, found: Agreement, tags: tuple[Mapping[int, str], Mapping[int, str]]
) -> Iterator[dict[str, Any]]:
    first, second = tags
    keys = {prompt.text_hash: prompt.key for prompt in place.prompts}
    for text_hash in found.differing:
        text = queries.read_prompt_texts(place.connection, [keys[text_hash]])[keys[text_hash]][0]
        yield {
            "first": first[text_hash],
            "second": second[text_hash],
            "preview": first_words(text),
        }


def text_of(document: Mapping[str, Any]) -> str:
    """Return a comparison for a person."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    first, second = PublicText(document["first"]), PublicText(document["second"])
    texts = counted(document["texts"], "different text")
    yield (
        f"{first} and {second} agree on {document['agreed']:,} of {texts} "
        f"({document['agreed_pct']:.1f} %), kappa {document['kappa']:.2f}"
    )
    for name, count in ((first, document["only_first"]), (second, document["only_second"])):
        if count:
            yield f"{count:,} more {'has' if count == 1 else 'have'} a tag of {name} alone"
    rows = [
        (count, one, other)
        for one, row in document["matrix"].items()
        for other, count in row.items()
    ]
    yield f"{first:<12} {second:<12}   texts"
    for count, one, other in sorted(rows, key=lambda row: (-row[0], row[1:])):
        yield f"{one:<12} {other:<12} {count:>7,}{'' if one == other else '  differ'}"
    for each in document.get("differing", ())[:_SHOWN]:
        yield f"{each['first']} or {each['second']}: {show(each['preview'])}"
    left = len(document.get("differing", ())) - _SHOWN
    if left > 0:
        yield f"and {left:,} more: --json shows all"
