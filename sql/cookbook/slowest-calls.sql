-- Which single calls took longest?
-- :project = null  only this project
-- :limit = 10  how many calls
select
    round(active_ms / 1000.0, 1) as seconds,
    project,
    tool,
    coalesce(cmd, object) as what,
    result,
    datetime(
        tool_calls.started_at_ms / 1000 + coalesce(
            (
                select zone_span.offset_ms / 1000
                from zone_span
                where zone_span.from_ms <= tool_calls.started_at_ms
                order by zone_span.from_ms desc
                limit 1
            ), 0
        ), 'unixepoch'
    ) as started_at,
    session_id
from tool_calls
where :project is null or project = :project
order by active_ms desc, operation_id asc
limit :limit
