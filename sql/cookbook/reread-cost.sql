-- What did reading the same file again cost? Tokens are an estimate from the size of the result.
-- :project = null  only this project
-- :limit = 10  how many files
with reads as (
    select
        tool_calls.project,
        file_events.path,
        tool_calls.result_bytes,
        tool_calls.active_ms,
        row_number() over (
            partition by tool_calls.session_id, file_events.path
            order by tool_calls.started_at_ms, tool_calls.operation_id
        ) as time
    from file_events
    inner join tool_calls on file_events.operation_id = tool_calls.operation_id
    where file_events.access = 'read' and tool_calls.action = 'read'
)

select
    project,
    path as file,
    count(*) as rereads,
    sum(result_bytes) as bytes,
    sum(result_bytes) / 4 as about_tokens,
    round(sum(active_ms) / 1000.0, 1) as seconds
from reads
where time > 1 and (:project is null or project = :project)
group by project, path
order by bytes desc, file asc
limit :limit
