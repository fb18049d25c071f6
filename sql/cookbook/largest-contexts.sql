-- Which sessions grew the largest context, and in how many responses?
-- :project = null  only this project
-- :limit = 10  how many sessions
select
    project,
    agent,
    subagent,
    count(*) as responses,
    max(input_tokens + cache_write_tokens + cache_read_tokens) as largest_context,
    sum(total_tokens) as tokens,
    session_id
from responses
where total_tokens > 0 and (:project is null or project = :project)
group by session_id, project, agent, subagent
order by largest_context desc, session_id asc
limit :limit
