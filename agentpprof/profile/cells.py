"""Weigh a view by SQL and turn the packed numbers into cells."""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from agentpprof.models import Bag
from agentpprof.profile.fields import Cell
from agentpprof.profile.groups import Groups
from agentpprof.profile.naming import Naming
from agentpprof.profile.request import Request
from agentpprof.profile.ruled_tags import answer_tags_by_rule
from agentpprof.profile.zones import day_name
from agentpprof.store import queries
from agentpprof.vocabulary import ACCESSES, LLM, PROMPT, TOKENS

_OBJECT_FIELDS = frozenset({"object", "path", "domain", "file"})


class Weighing:
    """The weighing of one view for one request."""

    def __init__(self, connection: sqlite3.Connection, request: Request, groups: Groups) -> None:
        self._connection = connection
        self._request = request
        self._needs = request.rules.fields()
        self._sessions = groups.session_groups()
        self._prompts = groups.prompt_groups()

    def cells(self) -> Iterator[tuple[Cell, int]]:
        """Yield the weighed cells of the view."""
        view, selection = self._request.view, self._request.selection
        if view.name == "time":
            queries.set_delegated(self._connection)
        parameters = {
            "prompt_groups": len(self._prompts),
            "session_groups": len(self._sessions),
            "with_objects": bool(_OBJECT_FIELDS & self._needs) or self._request.rules.label_rules(),
            "with_days": "day" in self._needs,
            "with_idle": self._request.with_idle,
            "since_ms": selection.since_ms,
            "until_ms": selection.until_ms,
            "only_chosen_prompts": selection.prompt_tag is not None,
            "with_commands": "command" in self._needs,
            "with_answers": self._looks_at_answers() or self._looks_at_tags(),
        }
        return self._cells_of(queries.weigh(self._connection, view.name, parameters))

    def _looks_at_tags(self) -> bool:
        """Say whether something looks at the tags of LLM calls."""
        return bool({"llm", "call"} & self._needs) or self._request.rules.label_rules()

    def _looks_at_answers(self) -> bool:
        """Say whether something looks at what the model said: a rule, or a tagger."""
        has_tagger = self._request.tagger.has_rules_for("llm") or bool(self._answers_of_model())
        return "llm_preview" in self._needs or (has_tagger and self._looks_at_tags())

    def _answers_of_model(self) -> Mapping[int, str]:
        """Return text hash -> tag of the answers that a model named."""
        return self._request.model.answers if self._request.model else {}

    def _cells_of(self, rows: list[Any]) -> Iterator[tuple[Cell, int]]:
        """Turn packed numbers into cells."""
        bags = queries.read_bags(self._connection)
        sessions, prompts = self._sessions, self._prompts
        n_sessions, n_prompts = len(sessions), len(prompts)
        groups = 16 * n_prompts * n_sessions
        objects = ((bags[row[0] // groups], row[1]) for row in rows)
        naming = Naming(self._connection, self._request, objects)
        unpack = _UNPACK[self._request.view.name]
        looked_at = "command" in self._needs or self._looks_at_answers()
        text_ids = (row[3] for row in rows if row[3]) if looked_at else ()
        texts = queries.read_texts(self._connection, text_ids)
        phases = queries.read_next_phases(self._connection) if self._looks_at_tags() else {}
        tagged = self._answer_tags(rows, bags, texts)
        for fields_key, object_id, day, text_id, *weights in rows:
            rest, session_number = divmod(fields_key, n_sessions)
            rest, prompt_number = divmod(rest, n_prompts)
            bag_id, result = divmod(rest, 16)
            bag, session = bags[bag_id], sessions[session_number]
            bag, name, group = naming.name_of(bag, object_id, session)
            prompt, day_text = prompts[prompt_number], day_name(day)
            text = texts.get(text_id, "")
            command = answer = answer_tag = ""
            if bag.op == LLM:
                answer, answer_tag = text, (text and tagged.get(text)) or phases.get(text_id, "")
            else:
                command = text
            for detail, value in unpack(bag, weights, self._request.with_idle):
                yield (
                    Cell(
                        bag,
                        result,
                        prompt,
                        session,
                        name,
                        group,
                        detail,
                        day_text,
                        command,
                        answer,
                        answer_tag,
                    ),
                    value,
                )

    def _answer_tags(
        self, rows: list[Any], bags: dict[int, Bag], texts: dict[int, str]
    ) -> dict[str, str]:
        """Return answer -> tag by a model, or by the rules for answers, where they are needed."""
        if not self._looks_at_tags():
            return {}
        groups = 16 * len(self._prompts) * len(self._sessions)
        ids = (row[3] for row in rows if row[3] and bags[row[0] // groups].op == LLM)
        answers = [texts.get(text_id, "") for text_id in ids]
        tagger, by_model = self._request.tagger, self._answers_of_model()
        found = answer_tags_by_rule(tagger.by_rules, answers) if tagger.rules else {}
        if by_model:
            from agentpprof.ingest.rows import hash_of

            tags = {text: by_model.get(hash_of(text), "") for text in set(answers)}
            found |= {text: tag for text, tag in tags.items() if tag}
        return found


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
