-- One row per session, text and next step of its LLM calls: how many. The next step is the phase of
-- the tool call after it, answer where none is. The text only where rules look at it.
select
    ordered.session_key,
    ordered.next_phase,
    case when :with_texts then coalesce(ordered.text, '') else '' end as answer,
    count(*) as answers
from (
    select
        operation.session_key,
        operation.op,
        operation.started_at_ms,
        operation.text,
        lead(case when operation.op = 2 then phase.text else 'answer' end, 1, 'answer')
            over in_order as next_phase
    from operation
    inner join field_bag as bag on operation.bag_id = bag.id
    inner join name as phase on bag.phase_id = phase.id
    window in_order as (
        partition by operation.session_key
        order by operation.log_file_id, operation.offset, operation.id
    )
) as ordered
where
    ordered.op = 1
    and (:since_ms is null or ordered.started_at_ms >= :since_ms)
    and (:until_ms is null or ordered.started_at_ms < :until_ms)
group by ordered.session_key, ordered.next_phase, answer
