-- One row per value that carried usage, with its verdict. Of the lines of one response the one
-- that its owner wrote last counts, the others are repeats or copies.
-- The linter's grammar takes the column offset for a clause. -- noqa: disable=LT02,AM03
with ranked as (
    select
        usage_line.*,
        operation.log_file_id as owner_file_id,
        operation.session_key as owner_session_key,
        row_number() over (
            partition by usage_line.operation_key
            order by
                usage_line.reason asc,
                usage_line.log_file_id != operation.log_file_id asc,
                usage_line.session_key != operation.session_key asc,
                usage_line.output_tokens desc,
                usage_line.offset desc
        ) as place
    from usage_line
    left join operation
        on usage_line.operation_key = operation.key
        and usage_line.reason in (0, 1, 2)
)

select
    log_file.agent,
    case
        when place = 1 and owner_file_id is not null then owner_session_key
        else ranked.session_key
    end as session_key,
    case
        when reason = 3 then 'synthetic'
        when reason = 4 then 'stale'
        when reason = 5 then 'inherited'
        when reason = 6 or owner_file_id is null then 'invalid'
        when place = 1 then 'counted'
        when reason = 2 then 'progress'
        when reason = 1 then 'copy'
        when ranked.log_file_id = owner_file_id then 'repeat'
        else 'copy'
    end as verdict,
    log_file.path,
    ranked.offset,
    ranked.operation_key,
    ranked.input_tokens,
    ranked.cache_write_5m_tokens + ranked.cache_write_1h_tokens as cache_write_tokens,
    ranked.cache_read_tokens,
    ranked.output_tokens
from ranked
inner join log_file on ranked.log_file_id = log_file.id
