-- Which types of sub-agents use the most tokens, and how much do they give back?
-- :project = null  only this project
select
    subagent,
    agent,
    count(*) as runs,
    sum(total_tokens) as tokens,
    sum(total_tokens) / count(*) as tokens_a_run,
    sum(tool_calls) as tool_calls,
    round(avg(duration_ms) / 1000.0, 1) as average_seconds,
    sum(result_bytes) as bytes_given_back
from subagents
where :project is null or project = :project
group by subagent, agent
order by tokens desc, subagent asc
