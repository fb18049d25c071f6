-- One row per prompt, in the order in which a session's prompts followed one another.
select
    key,
    session_key,
    coalesce(started_at_ms, 0) as started_at_ms,
    text_hash,
    origin,
    outcome,
    coalesce((
        select manual_tag.tag
        from manual_tag
        where manual_tag.kind = 'prompt' and manual_tag.key = operation.key
    ), '') as hand_tag
from operation
where op = 0
order by operation.session_key, operation.started_at_ms, operation.offset, operation.key
