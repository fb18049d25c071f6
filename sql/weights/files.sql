-- One row per bag, result, prompt group, session group, path, access and day: file effects.
-- What was rejected or cancelled before it began had none.
select
    ((operation.bag_id * 16 + operation.result) * :prompt_groups + coalesce(prompt.group_id, 0))
    * :session_groups + session.group_id as fields_key,
    operation_path.path_id as object_id,
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
    operation_path.access as detail,
    count(*) as value
from operation
inner join temp.session_group as session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
inner join operation_path on operation.key = operation_path.operation_key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
    and operation.result not in (7, 8)
group by fields_key, operation_path.path_id, day, text_id, detail
