"""Weigh a view: rows of numbers out of SQL become sums by cell, with tables of names."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from agentpprof.errors import DamagedError
from agentpprof.keys import hash_of
from agentpprof.models import Bag
from agentpprof.profile.cells import Cells, Distinct, Texts
from agentpprof.profile.fields import Numbers
from agentpprof.profile.groups import Groups
from agentpprof.profile.objects import Objects
from agentpprof.profile.packing import Packing, by_detail, day_of_number, sum_rows
from agentpprof.profile.request import Request
from agentpprof.profile.ruled_tags import answer_tags_by_rule
from agentpprof.store import queries
from agentpprof.vocabulary import ACCESSES, LLM, PARTS, TOKENS

_OBJECT_FIELDS = frozenset({"object", "path", "domain", "file"})
# The numbers of `detail` by view, and what objects are where the view has its own.
_DETAILS = {"tokens": TOKENS, "files": ACCESSES, "network": ACCESSES, "time": PARTS}
_KINDS = {"files": "path", "network": "domain"}


class Weighing:
    """The weighing of one view for one request."""

    def __init__(self, connection: sqlite3.Connection, request: Request, groups: Groups) -> None:
        self._connection = connection
        self._request = request
        self._needs = request.rules.fields()
        self._sessions = groups.session_groups()
        self._prompts = groups.prompt_groups()
        self._newest_span = groups.newest_span
        self._packing = Packing(len(self._prompts), len(self._sessions))

    def cells(self) -> Cells:
        """Return the weighed cells of the view."""
        view = self._request.view.name
        if view == "time":
            queries.set_delegated(self._connection)
        rows = queries.weigh(self._connection, view, self._parameters())
        sums = sum_rows(by_detail(rows) if view == "tokens" else rows)
        bags = queries.read_bags(self._connection)
        if view in _KINDS:
            bags = {number: bag._replace(object_kind=_KINDS[view]) for number, bag in bags.items()}
        seen = self._packing.objects(sums)
        if any(bag not in bags for bag, _ in seen):
            raise DamagedError
        objects = self._objects(bags)
        objects.read(seen)
        text_of, texts = self._texts({t: bags[bag] for t, bag in self._packing.texts(sums).items()})
        weights: dict[Numbers, int] = {}
        for numbers, value in self._packing.unpacked(sums, objects.shown_of, text_of):
            weights[numbers] = weights.get(numbers, 0) + value
        return Cells(
            weights,
            bags,
            self._prompts,
            self._sessions,
            objects.values(),
            _DETAILS.get(view, ("",)),
            {day: day_of_number(day) for day in {numbers[5] for numbers in weights}},
            texts,
        )

    def _parameters(self) -> dict[str, Any]:
        selection = self._request.selection
        return {
            **self._packing._asdict(),
            "with_objects": bool(_OBJECT_FIELDS & self._needs)
            or self._request.rules.has_label_rules(),
            "with_days": "day" in self._needs,
            # Most of a history lies there, and a look into the table costs as much as the rest.
            "newest_span_from_ms": self._newest_span[0],
            "newest_offset_ms": self._newest_span[1],
            "with_idle": self._request.with_idle,
            "since_ms": selection.since_ms,
            "until_ms": selection.until_ms,
            "only_chosen_prompts": selection.prompt_tag is not None,
            "with_commands": "command" in self._needs,
            "with_answers": self._looks_at_answers() or self._looks_at_tags(),
        }

    def _looks_at_tags(self) -> bool:
        """Say whether something looks at the tags of LLM calls."""
        return bool({"llm", "call"} & self._needs) or self._request.rules.has_label_rules()

    def _looks_at_answers(self) -> bool:
        """Say whether something looks at what the model said: a rule, or a tagger."""
        has_tagger = self._request.tagger.has_rules_for("llm") or bool(self._answers_of_model())
        return "llm_preview" in self._needs or (has_tagger and self._looks_at_tags())

    def _answers_of_model(self) -> Mapping[int, str]:
        """Return text hash -> tag of the answers that a model named."""
        return self._request.model.answers if self._request.model else {}

    def _objects(self, bags: Mapping[int, Bag]) -> Objects:
        return Objects(
            self._connection,
            {number: bag.object_kind for number, bag in bags.items()},
            self._sessions,
            self._request.path_depth,
            with_paths="file" in self._needs,
        )

    def _texts(self, seen: Mapping[int, Bag]) -> tuple[dict[int, int], list[Texts]]:
        """Return operation -> number of what rules see of its text, and the texts by number.

        0 is no operation, and no text.
        """
        looked_at = "command" in self._needs or self._looks_at_answers()
        texts = queries.read_texts(self._connection, seen if looked_at else ())
        phases = queries.read_next_phases(self._connection) if self._looks_at_tags() else {}
        answers = [texts.get(each, "") for each, bag in seen.items() if bag.op == LLM]
        tagged = self._answer_tags(answers)
        distinct = Distinct(Texts())
        numbers = {0: 0}
        for text_id, bag in seen.items():
            text = texts.get(text_id, "")
            found = Texts(command=text)
            if bag.op == LLM:
                tag = (text and tagged.get(text)) or phases.get(text_id, "")
                found = Texts(answer=text, answer_tag=tag)
            numbers[text_id] = distinct.number(found)
        return numbers, distinct.values()

    def _answer_tags(self, answers: list[str]) -> dict[str, str]:
        """Return answer -> tag by a model, or by the rules for answers, where they are needed."""
        if not self._looks_at_tags():
            return {}
        tagger, by_model = self._request.tagger, self._answers_of_model()
        found = answer_tags_by_rule(tagger.by_rules, answers) if tagger.rules else {}
        if by_model:
            tags = {text: by_model.get(hash_of(text), "") for text in set(answers)}
            found |= {text: tag for text, tag in tags.items() if tag}
        return found
