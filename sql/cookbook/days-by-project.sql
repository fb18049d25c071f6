-- What happened on each day in each project?
-- :project = null  only this project
-- :limit = 14  how many days and projects
select
    day,
    project,
    sum(sessions) as sessions,
    sum(prompts) as prompts,
    sum(tool_calls) as tool_calls,
    sum(failed_calls) as failed,
    sum(input_tokens + cache_write_tokens + cache_read_tokens + output_tokens) as tokens,
    round(sum(active_ms) / 60000.0, 1) as minutes
from daily
where :project is null or project = :project
group by day, project
order by day desc, tokens desc
limit :limit
