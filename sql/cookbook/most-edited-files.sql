-- Which files do agents change most?
-- :project = null  only this project
-- :limit = 10  how many files
select
    project,
    path as file,
    sum(access = 'write') as writes,
    sum(access = 'create') as creations,
    sum(access in ('delete', 'move')) as deletions_and_moves,
    count(distinct session_id) as sessions
from file_events
where access != 'read' and (:project is null or project = :project)
group by project, path
order by writes + creations desc, file asc
limit :limit
