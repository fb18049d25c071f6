-- Where did an agent do the same thing three times and more?
-- :project = null  only this project
-- :limit = 15  how many loops
select
    project,
    tool,
    coalesce(cmd, object) as what,
    count(*) as times_after_the_second,
    sum(result = 'error') as errors,
    round(sum(active_ms) / 1000.0, 1) as seconds,
    max(task) as task,
    session_id
from tool_calls
where repeat = 'loop' and (:project is null or project = :project)
group by session_id, project, tool, what
order by times_after_the_second desc, seconds desc, session_id asc
limit :limit
