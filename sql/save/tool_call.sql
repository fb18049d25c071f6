-- Insert a tool call, or join what this record says of it with what is stored.
-- Owner columns are left alone here: sql/save/owner.sql decides them.
insert into operation (
    log_file_id, parser_version, bag_id, object_id, text, key, op, owner_rank, session_key,
    prompt_key, offset, started_at_ms, ended_at_ms, active_ms, idle_ms, result, result_bytes
) values (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
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
    result_bytes = max(
        coalesce(result_bytes, excluded.result_bytes),
        coalesce(excluded.result_bytes, result_bytes)
    ),
    text = case
        when (length(coalesce(excluded.text, '')), coalesce(excluded.text, ''))
            > (length(coalesce(text, '')), coalesce(text, ''))
            then excluded.text
        else text
    end
