-- One row per prompt, session, bag and result of some sessions: how often, tokens, time,
-- responses.
select
    operation.prompt_key,
    operation.session_key,
    operation.bag_id,
    operation.result,
    count(*) as operations,
    coalesce(sum(
        operation.input_tokens + operation.cache_read_tokens + operation.cache_write_5m_tokens
        + operation.cache_write_1h_tokens + operation.output_tokens
    ), 0) as tokens,
    sum(max(operation.active_ms - coalesce(delegated.covered_ms, 0), 0)) as active_ms,
    sum(operation.op = 1 and operation.input_tokens is not null) as responses
from operation
left join temp.delegated on operation.key = delegated.call_key
where
    operation.op > 0
    and operation.session_key in (
        select chosen.value from json_each(:session_keys) as chosen
    )
group by operation.prompt_key, operation.session_key, operation.bag_id, operation.result
