-- What did reading the same file again cost? Tokens are an estimate from the size of the result.
-- :project = null  only this project
-- :limit = 10  how many files
with reads as (
    select
        *,
        row_number() over (
            partition by session_id, path
            order by started_at_ms, operation_id
        ) as time
    from file_events
    where access = 'read' and action = 'read'
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
