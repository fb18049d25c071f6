"""Tags by a model in a run: what is known is reused, the rest is asked for, saved in batches.

Whatever goes wrong at the server, the run goes on: what has no tag yet keeps the rule's.
"""

import sqlite3
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from agentpprof.counts import counted
from agentpprof.errors import StoreError
from agentpprof.privacy import PublicText
from agentpprof.profile.llm_texts import TextsToName, questions_of
from agentpprof.profile.request import ModelTags
from agentpprof.runs.llm_server import LlmChoice
from agentpprof.store import llm_tags
from agentpprof.tagging.llm_prompts import Question, definition
from agentpprof.tagging.llm_server import Run, ServerError
from agentpprof.text.progress import counting_bar
from agentpprof.text.telling import say
from agentpprof.vocabulary import TAG_KINDS, UNTAGGED

if TYPE_CHECKING:
    import httpx

    from agentpprof.tagging.llm_client import LlmClient

_BATCH = 32
_BATCH_SECONDS = 2.0
_LAST_WAIT_SECONDS = 10.0
_WAIT_SECONDS = 0.1


class Job(NamedTuple):
    """How texts are tagged in a run."""

    choice: LlmChoice
    database: Path  # where tags are kept
    saves: bool = True
    is_quiet: bool = False
    should_stop: Callable[[], bool] = lambda: False
    transport: Optional["httpx.AsyncBaseTransport"] = None  # a test's own


class Report(NamedTuple):
    """How it went: counts, and what a person should do."""

    model: str
    known: int
    tagged: int
    untagged: int
    pending: int
    requests: int
    error: str

    def as_plain(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {**self._asdict(), "model": PublicText(self.model or "unknown")}

    def lines(self) -> list[str]:
        """Return what a person should know; nothing where all went well."""
        lines = []
        if self.pending:
            lines.append(
                f"{self.error or 'the limit of new tags is reached'}; {_texts(self.pending)} "
                "without a model's tag have the rule's; the next run asks for them"
            )
        elif self.error:
            lines.append(self.error)
        if self.untagged:
            lines.append(
                f"{_texts(self.untagged)} stay untagged: the model gave no valid tag twice; a "
                "thinking model has to be run without thinking, a small one may be too small"
            )
        return lines


class TaggedByModel(NamedTuple):
    """The tags of a run, and how they came about."""

    tags: ModelTags
    report: Report


class _Tagging:
    """The tagging of one run."""

    def __init__(self, connection: sqlite3.Connection, texts: TextsToName, job: Job) -> None:
        self._connection, self._texts, self._job = connection, texts, job
        self._choice = job.choice
        self._place = (self._choice.server.url, self._choice.server.model)
        self._model = llm_tags.read_model(job.database, *self._place) or ""
        self._tags = self._read()
        self._known = self._count_known()
        self._unsaved: dict[llm_tags.Key, dict[int, str]] = {}
        self._unsaved_names: dict[tuple[str, str], str] = {}
        self._saved_at = time.monotonic()
        self._error = ""
        self._run = Run()

    def missing(self) -> dict[str, set[int]]:
        """Return the text hashes of each kind that have no tag yet."""
        by_kind = self._texts.by_kind()
        return {kind: set(by_kind[kind]) - self._tags[kind].keys() for kind in TAG_KINDS}

    def run(self) -> TaggedByModel:
        """Ask about what is missing, as far as that is allowed and possible."""
        missing = sum(map(len, self.missing().values()))
        if missing and self._choice.max_new != 0:
            with counting_bar("asking the model", self._limit(missing), self._job.is_quiet) as bar:
                import asyncio

                try:
                    asyncio.run(self._ask(bar))
                except ServerError as error:
                    self._error = str(error)
        return TaggedByModel(self._model_tags(), self._report())

    def _limit(self, missing: int) -> int:
        limit = self._choice.max_new
        return missing if limit is None else min(limit, missing)

    async def _ask(self, on_answer: Callable[[], None]) -> None:
        from agentpprof.tagging.llm import Asking
        from agentpprof.tagging.llm_client import LlmClient

        server, job = self._choice.server, self._job
        async with LlmClient(server, job.transport) as client:
            await client.wait_until_ready(self._tell_loading)
            await self._learn_model(client)
            missing = self.missing()
            total = self._limit(sum(map(len, missing.values())))
            parallel = self._choice.parallel or await client.slots()
            self._tell_remote(total)

            def note(question: Question, tag: str | None) -> None:
                self._note(question, tag)
                on_answer()

            asking = Asking(client, note, job.should_stop)
            self._run = asking.run
            choices = self._choice.choices
            questions = islice(questions_of(self._connection, self._texts, missing, choices), total)
            try:
                await asking.ask_all(questions, min(parallel, max(total, 1)))
            finally:
                self._save(_LAST_WAIT_SECONDS)
        self._error = self._run.error or self._error

    async def _learn_model(self, client: "LlmClient") -> None:
        """Ask what the model is called; tags of another one don't count."""
        name = await client.model_name()
        if name == self._model:
            return
        self._model = name
        self._unsaved_names[self._place] = name
        self._tags = self._read()
        self._known = self._count_known()

    def _key(self, kind: str) -> llm_tags.Key:
        choices = self._choice.choices if kind == "prompt" else ()
        return definition(self._model, choices), kind

    def _read(self) -> dict[str, dict[int, str]]:
        if not self._model:
            return {kind: {} for kind in TAG_KINDS}
        keys = {kind: self._key(kind) for kind in TAG_KINDS}
        known = llm_tags.read_known(self._job.database, keys.values())
        return {kind: known[key] for kind, key in keys.items()}

    def _count_known(self) -> int:
        by_kind = self._texts.by_kind()
        return sum(len(self._tags[kind].keys() & set(by_kind[kind])) for kind in TAG_KINDS)

    def _note(self, question: Question, tag: str | None) -> None:
        """Take an answer; one without a tag holds for this run only."""
        self._tags[question.kind][question.text_hash] = tag or UNTAGGED
        if tag is None:
            return
        self._unsaved.setdefault(self._key(question.kind), {})[question.text_hash] = tag
        count = sum(map(len, self._unsaved.values()))
        if count >= _BATCH or time.monotonic() - self._saved_at >= _BATCH_SECONDS:
            self._save(_WAIT_SECONDS)

    def _save(self, wait_seconds: float) -> None:
        """Save what is new; what can't be saved now waits for the next batch."""
        self._saved_at = time.monotonic()
        if not (self._job.saves and (self._unsaved or self._unsaved_names)):
            return
        try:
            is_saved = llm_tags.save_new(
                self._job.database, self._unsaved, self._unsaved_names, wait_seconds
            )
        except StoreError as error:
            self._error = f"new tags can't be kept: {error}"
            return
        if is_saved:
            self._unsaved, self._unsaved_names, self._error = {}, {}, ""
        else:
            self._error = "new tags can't be kept: another agentpprof is writing for long"

    def _model_tags(self) -> ModelTags:
        by_session = self._texts.hash_of_session
        tags = self._tags["session"]
        sessions = {key: tags[each] for key, each in by_session.items() if each in tags}
        return ModelTags(self._tags["prompt"], sessions, self._tags["llm"])

    def _report(self) -> Report:
        run = self._run
        pending = sum(map(len, self.missing().values()))
        return Report(
            self._model, self._known, run.tagged, run.untagged, pending, run.requests, self._error
        )

    def _tell_loading(self) -> None:
        if not self._job.is_quiet:
            say("waiting: the server is loading its model", on_stderr=True)

    def _tell_remote(self, total: int) -> None:
        if self._choice.is_remote and not self._job.is_quiet:
            say(
                f"{_texts(total)} of prompts go to {self._choice.server.url}: names and secrets "
                "are taken out as far as they are recognised",
                on_stderr=True,
            )


def tag_texts(connection: sqlite3.Connection, texts: TextsToName, job: Job) -> TaggedByModel:
    """Tag texts by a model; raises nothing that a server does."""
    return _Tagging(connection, texts, job).run()


def missing_texts(
    connection: sqlite3.Connection, texts: TextsToName, job: Job
) -> dict[str, set[int]]:
    """Return what would be asked about, as far as that is known without the server."""
    return _Tagging(connection, texts, job).missing()


def _texts(count: int) -> str:
    return counted(count, "text")
