-- Insert an operation, or join what this record says of it with what is stored.
-- Owner columns are left alone here: sql/save/owner.sql decides them.
insert into operation (
    key, op, owner_rank, session_key, prompt_key, log_file_id, offset,
    started_at_ms, ended_at_ms, active_ms, idle_ms, bag_id, object_id, result, parser_version,
    input_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
    output_tokens, reasoning_tokens, estimate_tokens, web_searches, quality, result_bytes,
    origin, outcome, outcome_at_ms, text_hash, natural_id, text
) values (
    ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?
) on conflict (key) do update set
    started_at_ms = min(
        coalesce(started_at_ms, excluded.started_at_ms),
        coalesce(excluded.started_at_ms, started_at_ms)
    ),
    ended_at_ms = max(
        coalesce(ended_at_ms, excluded.ended_at_ms),
        coalesce(excluded.ended_at_ms, ended_at_ms)
    ),
    result = max(result, excluded.result),
    input_tokens = max(
        coalesce(input_tokens, excluded.input_tokens),
        coalesce(excluded.input_tokens, input_tokens)
    ),
    cache_read_tokens = max(
        coalesce(cache_read_tokens, excluded.cache_read_tokens),
        coalesce(excluded.cache_read_tokens, cache_read_tokens)
    ),
    cache_write_5m_tokens = max(
        coalesce(cache_write_5m_tokens, excluded.cache_write_5m_tokens),
        coalesce(excluded.cache_write_5m_tokens, cache_write_5m_tokens)
    ),
    cache_write_1h_tokens = max(
        coalesce(cache_write_1h_tokens, excluded.cache_write_1h_tokens),
        coalesce(excluded.cache_write_1h_tokens, cache_write_1h_tokens)
    ),
    output_tokens = max(
        coalesce(output_tokens, excluded.output_tokens),
        coalesce(excluded.output_tokens, output_tokens)
    ),
    reasoning_tokens = max(
        coalesce(reasoning_tokens, excluded.reasoning_tokens),
        coalesce(excluded.reasoning_tokens, reasoning_tokens)
    ),
    estimate_tokens = max(
        coalesce(estimate_tokens, excluded.estimate_tokens),
        coalesce(excluded.estimate_tokens, estimate_tokens)
    ),
    web_searches = max(
        coalesce(web_searches, excluded.web_searches),
        coalesce(excluded.web_searches, web_searches)
    ),
    quality = min(coalesce(quality, excluded.quality), coalesce(excluded.quality, quality)),
    result_bytes = max(
        coalesce(result_bytes, excluded.result_bytes),
        coalesce(excluded.result_bytes, result_bytes)
    ),
    origin = min(coalesce(origin, excluded.origin), coalesce(excluded.origin, origin)),
    outcome = case
        when (coalesce(excluded.outcome_at_ms, 0), coalesce(excluded.outcome, 0))
            > (coalesce(outcome_at_ms, 0), coalesce(outcome, 0))
            then excluded.outcome
        else outcome
    end,
    outcome_at_ms = max(
        coalesce(outcome_at_ms, excluded.outcome_at_ms),
        coalesce(excluded.outcome_at_ms, outcome_at_ms)
    ),
    text_hash = case
        when (length(coalesce(excluded.text, '')), coalesce(excluded.text, ''))
            > (length(coalesce(text, '')), coalesce(text, ''))
            then excluded.text_hash
        else text_hash
    end,
    text = case
        when (length(coalesce(excluded.text, '')), coalesce(excluded.text, ''))
            > (length(coalesce(text, '')), coalesce(text, ''))
            then excluded.text
        else text
    end
