-- The counts that other logs tell of, as of those that are gone: they hold on.
create temporary table kept_usage as
select
    operation_key,
    max(input_tokens) as input_tokens,
    max(cache_read_tokens) as cache_read_tokens,
    max(cache_write_5m_tokens + cache_write_1h_tokens) as cache_write_tokens,
    max(cache_write_1h_tokens) as cache_write_1h_tokens,
    max(output_tokens) as output_tokens,
    max(reasoning_tokens) as reasoning_tokens
from usage_line
where reason in (0, 1, 2) and log_file_id not in (select id from reread_file)
group by operation_key
