-- Which files were read most often, and how often again within one session?
-- :project = null  only this project
-- :limit = 10  how many files
select
    project,
    path as file,
    count(*) as reads,
    count(distinct session_id) as sessions,
    count(*) - count(distinct session_id) as reads_again,
    sum(result_bytes) as bytes
from file_events
where
    access = 'read'
    and action = 'read'
    and (:project is null or project = :project)
group by project, path
order by reads desc, bytes desc, file asc
limit :limit
