"""The tag of every session: by hand, else by a rule, else the weightiest of its prompts' tags."""

import sqlite3
from collections.abc import Mapping

from agentpprof.models import PromptRow, SessionInfo
from agentpprof.profile.request import Request
from agentpprof.profile.ruled_tags import first_prompts, session_tags_by_rule
from agentpprof.profile.selection import top_of
from agentpprof.profile.tasks import own_tasks
from agentpprof.store import queries
from agentpprof.tagging.builtin import tag_session
from agentpprof.vocabulary import UNTAGGED


def needed_session_tags(
    connection: sqlite3.Connection,
    request: Request,
    every: dict[int, SessionInfo],
    prompts: list[PromptRow],
    tags: Mapping[int, str],
) -> dict[int, str]:
    """Return session -> tag where the request needs it: the weightiest of its prompts' tags."""
    has_rules = request.tagger.has_rules_for("session")
    needs = "session" in request.rules.fields() or request.selection.session_tag or has_rules
    by_model = _by_model(request, every)
    if not (by_model or needs or request.rules.has_label_rules()):
        return {}
    found = session_tags(queries.count_by_prompt(connection), every, prompts, tags)
    if has_rules:
        keys = (prompt.key for prompt in first_prompts(prompts))
        texts = queries.read_prompt_texts(connection, keys)
        found |= session_tags_by_rule(request.tagger.by_rules, every, prompts, texts)
    return found | by_model | tags_by_hand(every)


def _by_model(request: Request, every: Mapping[int, SessionInfo]) -> dict[int, str]:
    """Return session -> what a model called it; sub-agents go with the session they belong to."""
    if request.model is None or not request.model.sessions:
        return {}
    tags = request.model.sessions
    found = {key: tags.get(top_of(session, every).key, "") for key, session in every.items()}
    return {key: tag for key, tag in found.items() if tag}


def tags_by_hand(every: Mapping[int, SessionInfo]) -> dict[int, str]:
    """Return session -> tag set by hand; sub-agents go with the session they belong to."""
    if not any(session.hand_tag for session in every.values()):
        return {}
    tags = {key: own.hand_tag or top_of(own, every).hand_tag for key, own in every.items()}
    return {key: tag for key, tag in tags.items() if tag}


def session_tags(
    counts: Mapping[int, int],
    every: dict[int, SessionInfo],
    prompts: list[PromptRow],
    tags: Mapping[int, str],
) -> dict[int, str]:
    """Return session -> the tag of the session it belongs to, weighed by operations."""
    own = own_tasks(prompts, tags)
    weighed: dict[int, list[tuple[str, int]]] = {}
    for prompt in prompts:
        if not prompt.is_of_agent:
            entry = (own[prompt.key], counts.get(prompt.key, 1))
            weighed.setdefault(prompt.session_key, []).append(entry)
    of_top = {key: tag_session(entries) for key, entries in weighed.items()}
    return {
        session.key: of_top.get(session.key) or of_top.get(top_of(session, every).key, UNTAGGED)
        for session in every.values()
    }
