-- Which files do agents change most?
-- :limit = 10  how many files
select
    file_events.path,
    sum(file_events.access = 'write') as writes,
    sum(file_events.access = 'create') as creations,
    sum(file_events.access in ('delete', 'move')) as deletions_and_moves,
    count(distinct file_events.session_id) as sessions
from file_events
where file_events.access != 'read'
group by file_events.path
order by writes + creations desc, file_events.path asc
limit :limit
