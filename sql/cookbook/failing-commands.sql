-- Which commands fail most, and how often out of how many?
-- :project = null  only this project
-- :at_least = 1  errors at least
-- :limit = 15  how many commands
select
    cmd,
    action,
    count(*) as calls,
    sum(result = 'error') as errors,
    round(100.0 * sum(result = 'error') / count(*)) as error_percent,
    round(sum(case when result = 'error' then active_ms end) / 1000.0, 1) as seconds_failing
from tool_calls
where category = 'shell' and (:project is null or project = :project)
group by cmd, action
having errors >= :at_least
order by errors desc, error_percent desc, cmd asc
limit :limit
