-- One row per operation: numbers of its bag and result, prompt group, session group, object, day.
select
    operation.bag_id * 16 + operation.result as bag_result,
    coalesce(prompt.group_id, 0) as prompt_group,
    session.group_id as session_group,
    operation.object_id * :with_objects as object_id,
    0 as detail,
    case when :with_days then (
        operation.started_at_ms + (
            select zone_span.offset_ms
            from temp.zone_span
            where zone_span.from_ms <= operation.started_at_ms
            order by zone_span.from_ms desc
            limit 1
        )
    ) / 86400000 end as day,
    case
        when :with_commands and operation.op = 2 then operation.id
        when :with_answers and operation.op = 1 then operation.id
        else 0
    end as text_id,
    1 as value
from operation
inner join temp.session_group as session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
