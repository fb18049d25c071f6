-- One row per prompt, LLM call or tool call, with every field by name.
select
    operation.id as operation_id,
    case operation.op when 0 then 'prompt' when 1 then 'llm' else 'tool' end as op,
    session.session_id,
    prompt.natural_id as prompt_id,
    session.agent,
    projects.project,
    operation.started_at_ms,
    operation.ended_at_ms,
    case prompt.origin
        when 0 then 'typed'
        when 1 then 'queued'
        when 2 then 'comment'
        when 3 then 'slash'
        when 4 then 'agent'
    end as origin,
    prompt_tasks.task,
    case
        when session.parent_key is not null
            then coalesce(nullif(agent_type.text, ''), spawned.agent_type, 'agent')
    end as subagent,
    nullif(skill.text, '') as skill,
    phase.text as phase,
    case
        when operation.op != 1 then action.text
        when operation.result in (0, 2, 6) then 'think'
        else 'answer'
    end as action,
    case
        when operation.op = 0 then null
        when object_kind.text != 'path' then object.text
        when
            workspace.root is not null
            and substr(object_path.path, 1, length(workspace.root) + 1) = workspace.root || '/'
            then substr(object_path.path, length(workspace.root) + 2)
        else object_path.path
    end as object,
    nullif(repeat.text, '') as repeat,
    case
        when operation.op > 0 then
            case operation.result
                when 0 then 'unknown'
                when 1 then 'final'
                when 2 then 'tool-use'
                when 3 then 'ok'
                when 4 then 'truncated'
                when 5 then 'refused'
                when 6 then 'error'
                when 7 then 'rejected'
                when 8 then 'cancelled'
                when 9 then 'interrupted'
            end
    end as result,
    case prompt.outcome
        when 0 then 'open'
        when 1 then 'answered'
        when 2 then 'failed'
        when 3 then 'interrupted'
    end as outcome,
    nullif(tool.text, '') as tool,
    nullif(category.text, '') as category,
    nullif(cmd.text, '') as cmd,
    nullif(effect.text, '') as effect,
    nullif(model.text, '') as model,
    case when operation.op = 2 then operation.text end as command,
    operation.active_ms,
    operation.idle_ms,
    operation.input_tokens,
    operation.cache_write_5m_tokens + operation.cache_write_1h_tokens as cache_write_tokens,
    operation.cache_read_tokens,
    operation.output_tokens,
    operation.reasoning_tokens,
    case operation.quality
        when 0 then 'exact'
        when 1 then 'partial'
        when 2 then 'placeholder'
        when 3 then 'uncertain'
    end as quality,
    operation.result_bytes,
    log_file.path as log_path,
    operation."offset" as log_offset
from operation
inner join session on operation.session_key = session.key
inner join name as agent_type on session.agent_type_id = agent_type.id
inner join field_bag as bag on operation.bag_id = bag.id
inner join name as phase on bag.phase_id = phase.id
inner join name as action on bag.action_id = action.id
inner join name as object_kind on bag.object_kind_id = object_kind.id
inner join name as skill on bag.skill_id = skill.id
inner join name as repeat on bag.repeat_id = repeat.id
inner join name as tool on bag.tool_id = tool.id
inner join name as category on bag.category_id = category.id
inner join name as cmd on bag.cmd_id = cmd.id
inner join name as effect on bag.effect_id = effect.id
inner join name as model on bag.model_id = model.id
inner join log_file on operation.log_file_id = log_file.id
left join name as object on object_kind.text != 'path' and operation.object_id = object.id
left join path as object_path on object_kind.text = 'path' and operation.object_id = object_path.id
left join operation as prompt on operation.prompt_key = prompt.key
left join prompt_tasks on operation.prompt_key = prompt_tasks.key
left join (
    select
        session_spawn.session_key,
        min(case when call_kind.text = 'agent' then call_object.text end) as agent_type
    from session_spawn
    inner join operation as call on session_spawn.call_key = call.key
    inner join field_bag as call_bag on call.bag_id = call_bag.id
    inner join name as call_kind on call_bag.object_kind_id = call_kind.id
    left join name as call_object on call.object_id = call_object.id
    group by session_spawn.session_key
) as spawned on session.key = spawned.session_key
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
