-- One row: how many prompts of people, tool calls and sessions without a parent the groups hold.
select
    coalesce(sum(operation.op = 0 and operation.origin < 4), 0) as prompts,
    count(
        distinct case when session.parent_key is null then operation.session_key end
    ) as sessions,
    coalesce(sum(operation.op = 2), 0) as calls
from operation
inner join temp.session_group as chosen on operation.session_key = chosen.key
inner join session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
