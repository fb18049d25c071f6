-- Which files were read most often, and how often again within one session?
-- :project = null  only this project
-- :limit = 10  how many files
select
    tool_calls.project,
    file_events.path as file,
    count(*) as reads,
    count(distinct tool_calls.session_id) as sessions,
    count(*) - count(distinct tool_calls.session_id) as reads_again,
    sum(tool_calls.result_bytes) as bytes
from file_events
inner join tool_calls on file_events.operation_id = tool_calls.operation_id
where
    file_events.access = 'read'
    and tool_calls.action = 'read'
    and (:project is null or tool_calls.project = :project)
group by tool_calls.project, file_events.path
order by reads desc, bytes desc, file asc
limit :limit
