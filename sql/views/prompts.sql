-- One row per prompt of a person; prompts that an agent wrote are none.
select
    operation.natural_id as prompt_id,
    session.session_id,
    projects.project,
    operation.started_at_ms,
    case operation.origin
        when 0 then 'typed'
        when 1 then 'queued'
        when 2 then 'comment'
        else 'slash'
    end as origin,
    prompt_tags.tag,
    prompt_tasks.task,
    case operation.outcome
        when 0 then 'open'
        when 1 then 'answered'
        when 2 then 'failed'
        when 3 then 'interrupted'
    end as outcome,
    operation.text
from operation
inner join session on operation.session_key = session.key
inner join prompt_tags on operation.key = prompt_tags.key
inner join prompt_tasks on operation.key = prompt_tasks.key
left join workspace on session.workspace_id = workspace.id
left join projects on workspace.root = projects.root
where operation.op = 0 and operation.origin < 4
