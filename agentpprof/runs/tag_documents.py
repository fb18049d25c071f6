"""What `agentpprof tags` shows: the report and the list, for people and for programs."""

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentpprof.config import configured_tag_rules, configured_tagger
from agentpprof.counts import counted
from agentpprof.errors import NoSessionError, NothingFoundError
from agentpprof.models import Answer, PromptRow
from agentpprof.moments import moment
from agentpprof.option_groups import TagsReportOptions
from agentpprof.profile.selection import Selection
from agentpprof.profile.tagged import BY_HAND, Tagged, TaggedThing, gather_tags
from agentpprof.runs.asked import read_sessions_asked
from agentpprof.runs.finding import no_session_message
from agentpprof.runs.source import Source, Synced, synced_database
from agentpprof.store import queries, tag_cache
from agentpprof.store.database import opened_for_reading
from agentpprof.tagging.hints import hints_for
from agentpprof.tagging.report import (
    Spread,
    as_lines,
    as_plain,
    coverage_pct,
    spread_of,
    warnings_of,
)
from agentpprof.tagging.rules import parse_tag_rule, rule_warnings
from agentpprof.tagging.tagger import Tagger
from agentpprof.terminal import show
from agentpprof.text.telling import first_words
from agentpprof.vocabulary import TAG_KINDS, UNTAGGED

_SAMPLES = 30
_COLUMNS = ("kind", "id", "session_id", "started_at", "tag", "task", "by")


class TagsAsked(NamedTuple):
    """What somebody wants to know of tags, all options checked."""

    selection: Selection
    source: Source
    tagger: Tagger
    with_previews: bool
    is_quiet: bool
    notes: tuple[str, ...]  # what is allowed but unwise


def read_asked(options: TagsReportOptions, *, is_quiet: bool) -> TagsAsked:
    """Check all options; raises UsageError before anything else is touched."""
    texts = (*options["tag_rules"], *configured_tag_rules())
    rules = tuple(parse_tag_rule(text) for text in texts)
    selection, source = read_sessions_asked(options)
    tagger = Tagger(rules, has_builtin=not options["no_builtin_tags"])
    return TagsAsked(
        selection,
        source,
        tagger,
        options["include_previews"],
        is_quiet or options["quiet"],
        tuple(rule_warnings(rules)),
    )


def report_tags(asked: TagsAsked) -> dict[str, Any]:
    """Return coverage, spread and warnings (docs/tagging.md); texts only if they were asked for."""
    with synced_database(asked.source, is_quiet=asked.is_quiet) as (path, synced):
        tagged, texts = _gather(asked, path, synced)
    counts = tagged.counts()
    spreads = [spread_of(kind, counts[kind]) for kind in TAG_KINDS]
    document = {
        "status": "ok",
        "coverage_pct": round(coverage_pct(spreads), 1),
        "kinds": {spread.kind: as_plain(spread) for spread in spreads},
        "sessions_without_prompts": tagged.without_prompts,
        "warnings": [line for spread in spreads for line in warnings_of(spread)],
    }
    if asked.with_previews:
        document |= _untagged(tagged, texts)
    return document


def list_tags(asked: TagsAsked, tag: str | None, *, only_by_hand: bool) -> Answer:
    """Return one row per session and prompt: id, session, time, tag, task, and who gave the tag."""
    with synced_database(asked.source, is_quiet=asked.is_quiet) as (path, synced):
        tagged, texts = _gather(asked, path, synced)
        ids = _prompt_ids(path, tagged)
    rows = [
        (*_row(thing, ids), *([_preview(thing, texts)] if asked.with_previews else []))
        for thing in _in_order(tagged)
        if (tag is None or thing.tag == tag) and not (only_by_hand and thing.by != BY_HAND)
    ]
    return Answer((*_COLUMNS, "preview") if asked.with_previews else _COLUMNS, rows)


def text_of(document: Mapping[str, Any]) -> str:
    """Return a report for a person."""
    return "\n".join(_lines(document))


def _gather(asked: TagsAsked, path: Path, synced: Synced) -> tuple[Tagged, dict[int, str]]:
    """Gather, and save new tags; returns prompt key -> text too where texts are shown."""
    new = tag_cache.NewTags({}, {})
    with opened_for_reading(path) as connection:
        selection = synced.narrowed(connection, asked.selection)

        def tags_of(prompts: list[PromptRow]) -> Mapping[int, str]:
            return tag_cache.tags_of_prompts(connection, asked.tagger, prompts, new)

        try:
            tagged = gather_tags(connection, asked.tagger, selection, tags_of)
        except NoSessionError:
            raise NothingFoundError(no_session_message(connection, selection)) from None
        texts = _texts(connection, tagged) if asked.with_previews else {}
    if new:
        is_current = asked.tagger == configured_tagger()
        tag_cache.save(path, asked.tagger, new, is_current=is_current)
    return tagged, texts


def _texts(connection: sqlite3.Connection, tagged: Tagged) -> dict[int, str]:
    found = queries.read_prompt_texts(connection, (thing.key for thing in tagged.prompts))
    return {key: text for key, (text, _) in found.items()}


def _prompt_ids(path: Path, tagged: Tagged) -> dict[int, str]:
    with opened_for_reading(path) as connection:
        return queries.read_natural_ids(connection, (thing.key for thing in tagged.prompts))


def _untagged(tagged: Tagged, texts: Mapping[int, str]) -> dict[str, Any]:
    """Return samples of what has no tag, and rules that would cover most of the prompts."""
    left = [thing for thing in _in_order(tagged) if thing.tag == UNTAGGED]
    prompts = [texts.get(thing.key, "") for thing in left if thing.kind == "prompt"]
    samples = [
        {
            "kind": thing.kind,
            "session_id": thing.session.session_id,
            "preview": _preview(thing, texts),
        }
        for thing in left[:_SAMPLES]
    ]
    hints = hints_for("prompt", prompts)
    return {"unmatched_samples": samples, "hint": [hint._asdict() for hint in hints]}


def _in_order(tagged: Tagged) -> Iterator[TaggedThing]:
    """Yield the sessions, newest first, each with its prompts; prompts of sub-agents at the end."""
    of_session: dict[int, list[TaggedThing]] = {}
    for prompt in tagged.prompts:
        of_session.setdefault(prompt.session.key, []).append(prompt)
    for session in tagged.sessions:
        yield session
        yield from of_session.pop(session.key, ())
    for prompts in of_session.values():
        yield from prompts


def _row(thing: TaggedThing, ids: Mapping[int, str]) -> tuple[Any, ...]:
    session_id = thing.session.session_id
    own_id = ids.get(thing.key, "") if thing.kind == "prompt" else session_id
    at = moment(thing.started_at_ms or None)
    of_session = session_id if thing.kind == "prompt" else None
    return (
        thing.kind,
        own_id,
        of_session,
        f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None,
        thing.tag,
        thing.task or None,
        thing.by or None,
    )


def _preview(thing: TaggedThing, texts: Mapping[int, str]) -> str:
    """Return the first words of a prompt, and a session's folder."""
    text = texts.get(thing.key, "") if thing.kind == "prompt" else thing.session.cwd or ""
    return first_words(text)


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    for kind, plain in document["kinds"].items():
        yield from as_lines(Spread(kind, plain["total"], plain["unmatched"], plain["tags"]))
    if wordless := document["sessions_without_prompts"]:
        few = counted(wordless, "session has", "sessions have")
        yield f"not among them: {few} no prompt, so nothing to tag"
    for warning in document["warnings"]:
        yield f"warning: {warning}"
    if "hint" not in document:
        if any(plain["unmatched"] for plain in document["kinds"].values()):
            yield "--include-previews shows what has no tag, and rules that would cover it"
        return
    for sample in document["unmatched_samples"]:
        place = f"untagged {sample['kind']} in {show(sample['session_id'])}"
        yield f"{place}: {show(sample['preview'])}"
    for hint in document["hint"]:
        yield f"try {hint['rule']}  # {counted(hint['texts'], 'prompt')}"
