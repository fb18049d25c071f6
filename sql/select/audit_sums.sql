-- One row per session: what counts, from the operations that it owns.
select
    operation.session_key,
    coalesce(sum(operation.input_tokens), 0) as input_tokens,
    coalesce(
        sum(operation.cache_write_5m_tokens + operation.cache_write_1h_tokens), 0
    ) as cache_write_tokens,
    coalesce(sum(operation.cache_read_tokens), 0) as cache_read_tokens,
    coalesce(sum(operation.output_tokens), 0) as output_tokens,
    sum(operation.op = 1 and operation.input_tokens is not null) as responses,
    sum(operation.op = 0 and operation.origin < 4) as prompts,
    sum(operation.op = 2) as tool_calls
from operation
group by operation.session_key
