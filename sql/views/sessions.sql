-- One row per session or sub-agent, with its own operations counted (a sub-agent's are its own).
select
    session.session_id,
    parent.session_id as parent_session_id,
    session.agent,
    nullif(coalesce(nullif(agent_type.text, ''), spawned.agent_type), '') as subagent,
    projects.project,
    workspace.cwd,
    nullif(branch.text, '') as git_branch,
    nullif(version.text, '') as agent_version,
    tags.tag,
    session.started_at_ms,
    session.ended_at_ms,
    coalesce(counts.prompts, 0) as prompts,
    coalesce(counts.tool_calls, 0) as tool_calls,
    coalesce(counts.responses, 0) as responses,
    coalesce(counts.input_tokens, 0) as input_tokens,
    coalesce(counts.cache_write_tokens, 0) as cache_write_tokens,
    coalesce(counts.cache_read_tokens, 0) as cache_read_tokens,
    coalesce(counts.output_tokens, 0) as output_tokens
from session
inner join name as agent_type on session.agent_type_id = agent_type.id
inner join name as branch on session.branch_id = branch.id
inner join name as version on session.version_id = version.id
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
left join session_tags as tags on session.key = tags.session_key
left join (
    select
        session_spawn.session_key,
        min(case when object_kind.text = 'agent' then object.text end) as agent_type
    from session_spawn
    inner join operation as call on session_spawn.call_key = call.key
    inner join field_bag as bag on call.bag_id = bag.id
    inner join name as object_kind on bag.object_kind_id = object_kind.id
    left join name as object on call.object_id = object.id
    group by session_spawn.session_key
) as spawned on session.key = spawned.session_key
left join (
    select
        operation.session_key,
        sum(operation.op = 0 and operation.origin < 4) as prompts,
        sum(operation.op = 1 and operation.input_tokens is not null) as responses,
        sum(operation.op = 2) as tool_calls,
        sum(operation.input_tokens) as input_tokens,
        sum(
            operation.cache_write_5m_tokens + operation.cache_write_1h_tokens
        ) as cache_write_tokens,
        sum(operation.cache_read_tokens) as cache_read_tokens,
        sum(operation.output_tokens) as output_tokens
    from operation
    group by operation.session_key
) as counts on session.key = counts.session_key
