"""Gather what one profile is made of: sessions, tags, tasks, weights, and the names of things.

The one place that joins the store, the tagger and the pure parts; everything it calls is testable
alone.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from agentpprof.errors import NoSessionError
from agentpprof.models import Bag, Profile, PromptRow, SessionInfo
from agentpprof.privacy import PublicText
from agentpprof.profile.build import build_profile, in_whole_seconds
from agentpprof.profile.fields import Cell, PromptGroup, SessionGroup, outcome_named
from agentpprof.profile.ruled_tags import (
    answer_tags_by_rule,
    first_prompts,
    session_tags_by_rule,
)
from agentpprof.profile.rules import Rules
from agentpprof.profile.selection import (
    Selection,
    choose_sessions,
    home_of,
    newest_sessions,
    project_names,
    tasks_of_sessions,
    top_of,
    with_tag,
)
from agentpprof.profile.tasks import effective_tasks, own_tasks, spawning_prompts
from agentpprof.profile.views import View
from agentpprof.profile.zones import day_name, zone_spans
from agentpprof.semantics.paths import path_group
from agentpprof.store import queries
from agentpprof.tagging.builtin import tag_session
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger
from agentpprof.vocabulary import ACCESSES, LLM, ORIGINS, PROMPT, TOKENS, UNTAGGED

_WORD = 2**64 - 1
Tags = Callable[[list[PromptRow]], Mapping[int, str]]


@dataclass(frozen=True, slots=True)
class Request:
    """One profile as a person asked for it, all parts checked."""

    view: View
    rules: Rules
    selection: Selection
    path_depth: int = 2
    with_idle: bool = False
    tagger: Tagger = DEFAULT_TAGGER


class Gathered(NamedTuple):
    """A profile, with the sessions it was made of."""

    profile: Profile
    sessions: list[SessionInfo]
    tag_of_session: dict[int, str]
    prompts: list[PromptRow]
    tags: Mapping[int, str]


def gather_profile(connection: sqlite3.Connection, request: Request, tags_of: Tags) -> Gathered:
    """Return the profile of a request; `tags_of` gives text hash -> tag for prompts.

    Raises NothingFoundError when no session or no sample is left.
    """
    every = {session.key: session for session in queries.read_sessions(connection)}
    selection = request.selection
    chosen = choose_sessions(every.values(), selection)
    if not chosen:
        raise NoSessionError("no session matches")
    prompts = queries.read_prompts(connection)
    tags = tags_of(prompts)
    tasks = _tasks(every, prompts, tags)
    tag_of_session = _session_tags(connection, request, every, prompts, tags)
    if selection.session_tag:
        tagged = {key: {tag} for key, tag in tag_of_session.items()}
        chosen = with_tag(chosen, tagged, ("session", selection.session_tag))
    if selection.prompt_tag:
        tagged = tasks_of_sessions(every, prompts, tasks)
        chosen = with_tag(chosen, tagged, ("prompt", selection.prompt_tag))
    chosen = newest_sessions(chosen, every, selection.max_sessions)
    groups = _Groups(connection, request, chosen, every, tag_of_session)
    groups.group_prompts(prompts, tags, tasks)
    profile = build_profile(groups.cells(), request.view, request.rules)
    if request.view.unit == "seconds":
        profile = in_whole_seconds(profile)
    return Gathered(_described(profile, chosen), chosen, tag_of_session, prompts, tags)


def _tasks(
    every: dict[int, SessionInfo], prompts: list[PromptRow], tags: Mapping[int, str]
) -> dict[int, str]:
    """Return prompt key -> the task it counts under."""
    parents = {key: session.parent_key for key, session in every.items()}
    spawned_by = {key: session.prompt_key for key, session in every.items()}
    above = spawning_prompts(prompts, parents, spawned_by)
    return effective_tasks(own_tasks(prompts, tags), above)


def _described(profile: Profile, sessions: list[SessionInfo]) -> Profile:
    starts = [s.started_at_ms for s in sessions if s.started_at_ms is not None]
    ends = [s.ended_at_ms for s in sessions if s.ended_at_ms is not None]
    return replace(
        profile,
        started_at_ms=min(starts, default=None),
        ended_at_ms=max(ends, default=None),
        comments=(PublicText(f"agentpprof:view:{profile.view}"),),
    )


def _session_tags(
    connection: sqlite3.Connection,
    request: Request,
    every: dict[int, SessionInfo],
    prompts: list[PromptRow],
    tags: Mapping[int, str],
) -> dict[int, str]:
    """Return session -> tag where the request needs it: the weightiest of its prompts' tags."""
    has_rules = request.tagger.has_rules_for("session")
    needs = "session" in request.rules.fields() or request.selection.session_tag or has_rules
    if not (needs or request.rules.label_rules()):
        return {}
    found = session_tags(queries.count_by_prompt(connection), every, prompts, tags)
    if has_rules:
        keys = (prompt.key for prompt in first_prompts(prompts))
        texts = queries.read_prompt_texts(connection, keys)
        found |= session_tags_by_rule(request.tagger.by_rules, every, prompts, texts)
    return found


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
        if ORIGINS[prompt.origin] != "agent":
            entry = (own[prompt.key], counts.get(prompt.key, 1))
            weighed.setdefault(prompt.session_key, []).append(entry)
    of_top = {key: tag_session(entries) for key, entries in weighed.items()}
    return {
        session.key: of_top.get(session.key) or of_top.get(top_of(session, every).key, UNTAGGED)
        for session in every.values()
    }


class _Groups:
    """Groups of sessions and prompts of one request, carried into SQL and back."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        request: Request,
        chosen: list[SessionInfo],
        every: dict[int, SessionInfo],
        tag_of_session: dict[int, str],
    ) -> None:
        self._connection = connection
        self._request = request
        self._every = every
        self._needs = request.rules.fields()
        self._names = project_names(every.values())
        self._session_groups: dict[SessionGroup, int] = {}
        self._prompt_groups: dict[PromptGroup, int] = {PromptGroup(): 0}
        self._group_of_session = {
            session.key: _number(self._session_groups, self._session_group(session, tag_of_session))
            for session in chosen
        }

    def _session_group(self, session: SessionInfo, tag_of_session: dict[int, str]) -> SessionGroup:
        selection = self._request.selection
        home = home_of(session, self._every)
        root = home.root or ""
        with_id = {"session_id", "source_session"} & self._needs
        if selection.project_root is not None:
            project, base = selection.project_name, selection.project_root
        else:
            project, base = selection.project_name or self._names.get(root, ""), root
        cwd = session.cwd or home.cwd or ""
        return SessionGroup(
            project=project or "unknown",
            agent=session.agent,
            tag=tag_of_session.get(session.key, ""),
            subagent=(session.agent_type or "agent") if session.parent_key is not None else "",
            session_id=session.session_id if with_id else "",
            root=base,
            worktree=_worktree(cwd, root),
        )

    def group_prompts(
        self, prompts: list[PromptRow], tags: Mapping[int, str], tasks: Mapping[int, str]
    ) -> None:
        """Number the groups of prompts by what they share, and carry all groups into SQL."""
        wanted = self._request.selection.prompt_tag
        texts: dict[int, tuple[str, str]] = {}
        if self._needs & {"prompt_text", "prompt_preview"}:
            texts = queries.read_prompt_texts(self._connection, (p.key for p in prompts))
        with_hash = "prompt_hash" in self._needs
        of_prompt = {}
        for prompt in prompts:
            task = tasks[prompt.key]
            if wanted and task != wanted:
                continue
            group = PromptGroup(
                task,
                tags.get(prompt.text_hash, UNTAGGED),
                outcome_named(prompt.outcome),
                ORIGINS[prompt.origin],
                texts.get(prompt.key, ("", ""))[0],
                f"{prompt.text_hash & _WORD:016x}" if with_hash else "",
            )
            of_prompt[prompt.key] = _number(self._prompt_groups, group)
        zone = queries.read_meta(self._connection, "zone") or "UTC"
        span = queries.read_span(self._connection)
        queries.set_groups(
            self._connection, self._group_of_session, of_prompt, zone_spans(zone, span)
        )

    def cells(self) -> Iterator[tuple[Cell, int]]:
        """Yield the weighed cells of the view."""
        view, selection = self._request.view, self._request.selection
        if view.name == "time":
            queries.set_delegated(self._connection)
        parameters = {
            "prompt_groups": len(self._prompt_groups),
            "session_groups": len(self._session_groups),
            "with_objects": bool({"object", "path", "domain", "file"} & self._needs)
            or self._request.rules.label_rules(),
            "with_days": "day" in self._needs,
            "with_idle": self._request.with_idle,
            "since_ms": selection.since_ms,
            "until_ms": selection.until_ms,
            "only_chosen_prompts": selection.prompt_tag is not None,
            "with_commands": "command" in self._needs,
            "with_answers": "llm_preview" in self._needs or self._has_answer_tags(),
        }
        return self._cells_of(queries.weigh(self._connection, view.name, parameters))

    def _has_answer_tags(self) -> bool:
        """Say whether rules tag answers, and something looks at those tags."""
        looked_at = bool({"llm", "call"} & self._needs) or self._request.rules.label_rules()
        return looked_at and self._request.tagger.has_rules_for("llm")

    def _cells_of(self, rows: list[Any]) -> Iterator[tuple[Cell, int]]:
        """Turn packed numbers into cells."""
        bags = queries.read_bags(self._connection)
        sessions, prompts = list(self._session_groups), list(self._prompt_groups)
        naming = _Naming(self._connection, self._request, bags)
        n_sessions, n_prompts = len(sessions), len(prompts)
        unpack = _UNPACK[self._request.view.name]
        tagged = self._answer_tags(rows, bags) if self._has_answer_tags() else {}
        for fields_key, object_id, day, text, *weights in rows:
            rest, session_number = divmod(fields_key, n_sessions)
            rest, prompt_number = divmod(rest, n_prompts)
            bag_id, result = divmod(rest, 16)
            bag, session = bags[bag_id], sessions[session_number]
            bag, name, group = naming.name_of(bag, object_id, session)
            prompt, day_text = prompts[prompt_number], day_name(day)
            cell = Cell(bag, result, prompt, session, name, group, "", day_text)
            if text:
                answer = text if bag.op == LLM else ""
                cell = cell._replace(
                    command="" if answer else text, answer=answer, answer_tag=tagged.get(answer, "")
                )
            for detail, value in unpack(bag, weights, self._request.with_idle):
                yield (cell._replace(detail=detail) if detail else cell), value

    def _answer_tags(self, rows: list[Any], bags: dict[int, Bag]) -> dict[str, str]:
        """Return answer -> tag by the rules for answers."""
        groups = 16 * len(self._prompt_groups) * len(self._session_groups)
        answers = [row[3] for row in rows if row[3] and bags[row[0] // groups].op == LLM]
        return answer_tags_by_rule(self._request.tagger.by_rules, answers)


class _Naming:
    """Names of objects: of paths their group below the session's root, of the rest themselves."""

    def __init__(
        self, connection: sqlite3.Connection, request: Request, bags: dict[int, Bag]
    ) -> None:
        self._connection = connection
        self._request = request
        self._texts: dict[tuple[bool, int], str] = {}
        self._groups: dict[tuple[str, str, str], str] = {}
        self._bags: dict[tuple[int, str], Bag] = {}
        self._kind = {"files": "path", "network": "domain"}.get(request.view.name, "")

    def name_of(self, bag: Bag, object_id: int, session: SessionGroup) -> tuple[Bag, str, str]:
        """Return the bag with the view's own kind of object, the object and what to show."""
        if self._kind:
            bag = self._bag_of_kind(bag)
        is_path = bag.object_kind == "path"
        key = (is_path, object_id)
        text = self._texts.get(key)
        if text is None:
            read = queries.read_paths if is_path else queries.read_names
            text = self._texts[key] = read(self._connection, [object_id]).get(object_id, "")
        if not is_path or not text:
            return bag, text, text
        place = (text, session.root, session.worktree)
        group = self._groups.get(place)
        if group is None:
            group = self._groups[place] = self._group(*place)
        return bag, text, group

    def _bag_of_kind(self, bag: Bag) -> Bag:
        found = self._bags.get((bag.id, self._kind))
        if found is None:
            found = self._bags[bag.id, self._kind] = bag._replace(object_kind=self._kind)
        return found

    def _group(self, path: str, root: str, worktree: str) -> str:
        if worktree and (path == worktree or path.startswith(worktree + "/")):
            return path_group(path, worktree, self._request.path_depth)
        return path_group(path, root, self._request.path_depth)


def _worktree(cwd: str, root: str) -> str:
    """Return the worktree of a project that a folder lies in, empty for the checkout itself."""
    for marker in ("/.claude/worktrees/", "/.worktrees/"):
        before, found, behind = cwd.partition(marker)
        if found and before == root:
            return before + marker + behind.split("/", 1)[0]
    return ""


def _number(groups: dict[Any, int], group: Any) -> int:
    return groups.setdefault(group, len(groups))


def _one_count(bag: Bag, weights: list[Any], _: bool) -> Iterator[tuple[str, int]]:
    yield "", weights[0]


def _with_access(bag: Bag, weights: list[Any], _: bool) -> Iterator[tuple[str, int]]:
    yield ACCESSES[weights[0]], weights[1]


def _tokens(bag: Bag, weights: list[Any], _: bool) -> Iterator[tuple[str, int]]:
    for token, value in zip(TOKENS, weights, strict=True):
        if value:
            yield token, value


def _times(bag: Bag, weights: list[Any], with_idle: bool) -> Iterator[tuple[str, int]]:
    active_ms, idle_ms = weights
    if active_ms:
        yield {PROMPT: "user", LLM: "model"}.get(bag.op, "tool"), active_ms
    if idle_ms and with_idle:
        yield "idle", idle_ms


_UNPACK = {
    "operations": _one_count,
    "tokens": _tokens,
    "files": _with_access,
    "network": _with_access,
    "time": _times,
}
