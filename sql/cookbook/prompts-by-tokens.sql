-- Which prompts burnt the most tokens, with what their sub-agents used?
-- :project = null  only this project
-- :limit = 10  how many prompts
-- :preview = 0  characters of the prompt shown too, for example 48
with recursive
asked as materialized (
    select *
    from prompts
),

-- One that no call started, such as for a compaction, works for the latest prompt before it.
started as materialized (
    select
        subagents.session_id,
        subagents.parent_session_id,
        coalesce(
            subagents.prompt_id,
            (
                select asked.prompt_id
                from asked
                where
                    asked.session_id = subagents.parent_session_id
                    and asked.started_at_ms <= subagents.started_at_ms
                order by asked.started_at_ms desc
                limit 1
            )
        ) as prompt_id
    from subagents
),

spent as materialized (
    select
        session_id,
        prompt_id,
        sum(total_tokens) as tokens
    from responses
    group by session_id, prompt_id
),

above as (
    select
        started.session_id as subagent_id,
        started.parent_session_id as session_id,
        started.prompt_id,
        1 as depth
    from started
    union all
    select
        above.subagent_id,
        started.parent_session_id,
        started.prompt_id,
        above.depth + 1 as depth
    from above
    inner join started on above.session_id = started.session_id
    where above.depth < 16
),

used as (
    select
        session_id,
        prompt_id,
        tokens,
        0 as subagent_tokens
    from spent
    union all
    select
        above.session_id,
        above.prompt_id,
        spent.tokens,
        spent.tokens as subagent_tokens
    from above
    inner join spent on above.subagent_id = spent.session_id
),

sums as materialized (
    select
        session_id,
        prompt_id,
        sum(tokens) as tokens,
        sum(subagent_tokens) as subagent_tokens
    from used
    group by session_id, prompt_id
)

select
    sums.tokens,
    sums.subagent_tokens,
    asked.project,
    asked.task,
    asked.outcome,
    datetime(
        asked.started_at_ms / 1000 + coalesce(
            (
                select zone_span.offset_ms / 1000
                from zone_span
                where zone_span.from_ms <= asked.started_at_ms
                order by zone_span.from_ms desc
                limit 1
            ), 0
        ), 'unixepoch'
    ) as started_at,
    sums.session_id,
    substr(replace(asked.text, char(10), ' '), 1, :preview) as prompt
from sums
inner join asked on sums.session_id = asked.session_id and sums.prompt_id = asked.prompt_id
where :project is null or asked.project = :project
order by sums.tokens desc, asked.prompt_id asc
limit :limit
