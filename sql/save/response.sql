-- Insert a response, or join what this record says of it with what is stored: the maximum of
-- each count, where cache writes are one count of which the 1-hour writes are a part: a record
-- that does not part them would be added to one that does.
-- Owner columns are left alone here: sql/save/owner.sql decides them.
insert into operation (
    log_file_id, parser_version, bag_id, object_id, text, key, op, owner_rank, session_key,
    prompt_key, offset, started_at_ms, ended_at_ms, active_ms, idle_ms, result, input_tokens,
    cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
    reasoning_tokens, estimate_tokens, web_searches, quality
) values (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
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
        coalesce(
            cache_write_5m_tokens + cache_write_1h_tokens,
            excluded.cache_write_5m_tokens + excluded.cache_write_1h_tokens
        ),
        coalesce(
            excluded.cache_write_5m_tokens + excluded.cache_write_1h_tokens,
            cache_write_5m_tokens + cache_write_1h_tokens
        )
    ) - max(
        coalesce(cache_write_1h_tokens, excluded.cache_write_1h_tokens),
        coalesce(excluded.cache_write_1h_tokens, cache_write_1h_tokens)
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
    web_searches = max(
        coalesce(web_searches, excluded.web_searches),
        coalesce(excluded.web_searches, web_searches)
    ),
    quality = min(
        coalesce(quality, excluded.quality),
        coalesce(excluded.quality, quality)
    ),
    text = case
        when (length(coalesce(excluded.text, '')), coalesce(excluded.text, ''))
            > (length(coalesce(text, '')), coalesce(text, ''))
            then excluded.text
        else text
    end,
    -- A guess at the text that is kept; none for one that was cut.
    estimate_tokens = case
        when (length(coalesce(excluded.text, '')), coalesce(excluded.text, ''))
            > (length(coalesce(text, '')), coalesce(text, ''))
            then excluded.estimate_tokens
        else estimate_tokens
    end
