-- One row per session that has operations: what was done in it, sub-agents apart. Work is the time
-- of the model and of tools, without waiting for a person and for sub-agents, whose own it is.
select
    operation.session_key,
    sum(operation.op = 0 and operation.origin < 4) as prompts,
    sum(operation.op = 1 and operation.input_tokens is not null) as responses,
    sum(operation.op = 2) as tool_calls,
    sum(operation.op = 2 and operation.result in (6, 7, 8, 9)) as failed_calls,
    sum(operation.op = 2 and bag.repeat_id != 0) as repeated_calls,
    coalesce(sum(
        operation.input_tokens + operation.cache_read_tokens + operation.cache_write_5m_tokens
        + operation.cache_write_1h_tokens + operation.output_tokens
    ), 0) as tokens,
    coalesce(
        sum(max(operation.active_ms - coalesce(delegated.covered_ms, 0), 0))
        filter (where operation.op > 0), 0
    ) as work_ms
from operation
inner join field_bag as bag on operation.bag_id = bag.id
left join temp.delegated on operation.key = delegated.call_key
group by operation.session_key
