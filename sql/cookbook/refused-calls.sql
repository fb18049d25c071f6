-- What did the person refuse or stop?
-- :project = null  only this project
select
    tool,
    action,
    coalesce(cmd, object) as what,
    sum(result = 'rejected') as refused,
    sum(result in ('interrupted', 'cancelled')) as stopped,
    project
from tool_calls
where
    result in ('rejected', 'interrupted', 'cancelled')
    and (:project is null or project = :project)
group by tool, action, what, project
order by refused + stopped desc, tool asc, what asc
