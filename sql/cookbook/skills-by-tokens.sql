-- Which skills and slash commands use the most tokens?
-- :project = null  only this project
select
    skill,
    count(distinct session_id) as sessions,
    count(*) as responses,
    sum(total_tokens) as tokens,
    sum(output_tokens) as output_tokens
from responses
where skill is not null and (:project is null or project = :project)
group by skill
order by tokens desc, skill asc
