-- Which MCP servers are called, how often do they fail, and how much do they put into the context?
-- :project = null  only this project
select
    object as server,
    count(*) as calls,
    count(distinct tool) as tools,
    sum(result = 'error') as errors,
    sum(result_bytes) as bytes,
    sum(result_bytes) / 4 as about_tokens,
    round(sum(active_ms) / 1000.0, 1) as seconds
from tool_calls
where tool like 'mcp\_\_%' escape '\' and (:project is null or project = :project)
group by object
order by bytes desc, server asc
