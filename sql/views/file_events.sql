-- One row per tool call, file and access; calls that were rejected or cancelled had no effect.
select
    operation.id as operation_id,
    session.session_id,
    session.agent,
    projects.project,
    operation.started_at_ms,
    path.path,
    case operation_path.access
        when 0 then 'read'
        when 1 then 'write'
        when 2 then 'create'
        when 3 then 'delete'
        when 4 then 'move'
    end as access
from operation_path
inner join operation on operation_path.operation_key = operation.key
inner join session on operation.session_key = session.key
inner join path on operation_path.path_id = path.id
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
where operation.result not in (7, 8)
