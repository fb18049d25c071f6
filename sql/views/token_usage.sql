-- One row per LLM call and token component that is not zero; output is less reasoning. A call
-- without a usable count has an estimate from its text, or stands as one unknown.
select
    operation.id as operation_id,
    session.session_id,
    projects.project,
    session.agent,
    model.text as model,
    operation.started_at_ms,
    component.token,
    case component.token
        when 'input' then operation.input_tokens
        when 'cache_read' then operation.cache_read_tokens
        when 'cache_write'
            then operation.cache_write_5m_tokens + operation.cache_write_1h_tokens
        when 'output'
            then max(operation.output_tokens - operation.reasoning_tokens, 0)
        when 'reasoning' then min(operation.reasoning_tokens, operation.output_tokens)
        when 'estimate' then iif(measured.usable = 0, operation.estimate_tokens, 0)
        when 'unknown' then measured.usable = 0 and operation.estimate_tokens is null
    end as tokens
from operation
inner join session on operation.session_key = session.key
inner join field_bag as bag on operation.bag_id = bag.id
inner join name as model on bag.model_id = model.id
inner join (
    select 'input' as token
    union all
    select 'cache_read'
    union all
    select 'cache_write'
    union all
    select 'output'
    union all
    select 'reasoning'
    union all
    select 'estimate'
    union all
    select 'unknown'
) as component
inner join (
    select
        id,
        coalesce(
            input_tokens + cache_read_tokens + output_tokens
            + cache_write_5m_tokens + cache_write_1h_tokens,
            0
        ) as usable
    from operation
) as measured on operation.id = measured.id
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
where operation.op = 1 and tokens > 0
