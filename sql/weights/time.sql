-- One row per operation and part of its time, in milliseconds; the detail numbers the part as
-- vocabulary.PARTS does. A delegating call keeps only what its sub-agent's own time does not cover.
-- `who` and `place` are packed numbers, as profile/packing.py unpacks them: a column costs more
-- to fetch than to compute.
select
    ((operation.bag_id * 16 + operation.result) * :prompt_groups + coalesce(prompt.group_id, 0))
    * :session_groups + session.group_id as who,
    (operation.object_id * :with_objects * 8 + 2 - operation.op) * 4194304
    + case
        when not :with_days or operation.started_at_ms is null then 0
        else (
            operation.started_at_ms + case
                when operation.started_at_ms >= :newest_span_from_ms then :newest_offset_ms
                else (
                    select zone_span.offset_ms
                    from temp.zone_span
                    where zone_span.from_ms <= operation.started_at_ms
                    order by zone_span.from_ms desc
                    limit 1
                )
            end
        ) / 86400000 + 1000000
    end as place,
    case
        when :with_commands and operation.op = 2 then operation.id
        when :with_answers and operation.op = 1 then operation.id
        else 0
    end as text_id,
    max(operation.active_ms - coalesce(delegated.covered_ms, 0), 0) as value
from operation
inner join temp.session_group as session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
left join temp.delegated on operation.key = delegated.call_key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
    and (:with_idle or operation.op != 0)
    and operation.active_ms > 0
union all
select
    ((operation.bag_id * 16 + operation.result) * :prompt_groups + coalesce(prompt.group_id, 0))
    * :session_groups + session.group_id as who,
    (operation.object_id * :with_objects * 8 + 3) * 4194304
    + case
        when not :with_days or operation.started_at_ms is null then 0
        else (
            operation.started_at_ms + case
                when operation.started_at_ms >= :newest_span_from_ms then :newest_offset_ms
                else (
                    select zone_span.offset_ms
                    from temp.zone_span
                    where zone_span.from_ms <= operation.started_at_ms
                    order by zone_span.from_ms desc
                    limit 1
                )
            end
        ) / 86400000 + 1000000
    end as place,
    case
        when :with_commands and operation.op = 2 then operation.id
        when :with_answers and operation.op = 1 then operation.id
        else 0
    end as text_id,
    operation.idle_ms as value
from operation
inner join temp.session_group as session on operation.session_key = session.key
left join temp.prompt_group as prompt on operation.prompt_key = prompt.key
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (not :only_chosen_prompts or prompt.key is not null)
    and :with_idle
    and operation.idle_ms > 0
