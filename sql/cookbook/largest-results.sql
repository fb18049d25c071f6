-- Which tool results filled the context most?
-- :project = null  only this project
-- :limit = 10  how many
select
    tool,
    coalesce(cmd, object) as what,
    count(*) as calls,
    sum(result_bytes) as bytes,
    max(result_bytes) as largest,
    sum(result_bytes) / 4 as about_tokens
from tool_calls
where result_bytes > 0 and (:project is null or project = :project)
group by tool, what
order by bytes desc, tool asc, what asc
limit :limit
