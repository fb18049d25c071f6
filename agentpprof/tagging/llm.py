"""Ask a model for tags: several requests at a time, each answer handed on as soon as it is there.

What fails ends nothing that was done: a request that fails leaves its text pending, a server that
is of no use ends the asking, and so does a row of failures.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from agentpprof.tagging.llm_client import LlmClient
from agentpprof.tagging.llm_prompts import Question, checked_tag, grammar, messages, shorter
from agentpprof.tagging.llm_server import (
    BrokenError,
    RequestError,
    Run,
    ServerError,
    TooLongError,
)

_FAILURES_IN_A_ROW: Final = 3
_TRIES: Final = 2  # an answer that is no tag is asked for once more
_PAUSE_SECONDS: Final = 0.2

OnAnswer = Callable[[Question, str | None], None]  # None: two answers, none of them a tag


class Asking:
    """The asking of one run."""

    def __init__(
        self,
        client: LlmClient,
        on_answer: OnAnswer,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the server, who is told every answer, and who may end the run."""
        self._client = client
        self._on_answer = on_answer
        self._should_stop = should_stop
        self._failures = 0
        self.run = Run()

    async def ask_all(self, questions: Iterable[Question], parallel: int) -> Run:
        """Ask all questions, `parallel` at a time; raises nothing that a server does."""
        each = iter(questions)
        work = [asyncio.ensure_future(self._work(each)) for _ in range(parallel)]
        end: asyncio.Future[Any] = asyncio.ensure_future(self._wait_for_end())
        try:
            all_work: asyncio.Future[Any] = asyncio.gather(*work)
            await asyncio.wait([end, all_work], return_when=asyncio.FIRST_COMPLETED)
            if all_work.done():
                all_work.result()  # a fault of ours is raised
        finally:
            for task in (end, *work):
                task.cancel()
            await asyncio.gather(end, *work, return_exceptions=True)
        return self.run

    async def _work(self, questions: Iterator[Question]) -> None:
        """Ask one question after the other, taken from what is left for all."""
        while not self._has_ended():
            question = next(questions, None)
            if question is None:
                return
            try:
                tag = await self._tag(question)
            except ServerError as error:
                self.run.error = self.run.error or str(error)
            except RequestError as error:
                self._note_failure(error)
            else:
                self._failures = 0
                self._note(question, tag)

    async def _wait_for_end(self) -> None:
        """Return when somebody wants the end; requests under way are given up then."""
        while not self._should_stop():
            await asyncio.sleep(_PAUSE_SECONDS)

    def _has_ended(self) -> bool:
        return bool(self.run.error) or self._should_stop()

    def _note(self, question: Question, tag: str | None) -> None:
        if tag is None:
            self.run.untagged += 1
        else:
            self.run.tagged += 1
        self._on_answer(question, tag)

    def _note_failure(self, error: RequestError) -> None:
        """Count a failure; a context too small for one text says nothing of the next."""
        self.run.failed += 1
        self._failures += not isinstance(error, TooLongError)
        if self._failures >= _FAILURES_IN_A_ROW:
            self.run.error = self.run.error or str(error)

    async def _tag(self, question: Question) -> str | None:
        """Return the tag of a text, None where the model names none."""
        bad: str | None = None
        for _ in range(_TRIES):
            answer, is_whole = await self._answer(question, bad)
            tag = checked_tag(answer, question.choices) if is_whole else None
            if tag is not None:
                return tag
            bad = answer
        return None

    async def _answer(self, question: Question, bad: str | None) -> tuple[str, bool]:
        """Ask once; a text too long is halved, a connection that broke is tried once more."""
        may_break = True
        while True:
            self.run.requests += 1
            try:
                return await self._client.ask(messages(question, bad), grammar(question.choices))
            except TooLongError:
                cut = shorter(question)
                if cut is None:
                    raise
                question = cut
            except BrokenError:
                if not may_break:
                    raise
                may_break = False
                await asyncio.sleep(_PAUSE_SECONDS)
