-- One row per LLM call that found less than half of its session's context in the prompt cache.
-- expected_tokens is the context of the call before; missed_tokens had to be sent or written anew.
-- A context that shrank to less than half was compacted: that is no miss.
with calls as (
    select
        operation.id,
        operation.session_key,
        operation.prompt_key,
        operation.bag_id,
        operation.started_at_ms,
        operation.cache_read_tokens,
        operation.input_tokens
        + operation.cache_read_tokens
        + operation.cache_write_5m_tokens
        + operation.cache_write_1h_tokens as context_tokens
    from operation
    where operation.op = 1 and operation.input_tokens + operation.cache_read_tokens > 0
),

followed as (
    select
        calls.*,
        lag(calls.context_tokens) over in_session as expected_tokens,
        lag(calls.started_at_ms) over in_session as previous_at_ms,
        lag(calls.bag_id) over in_session as previous_bag_id
    from calls
    window in_session as (partition by calls.session_key order by calls.started_at_ms, calls.id)
)

select
    followed.id as operation_id,
    session.session_id,
    prompt.natural_id as prompt_id,
    session.agent,
    projects.project,
    followed.started_at_ms,
    followed.started_at_ms - followed.previous_at_ms as pause_ms,
    case
        when bag.model_id != previous_bag.model_id then 'other model'
        when followed.started_at_ms - followed.previous_at_ms > 3600000 then 'pause over an hour'
        when followed.started_at_ms - followed.previous_at_ms > 300000
            then 'pause over five minutes'
        else 'changed context'
    end as reason,
    model.text as model,
    followed.expected_tokens,
    followed.context_tokens,
    followed.cache_read_tokens,
    min(followed.expected_tokens, followed.context_tokens)
    - followed.cache_read_tokens as missed_tokens
from followed
inner join session on followed.session_key = session.key
inner join field_bag as bag on followed.bag_id = bag.id
inner join field_bag as previous_bag on followed.previous_bag_id = previous_bag.id
inner join name as model on bag.model_id = model.id
left join operation as prompt on followed.prompt_key = prompt.key
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
where
    followed.expected_tokens >= 4096
    and followed.context_tokens * 2 >= followed.expected_tokens
    and followed.cache_read_tokens * 2 < min(followed.expected_tokens, followed.context_tokens)
