-- How often was a failed call tried again, or a call made for the third time and more, and did
-- that help?
-- :project = null  only this project
select
    action,
    count(*) as retries,
    sum(result = 'ok') as helped,
    sum(result in ('error', 'rejected', 'cancelled', 'interrupted')) as failed_again,
    round(sum(active_ms) / 1000.0, 1) as seconds
from repeats
where repeat in ('retry', 'loop') and (:project is null or project = :project)
group by action
order by retries desc, action asc
