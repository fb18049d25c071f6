-- One row per LLM call: its number, and the phase of the tool call after it; answer where none is.
select
    ordered.id,
    ordered.next_phase
from (
    select
        operation.id,
        operation.op,
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
where ordered.op = 1
