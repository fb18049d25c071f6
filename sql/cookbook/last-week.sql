-- What changed: the last seven days of history against the seven days before?
-- :days = 7  how many days each side has
with newest as (
    select max(day) as day from daily
),

sides as (
    select
        daily.*,
        daily.input_tokens
        + daily.cache_write_tokens
        + daily.cache_read_tokens
        + daily.output_tokens as tokens,
        daily.day > date(newest.day, '-' || :days || ' days') as is_last
    from daily
    cross join newest
    where daily.day > date(newest.day, '-' || (2 * :days) || ' days')
)

select
    project,
    sum(case when is_last then 0 else prompts end) as prompts_before,
    sum(case when is_last then prompts else 0 end) as prompts_last,
    sum(case when is_last then 0 else tool_calls end) as calls_before,
    sum(case when is_last then tool_calls else 0 end) as calls_last,
    sum(case when is_last then 0 else failed_calls end) as failed_before,
    sum(case when is_last then failed_calls else 0 end) as failed_last,
    sum(case when is_last then 0 else tokens end) as tokens_before,
    sum(case when is_last then tokens else 0 end) as tokens_last
from sides
group by project
order by tokens_last desc, project asc
