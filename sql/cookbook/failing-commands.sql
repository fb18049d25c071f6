-- Which commands fail most, and how often out of how many?
-- :project = null  only this project
-- :at_least = 1  failures at least
-- :limit = 15  how many commands
select
    cmd,
    action,
    count(*) as calls,
    sum(result = 'error') as failed,
    round(100.0 * sum(result = 'error') / count(*)) as failed_percent,
    round(sum(case when result = 'error' then active_ms end) / 1000.0, 1) as seconds_failing
from tool_calls
where category = 'shell' and (:project is null or project = :project)
group by cmd, action
having failed >= :at_least
order by failed desc, failed_percent desc, cmd asc
limit :limit
