-- Why was the prompt cache lost, and how many tokens had to be sent anew?
-- :project = null  only this project
select
    reason,
    agent,
    count(*) as misses,
    sum(missed_tokens) as missed_tokens,
    round(avg(pause_ms) / 60000.0, 1) as average_pause_minutes
from cache_misses
where :project is null or project = :project
group by reason, agent
order by missed_tokens desc
