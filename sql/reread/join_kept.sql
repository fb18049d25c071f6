-- Join the counts that other logs tell of with those of a response that was just replaced.
update operation set
    input_tokens = max(coalesce(operation.input_tokens, 0), kept.input_tokens),
    cache_read_tokens = max(coalesce(operation.cache_read_tokens, 0), kept.cache_read_tokens),
    cache_write_5m_tokens = max(
        coalesce(operation.cache_write_5m_tokens + operation.cache_write_1h_tokens, 0),
        kept.cache_write_tokens
    ) - max(coalesce(operation.cache_write_1h_tokens, 0), kept.cache_write_1h_tokens),
    cache_write_1h_tokens = max(
        coalesce(operation.cache_write_1h_tokens, 0), kept.cache_write_1h_tokens
    ),
    output_tokens = max(coalesce(operation.output_tokens, 0), kept.output_tokens),
    reasoning_tokens = max(coalesce(operation.reasoning_tokens, 0), kept.reasoning_tokens)
from kept_usage as kept
where operation.key = :key and operation.op = 1 and kept.operation_key = operation.key
