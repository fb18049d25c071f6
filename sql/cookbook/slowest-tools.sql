-- Which tools and programs take the most time?
-- :project = null  only this project
-- :limit = 15  how many
select
    tool,
    cmd as program,
    count(*) as calls,
    round(sum(active_ms) / 1000.0, 1) as seconds,
    round(avg(active_ms) / 1000.0, 2) as average_seconds,
    round(max(active_ms) / 1000.0, 1) as longest_seconds
from tool_calls
where :project is null or project = :project
group by tool, cmd
order by seconds desc, tool asc
limit :limit
