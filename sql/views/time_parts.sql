-- One row per operation and part of time; the parts of a thread sum to its wall clock.
select
    operation.id as operation_id,
    session.session_id,
    session.agent,
    projects.project,
    operation.started_at_ms,
    parts.part,
    case parts.part when 'idle' then operation.idle_ms else operation.active_ms end as duration_ms
from (
    select
        0 as op,
        'user' as part
    union all
    select
        1 as op,
        'model' as part
    union all
    select
        2 as op,
        'tool' as part
    union all
    select
        null as op,
        'idle' as part
) as parts
inner join operation on coalesce(parts.op, operation.op) = operation.op
inner join session on operation.session_key = session.key
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
where case parts.part when 'idle' then operation.idle_ms else operation.active_ms end > 0
