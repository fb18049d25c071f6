-- One row per session, with what selects and names it.
select
    session.key,
    session.agent,
    session.session_id,
    session.parent_key,
    coalesce(nullif(agent_type.text, ''), spawned.agent_type, '') as agent_type,
    workspace.cwd,
    workspace.root,
    workspace.project,
    workspace.parent,
    session.started_at_ms,
    session.ended_at_ms,
    spawned.call_key,
    spawned.prompt_key,
    coalesce(manual_tag.tag, '') as hand_tag
from session
inner join name as agent_type on session.agent_type_id = agent_type.id
left join workspace on session.workspace_id = workspace.id
left join manual_tag on manual_tag.kind = 'session' and session.key = manual_tag.key
left join
    (
        select
            session_spawn.session_key,
            min(session_spawn.call_key) as call_key,
            min(call.prompt_key) as prompt_key,
            min(case when object_kind.text = 'agent' then object.text end) as agent_type
        from session_spawn
        inner join operation as call on session_spawn.call_key = call.key
        inner join field_bag as bag on call.bag_id = bag.id
        inner join name as object_kind on bag.object_kind_id = object_kind.id
        left join name as object on call.object_id = object.id
        group by session_spawn.session_key
    ) as spawned
    on session.key = spawned.session_key
