-- Where did the time go: tools, the model, waiting for the person, silence?
-- :project = null  only this project
select
    project,
    round(sum(case when part = 'tool' then duration_ms else 0 end) / 60000.0, 1) as tool_minutes,
    round(sum(case when part = 'model' then duration_ms else 0 end) / 60000.0, 1) as model_minutes,
    round(sum(case when part = 'user' then duration_ms else 0 end) / 60000.0, 1) as person_minutes,
    round(sum(case when part = 'idle' then duration_ms else 0 end) / 60000.0, 1) as silent_minutes
from time_parts
where :project is null or project = :project
group by project
order by person_minutes desc
