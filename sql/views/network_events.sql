-- One row per tool call, host and access; calls that were rejected or cancelled had no effect.
select
    operation.id as operation_id,
    session.session_id,
    session.agent,
    projects.project,
    operation.started_at_ms,
    nullif(tool.text, '') as tool,
    nullif(cmd.text, '') as cmd,
    action.text as action,
    host.text as domain,
    case operation_host.access
        when 0 then 'read'
        when 1 then 'write'
        when 2 then 'create'
        when 3 then 'delete'
        when 4 then 'move'
    end as access,
    -- The other results are an LLM call's alone.
    case operation.result
        when 3 then 'ok'
        when 6 then 'error'
        when 9 then 'interrupted'
        else 'unknown'
    end as result,
    operation.active_ms,
    operation.result_bytes
from operation_host
inner join operation on operation_host.operation_key = operation.key
inner join session on operation.session_key = session.key
inner join field_bag as bag on operation.bag_id = bag.id
-- Names are joined from the left only so that SQLite never begins with all names there are.
left join name as host on operation_host.host_id = host.id
left join name as tool on bag.tool_id = tool.id
left join name as cmd on bag.cmd_id = cmd.id
left join name as action on bag.action_id = action.id
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
where operation.result not in (7, 8)
