-- One row per bag, result, prompt group, session group, object and day: milliseconds.
-- A delegating call keeps only what its sub-agent's own time does not cover.
select
    ((operation.bag_id * 16 + operation.result) * :prompt_groups + coalesce(prompt.group_id, 0))
    * :session_groups + session.group_id as fields_key,
    operation.object_id * :with_objects as object_id,
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
    sum(max(operation.active_ms - coalesce(delegated.covered_ms, 0), 0)) as active,
    sum(operation.idle_ms) as idle
from operation
inner join temp.session_group as session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
left join temp.delegated on operation.key = delegated.call_key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
    and (:with_idle or operation.op != 0)
    and (operation.active_ms > 0 or operation.idle_ms > 0)
group by fields_key, operation.object_id * :with_objects, day, text_id
