"""Groups of sessions and prompts of one request, carried into SQL and back.

SQL sums over numbers of groups, never over names; this is where the numbers are given.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

from agentpprof.models import PromptRow, SessionInfo
from agentpprof.profile.fields import PromptGroup, SessionGroup, outcome_named
from agentpprof.profile.request import Request
from agentpprof.profile.selection import home_of, project_names
from agentpprof.profile.tasks import own_tag
from agentpprof.store import queries
from agentpprof.vocabulary import ORIGINS
from agentpprof.zones import zone_spans

_WORD = 2**64 - 1


class Groups:
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
        self.newest_span = (0, 0)  # (from, offset) in milliseconds of the last stretch of the zone
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
        return SessionGroup(
            project=project or "unknown",
            agent=session.agent,
            tag=tag_of_session.get(session.key, ""),
            subagent=(session.agent_type or "agent") if session.parent_key is not None else "",
            session_id=session.session_id if with_id else "",
            root=base,
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
                own_tag(prompt, tags),
                outcome_named(prompt.outcome),
                ORIGINS[prompt.origin],
                texts.get(prompt.key, ("", ""))[0],
                f"{prompt.text_hash & _WORD:016x}" if with_hash else "",
            )
            of_prompt[prompt.key] = _number(self._prompt_groups, group)
        zone = queries.read_meta(self._connection, "zone") or "UTC"
        span = queries.read_span(self._connection)
        spans = list(zone_spans(zone, span))
        queries.set_groups(self._connection, self._group_of_session, of_prompt, spans)
        self.newest_span = spans[-1]

    def session_groups(self) -> list[SessionGroup]:
        """Return the groups of sessions by number."""
        return list(self._session_groups)

    def prompt_groups(self) -> list[PromptGroup]:
        """Return the groups of prompts by number; the first is that of work without a prompt."""
        return list(self._prompt_groups)


def _number(groups: dict[Any, int], group: Any) -> int:
    return groups.setdefault(group, len(groups))
