-- After a newer parser has read a file whole, its responses' tokens are the maximum of what is
-- still told of them.
update operation set
    input_tokens = line.input_tokens,
    cache_read_tokens = line.cache_read_tokens,
    cache_write_5m_tokens = line.cache_write_5m_tokens,
    cache_write_1h_tokens = line.cache_write_1h_tokens,
    output_tokens = line.output_tokens,
    reasoning_tokens = line.reasoning_tokens
from
    (
        select
            usage_line.operation_key,
            max(usage_line.input_tokens) as input_tokens,
            max(usage_line.cache_read_tokens) as cache_read_tokens,
            max(usage_line.cache_write_5m_tokens + usage_line.cache_write_1h_tokens)
            - max(usage_line.cache_write_1h_tokens) as cache_write_5m_tokens,
            max(usage_line.cache_write_1h_tokens) as cache_write_1h_tokens,
            max(usage_line.output_tokens) as output_tokens,
            max(usage_line.reasoning_tokens) as reasoning_tokens
        from usage_line
        where usage_line.reason in (0, 1, 2)
        group by usage_line.operation_key
    ) as line
where
    operation.log_file_id = :log_file_id
    and operation.op = 1
    and operation.key = line.operation_key
