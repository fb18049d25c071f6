-- One row per prompt, in the order in which a session's prompts followed one another.
select
    operation.key,
    operation.session_key,
    coalesce(operation.started_at_ms, 0) as started_at_ms,
    operation.text_hash,
    operation.origin,
    operation.outcome,
    coalesce(manual_tag.tag, '') as hand_tag
from operation
left join manual_tag on manual_tag.kind = 'prompt' and operation.key = manual_tag.key
where operation.op = 0
order by operation.session_key, operation.started_at_ms, operation.offset, operation.key
