"""How records of one operation are joined: the same rules as sql/save/*.sql, for rows in memory."""

from agentpprof.agents.facts import MAX_RESPONSE_TEXT, ResponseFact, Usage
from agentpprof.store.rows import OperationRow
from agentpprof.vocabulary import OUTCOME_CODE, QUALITY_CODE, RESULT_CODE

_BYTES_A_TOKEN = 4  # a usual rule of thumb for text; estimates are shown apart from counts


def join_usage(row: OperationRow, usage: Usage) -> None:
    """Keep the maximum of each count; a row has all of them or none.

    Cache writes are one count of which the 1-hour writes are a part: a record that does not part
    them would be added to one that does.
    """
    if row.input_tokens is None:
        row.input_tokens = usage.input_tokens
        row.cache_read_tokens = usage.cache_read_tokens
        row.cache_write_5m_tokens = usage.cache_write_5m_tokens
        row.cache_write_1h_tokens = usage.cache_write_1h_tokens
        row.output_tokens = usage.output_tokens
        row.reasoning_tokens = usage.reasoning_tokens
        row.web_searches = usage.web_searches
        return
    row.input_tokens = max(row.input_tokens or 0, usage.input_tokens)
    row.cache_read_tokens = max(row.cache_read_tokens or 0, usage.cache_read_tokens)
    writes_1h = row.cache_write_1h_tokens or 0
    writes = max(
        (row.cache_write_5m_tokens or 0) + writes_1h,
        usage.cache_write_5m_tokens + usage.cache_write_1h_tokens,
    )
    row.cache_write_1h_tokens = max(writes_1h, usage.cache_write_1h_tokens)
    row.cache_write_5m_tokens = writes - row.cache_write_1h_tokens
    row.output_tokens = max(row.output_tokens or 0, usage.output_tokens)
    row.reasoning_tokens = max(row.reasoning_tokens or 0, usage.reasoning_tokens)
    row.web_searches = max(row.web_searches or 0, usage.web_searches)


def join_response(row: OperationRow, fact: ResponseFact) -> None:
    """Join what else a record of a response says: result, times, text."""
    if fact.usage is not None:  # a record without a count says nothing of how good one is
        quality = QUALITY_CODE[fact.quality]
        if row.quality is None or quality < row.quality:
            row.quality = quality
    result = RESULT_CODE[fact.result]
    if result > row.result:
        row.result = result
    at_ms = fact.at_ms
    if at_ms is not None:
        if row.started_at_ms is None or at_ms < row.started_at_ms:
            row.started_at_ms = at_ms
        if row.ended_at_ms is None or at_ms > row.ended_at_ms:
            row.ended_at_ms = at_ms
    if fact.text:
        known = row.text or ""
        if len(known) < MAX_RESPONSE_TEXT and fact.text not in known:  # not told twice
            text = f"{known}\n{fact.text}" if known else fact.text
            row.text = text[:MAX_RESPONSE_TEXT]
            row.estimate_tokens = estimate(row.text)


def join_interrupt(row: OperationRow, at_ms: int | None, *, is_result: bool) -> None:
    """End a call that was open when its turn was interrupted; that `is_result` if none will come.

    Of a command that had answered before and runs on, only the wait for it was interrupted.
    """
    if is_result and row.result_bytes is None:
        row.result = max(row.result, RESULT_CODE["interrupted"])
    row.ended_at_ms = latest(row.ended_at_ms, at_ms)


def join_outcome(prompt: OperationRow, at_ms: int | None, outcome: str) -> bool:
    """Set how a prompt ended, unless a later record has said another; say whether it was set."""
    before = prompt.outcome_at_ms or 0
    time = at_ms if at_ms is not None else prompt.outcome_at_ms
    code = OUTCOME_CODE[outcome]
    now = time or 0
    if now < before or (now == before and code <= (prompt.outcome or 0)):
        return False
    prompt.outcome, prompt.outcome_at_ms = code, time
    return True


def estimate(text: str) -> int | None:
    """Return a guess at the tokens of a text; none for one that was cut, so not safe."""
    if len(text) >= MAX_RESPONSE_TEXT:
        return None
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES_A_TOKEN)


def give_owner(row: OperationRow, claim: OperationRow) -> None:
    """Give the owner unit of a live row to a record that claims it with a better rank."""
    row.owner_rank = claim.owner_rank
    row.session_key = claim.session_key
    row.prompt_key = claim.prompt_key
    row.offset = claim.offset
    row.bag = claim.bag
    row.object = claim.object


def latest(one: int | None, other: int | None) -> int | None:
    """Return the later of two times, either of which may be unknown."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)
