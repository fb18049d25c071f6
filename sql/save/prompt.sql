-- Insert a prompt, or join what this record says of it with what is stored.
-- Owner columns are left alone here: sql/save/owner.sql decides them.
insert into operation (
    log_file_id, parser_version, bag_id, object_id, text, key, op, owner_rank, session_key,
    prompt_key, offset, started_at_ms, ended_at_ms, active_ms, idle_ms, result, origin, outcome,
    outcome_at_ms, text_hash, natural_id
) values (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
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
    origin = min(
        coalesce(origin, excluded.origin),
        coalesce(excluded.origin, origin)
    ),
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
