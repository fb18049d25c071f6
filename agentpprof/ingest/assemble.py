"""Put facts together into rows: which prompt, skill, repeat, result and share of time.

Knows no agent and touches nothing. The state is plain data, bounded, and holds nothing that
another file may change: live prompts, calls whose result may come, the last responses. Whatever is
done to a live row is joined the same way here and in SQL (`store/writer.py`), so reading in pieces
equals reading at once.
"""

from typing import Any

from agentpprof.agents.facts import (
    BadLineFact,
    CallFact,
    Fact,
    LinkFact,
    OutcomeFact,
    PromptFact,
    ResponseFact,
    ResultFact,
    ResumeFact,
    SkippedFact,
    Usage,
    Where,
)
from agentpprof.ingest.joining import (
    give_owner,
    join_interrupt,
    join_outcome,
    join_response,
    join_usage,
    latest,
)
from agentpprof.ingest.new_rows import new_call, new_prompt, new_response, rank_of
from agentpprof.ingest.repeats import Repeats, note_result, note_writes, repeat_of, was_seen
from agentpprof.ingest.state import (
    MAX_ANSWERS,
    MAX_CALLS,
    MAX_RESPONSES,
    MAX_THREADS,
    AssemblyState,
    Thread,
)
from agentpprof.ingest.timeline import Timeline, advance, close_calls
from agentpprof.keys import key_of
from agentpprof.semantics.meaning import Meaning
from agentpprof.semantics.tools import describe_call
from agentpprof.store.rows import FileRows, OperationRow, SessionRow, StrayResult
from agentpprof.vocabulary import (
    PROMPT,
    REASON_CODE,
    RESULT_CODE,
    TOOL,
)

_OPERATION_REASONS = frozenset({"own", "copy", "progress"})


def assemble(facts: list[Fact], state: AssemblyState, agent: str) -> tuple[FileRows, AssemblyState]:
    """Return the rows of `facts` and the state after them; `state` itself is used up."""
    assembly = _Assembly(state, agent)
    for fact in facts:
        if fact.where.copied_into:
            assembly.add_inherited(fact)
        else:
            _ADD[type(fact)](assembly, fact)
    return assembly.rows, state


class _Assembly:
    """One call of `assemble`: the rows so far and the state."""

    def __init__(self, state: AssemblyState, agent: str) -> None:
        self.rows = FileRows()
        self.state = state
        self.agent = agent
        self._where: Where | None = None  # of the fact before: most follow one another
        self._thread: Thread
        self._session: SessionRow
        self._last_joined: tuple[Any, Any] = (None, None)  # a row and the usage joined into it

    def add_inherited(self, fact: Fact) -> None:
        """Count what a fork copied from its ancestor, whose own log tells it for good."""
        session_key = key_of(self.agent, "session", fact.where.copied_into)
        if isinstance(fact, ResponseFact):
            key = key_of(self.agent, "llm", fact.natural_id)
            self._add_usage_line(fact, key, session_key)
        elif isinstance(fact, PromptFact | CallFact):
            op = PROMPT if isinstance(fact, PromptFact) else TOOL
            self.rows.tell(session_key, op, is_copy=True)
        elif isinstance(fact, SkippedFact):
            self.add_skipped(fact)

    def add_prompt(self, fact: PromptFact) -> None:
        """Start a prompt: it closes open calls, ends the skill and resets repeats."""
        thread, session, active, idle = self._enter(fact)
        timeline = thread.timeline
        self._give_unclaimed(thread, self._last_response(thread))
        timeline.open_calls.clear()
        thread.repeats = Repeats()
        thread.skill = fact.skill
        row = new_prompt(fact, key_of(self.agent, "prompt", fact.natural_id), session.key)
        row.active_ms, row.idle_ms = active, idle
        thread.prompt = row
        self.rows.put(row)
        if fact.origin != "agent":
            self.rows.tell(session.key, PROMPT, fact.where.is_copy)

    def add_response(self, fact: ResponseFact) -> None:
        """Add one record of a response: a new row, or more of a live one."""
        if fact.reason not in _OPERATION_REASONS:
            self._add_usage_line(fact, key_of(self.agent, "llm", fact.natural_id))
            return
        thread, session, active, idle = self._enter(fact)
        row = self.state.responses.get(fact.natural_id)
        if row is None:
            # The model has the results of its calls, told or not; an advisor's call is a part.
            if not fact.natural_id.startswith(f"{thread.last_response}/"):
                thread.timeline.open_calls.clear()
            row = self._begin_response(fact, thread, session)
        elif rank_of(fact.where, fact.at_ms) < row.owner_rank:
            give_owner(row, new_response(fact, row.key, thread, session))
        thread.last_response = fact.natural_id
        if fact.usage is not None:
            self._add_usage_line(fact, row.key, session.key)
            self._join_usage(row, fact.usage)
        if active or idle:
            row.active_ms += active
            row.idle_ms += idle
        self._give_unclaimed(thread, row)
        join_response(row, fact)
        self.rows.put(row)
        if fact.result == "final" and fact.text:
            self._set_outcome(thread, fact.at_ms, "answered")

    def _begin_response(
        self, fact: ResponseFact, thread: Thread, session: SessionRow
    ) -> OperationRow:
        """Return a new live row; the oldest goes, but none that a thread is in the middle of."""
        responses = self.state.responses
        key = key_of(self.agent, "llm", fact.natural_id)
        row = responses[fact.natural_id] = new_response(fact, key, thread, session)
        if len(responses) > MAX_RESPONSES:
            kept = {each.last_response for each in self.state.threads.values()}
            kept.add(fact.natural_id)
            oldest = next((each for each in responses if each not in kept), None)
            if oldest is not None:
                del responses[oldest]
        return row

    def _add_usage_line(self, fact: ResponseFact, key: int, session_key: int | None = None) -> None:
        """Remember one value that carried usage, whether it counts or not."""
        usage = fact.usage
        if usage is None:
            return
        if session_key is None:
            session_key = key_of(self.agent, "session", fact.where.session_id)
        self.rows.usage_lines.append(
            (
                fact.offset,
                key,
                REASON_CODE[fact.reason],
                session_key,
                usage.input_tokens,
                usage.cache_read_tokens,
                usage.cache_write_5m_tokens,
                usage.cache_write_1h_tokens,
                usage.output_tokens,
                usage.reasoning_tokens,
            )
        )

    def _join_usage(self, row: OperationRow, usage: Usage) -> None:
        """Join the counts of one record into its row; the records mostly share one `usage`."""
        if self._last_joined[0] is not row or self._last_joined[1] is not usage:
            join_usage(row, usage)
            self._last_joined = (row, usage)

    def add_call(self, fact: CallFact) -> None:
        """Add a tool call: its meaning, its paths and hosts, and whether it is a repeat."""
        thread, session = self._enter_without_work(fact)
        self._give_unclaimed(thread, self.state.responses.get(fact.response_id))
        meaning = self._meaning_of(fact)
        if meaning.skill:
            thread.skill = meaning.skill
        signature = f"{fact.name}:{fact.signature:x}"
        known = self.state.calls.get(fact.natural_id)
        if known is None:
            is_told_again = was_seen(thread.repeats, signature, fact.natural_id)
            watched = meaning.object if meaning.object_kind == "path" else ""
            repeat = repeat_of(thread.repeats, signature, fact.natural_id, watched)
            note_writes(thread.repeats, meaning.paths)
            key = key_of(self.agent, "tool", fact.natural_id)
            row = new_call(fact, key, thread, session, meaning, repeat=repeat)
            self.rows.put(row)
            if not is_told_again:
                self._keep_call(thread, fact.natural_id, row, signature)
                if meaning.answers:
                    self.state.asking[fact.natural_id] = True
            known = row
        if meaning.paths or meaning.hosts:
            self.rows.put_places(known.key, meaning.paths, meaning.hosts)
        self.rows.tell(session.key, TOOL, fact.where.is_copy)
        self._set_outcome(thread, fact.at_ms, "open")

    def _meaning_of(self, fact: CallFact) -> Meaning:
        """Return what a call means; one that trips our own code is counted, and stops nothing."""
        try:
            return describe_call(fact.name, fact.input, fact.where.cwd)
        except Exception:  # noqa: BLE001 # a log must not be able to block the index for good
            self.add_skipped(
                SkippedFact(fact.where, fact.offset, None, "call not understood", True)
            )
            return Meaning("run", "tool", fact.name)

    def add_resume(self, fact: ResumeFact) -> None:
        """Open a call again whose program runs on: the wait for it is its time."""
        thread, _ = self._enter_without_work(fact)
        self._give_unclaimed(thread, self.state.responses.get(fact.response_id))
        open_calls = thread.timeline.open_calls
        if fact.call_id in self.state.calls and fact.call_id not in open_calls:
            open_calls.append(fact.call_id)

    def add_result(self, fact: ResultFact) -> None:
        """Add what came back for a call, here or, as a stray, somewhere else."""
        thread, _ = self._enter_without_work(fact)
        if not thread.timeline.open_calls:  # the time is nobody's yet, and nothing may follow
            self._give_unclaimed(thread, self.state.responses.get(thread.last_response))
        if fact.call_id in thread.timeline.open_calls:
            thread.timeline.open_calls.remove(fact.call_id)
        row = self.state.calls.get(fact.call_id)
        if row is None:
            self._add_stray_result(fact)
            return
        result = fact.result
        if result == "error" and fact.exit_code == 1 and fact.call_id in self.state.asking:
            result = "ok"
            self.state.answers.append(fact.call_id)
            del self.state.answers[:-MAX_ANSWERS]
        row.result = max(row.result, RESULT_CODE[result])
        row.ended_at_ms = latest(row.ended_at_ms, fact.at_ms)
        row.result_bytes = max(row.result_bytes or 0, fact.size)
        self.rows.put(row)
        if result != "unknown":  # of a call that goes on, more may come
            del self.state.calls[fact.call_id]
            self.state.asking.pop(fact.call_id, None)
            signature = self.state.signatures.pop(fact.call_id, "")
            note_result(thread.repeats, signature, has_failed=result != "ok")

    def _add_stray_result(self, fact: ResultFact) -> None:
        """Keep the result of a call that is not live: maybe elsewhere, maybe told of twice."""
        result = fact.result
        if result == "error" and fact.call_id in self.state.answers:
            result = "ok"
        key = key_of(self.agent, "tool", fact.call_id)
        self.rows.stray_results.append(StrayResult(key, RESULT_CODE[result], fact.at_ms, fact.size))

    def add_outcome(self, fact: OutcomeFact) -> None:
        """Set how the prompt in force ended; an interrupt ends the calls that are open, too."""
        thread, _ = self._enter_without_work(fact)
        self._give_unclaimed(thread, self._last_response(thread))
        if fact.outcome == "interrupted":
            for row in close_calls(thread.timeline, self.state.calls):
                join_interrupt(row, fact.at_ms, is_result=not fact.results_follow)
                self.rows.put(row)
        self._set_outcome(thread, fact.at_ms, fact.outcome)

    def add_link(self, fact: LinkFact) -> None:
        """Remember which call started a sub-agent."""
        session_key = key_of(self.agent, "session", fact.agent_session_id)
        if fact.call_id:
            call_key = key_of(self.agent, "tool", fact.call_id)
            self.rows.spawns.add((session_key, call_key))
        if fact.agent_type:
            self.rows.agent_types[session_key] = fact.agent_type

    def add_skipped(self, fact: SkippedFact) -> None:
        """Count a record that is no operation."""
        kind = (fact.kind, fact.where.version, fact.is_unknown)
        self.rows.skipped[kind] = self.rows.skipped.get(kind, 0) + 1

    def add_bad_line(self, fact: BadLineFact) -> None:
        """Remember bytes that could not be read."""
        self.rows.bad_lines.append((fact.offset, fact.length, fact.reason))

    # ---------------------------------------------------------------------------------------

    def _enter(self, fact: Fact) -> tuple[Thread, SessionRow, int, int]:
        """Let the thread and the session of a fact know of its time.

        Returns both, and the active and idle time that belongs to the record itself.
        """
        if fact.where is not self._where:
            self._where = where = fact.where
            self._thread = self._thread_of(where)
            self._session = self._session_of(where, fact.at_ms)
            self.rows.put_session(self._session)
        thread, session, at_ms = self._thread, self._session, fact.at_ms
        if at_ms is None:
            return thread, session, 0, 0
        if session.started_at_ms is None or at_ms < session.started_at_ms:
            session.started_at_ms = at_ms
        if session.ended_at_ms is None or at_ms > session.ended_at_ms:
            session.ended_at_ms = at_ms
        timeline = thread.timeline
        if timeline.last_ms is not None and at_ms <= timeline.last_ms:
            return thread, session, 0, 0  # most records of a response stand at one time
        active, idle, changed = advance(timeline, at_ms, self.state.calls)
        for row in changed:
            self.rows.put(row)
        return thread, session, active, idle

    def _enter_without_work(self, fact: Fact) -> tuple[Thread, SessionRow]:
        """The same for a record that is no work itself; its time waits for a response."""
        thread, session, active, idle = self._enter(fact)
        if active or idle:
            thread.timeline.unclaimed_active_ms += active
            thread.timeline.unclaimed_idle_ms += idle
        return thread, session

    def _thread_of(self, where: Where) -> Thread:
        threads = self.state.threads
        thread = threads.get(where.thread)
        if thread is None:
            thread = threads[where.thread] = Thread(Timeline(), Repeats())
            if len(threads) > MAX_THREADS:
                del threads[next(name for name in threads if name)]
        return thread

    def _session_of(self, where: Where, at_ms: int | None) -> SessionRow:
        """Return the row of a session; what it says beside times stays that of its first record."""
        sessions = self.state.sessions
        session = sessions.get(where.session_id)
        if session is None:
            parent = where.parent_session_id
            session = sessions[where.session_id] = SessionRow(
                key=key_of(self.agent, "session", where.session_id),
                session_id=where.session_id,
                parent_key=key_of(self.agent, "session", parent) if parent else None,
                agent_type=where.agent_type,
                owner_rank=rank_of(where, at_ms),
                cwd=where.cwd,
                branch=where.branch,
                version=where.version,
                started_at_ms=None,
                ended_at_ms=None,
            )
            if len(sessions) > MAX_THREADS:
                del sessions[next(iter(sessions))]
        elif not session.cwd:
            session.cwd = where.cwd  # the first lines of a log may have none
        return session

    def _give_unclaimed(self, thread: Thread, row: OperationRow | None) -> None:
        """Give model time that waits for its response to `row`."""
        timeline = thread.timeline
        if row is None or not (timeline.unclaimed_active_ms or timeline.unclaimed_idle_ms):
            return
        row.active_ms += timeline.unclaimed_active_ms
        row.idle_ms += timeline.unclaimed_idle_ms
        timeline.unclaimed_active_ms = timeline.unclaimed_idle_ms = 0
        self.rows.put(row)

    def _last_response(self, thread: Thread) -> OperationRow | None:
        """Return who gets model time that no response claims: the last one, else the prompt."""
        return self.state.responses.get(thread.last_response, thread.prompt)

    def _keep_call(self, thread: Thread, call_id: str, row: OperationRow, signature: str) -> None:
        """Keep a call live until its result; the oldest goes when there are too many."""
        calls = self.state.calls
        calls[call_id] = row
        self.state.signatures[call_id] = signature
        thread.timeline.open_calls.append(call_id)
        if len(calls) > MAX_CALLS:
            oldest = next(iter(calls))
            del calls[oldest]
            self.state.signatures.pop(oldest, None)
            self.state.asking.pop(oldest, None)

    def _set_outcome(self, thread: Thread, at_ms: int | None, outcome: str) -> None:
        """Set the outcome of the prompt in force, unless a later record has said another."""
        prompt = thread.prompt
        if prompt is not None and join_outcome(prompt, at_ms, outcome):
            self.rows.put(prompt)


_ADD: dict[type[Fact], Any] = {
    PromptFact: _Assembly.add_prompt,
    ResponseFact: _Assembly.add_response,
    CallFact: _Assembly.add_call,
    ResumeFact: _Assembly.add_resume,
    ResultFact: _Assembly.add_result,
    OutcomeFact: _Assembly.add_outcome,
    LinkFact: _Assembly.add_link,
    SkippedFact: _Assembly.add_skipped,
    BadLineFact: _Assembly.add_bad_line,
}
