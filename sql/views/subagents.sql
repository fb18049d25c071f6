-- One row per sub-agent: who started it, what for, what it took and what it gave back.
select
    sessions.session_id,
    sessions.parent_session_id,
    sessions.subagent,
    sessions.agent,
    sessions.project,
    spawned.task,
    spawned.prompt_id,
    spawned.call_operation_id,
    sessions.started_at_ms,
    sessions.ended_at_ms,
    sessions.ended_at_ms - sessions.started_at_ms as duration_ms,
    spawned.result,
    spawned.result_bytes,
    sessions.tool_calls,
    sessions.responses,
    sessions.input_tokens,
    sessions.cache_write_tokens,
    sessions.cache_read_tokens,
    sessions.output_tokens,
    sessions.input_tokens
    + sessions.cache_write_tokens
    + sessions.cache_read_tokens
    + sessions.output_tokens as total_tokens
from sessions
left join (
    select
        session.session_id,
        session.agent,
        calls.operation_id as call_operation_id,
        calls.prompt_id,
        calls.task,
        calls.result,
        calls.result_bytes
    from (
        select
            session_spawn.session_key,
            min(operation.id) as operation_id
        from session_spawn
        inner join operation on session_spawn.call_key = operation.key
        group by session_spawn.session_key
    ) as first_call
    inner join session on first_call.session_key = session.key
    inner join operations as calls on first_call.operation_id = calls.operation_id
) as spawned
    on sessions.session_id = spawned.session_id and sessions.agent = spawned.agent
where sessions.parent_session_id is not null
