-- One row per prompt: the task it counts under. A prompt that only goes on keeps the task before
-- it in its session; a sub-agent's prompt stands under the prompt that spawned the sub-agent.
with recursive
marked as materialized (
    select
        *,
        max(case when tag != 'follow' then place end) over (
            partition by session_key
            order by place
        ) as from_place
    from prompt_tags
),

own as materialized (
    select
        marked.key,
        marked.session_key,
        marked.origin,
        marked.started_at_ms,
        marked.place,
        coalesce(nullif(source.tag, 'untagged'), marked.tag) as task
    from marked
    left join marked as source
        on marked.session_key = source.session_key
        and marked.from_place = source.place
),

spawning as materialized (
    select
        session_spawn.session_key,
        min(call.prompt_key) as prompt_key
    from session_spawn
    inner join operation as call on session_spawn.call_key = call.key
    group by session_spawn.session_key
),

-- The parent's latest prompt before the sub-agent's, else its first one.
guessed as materialized (
    select
        own.key,
        session.parent_key,
        coalesce(
            max(case when parent.started_at_ms <= own.started_at_ms then parent.place end),
            min(parent.place)
        ) as place
    from own
    inner join session on own.session_key = session.key
    inner join own as parent on session.parent_key = parent.session_key
    where own.origin = 4
    group by own.key
),

above as materialized (
    select
        own.key,
        coalesce(spawning.prompt_key, parent.key) as above_key
    from own
    inner join session on own.session_key = session.key
    left join spawning on own.session_key = spawning.session_key
    left join guessed on own.key = guessed.key
    left join own as parent
        on guessed.parent_key = parent.session_key
        and guessed.place = parent.place
    where own.origin = 4 and session.parent_key is not null
),

climbed as (
    select
        own.key,
        own.key as at_key,
        0 as depth
    from own
    union all
    select
        climbed.key,
        above.above_key,
        climbed.depth + 1
    from climbed
    inner join above on climbed.at_key = above.key
    where climbed.depth < 16 and above.above_key is not null
),

highest as (
    select
        climbed.key,
        climbed.at_key,
        row_number() over (partition by climbed.key order by climbed.depth desc) as rank
    from climbed
    inner join own on climbed.at_key = own.key
)

select
    highest.key,
    own.task
from highest
inner join own on highest.at_key = own.key
where highest.rank = 1
