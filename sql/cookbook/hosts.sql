-- Which hosts are talked to, and by what?
-- :project = null  only this project
-- :limit = 15  how many
select
    domain,
    tool,
    cmd as program,
    count(*) as calls,
    sum(result = 'error') as errors,
    count(distinct session_id) as sessions
from network_events
where :project is null or project = :project
group by domain, tool, cmd
order by calls desc, domain asc, tool asc
limit :limit
