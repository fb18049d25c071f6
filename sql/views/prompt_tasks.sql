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
        on
            marked.session_key = source.session_key
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

-- Prompts of sub-agents among those of their parents, in the order of time.
side_by_side as (
    select
        own.key,
        session.parent_key,
        own.started_at_ms,
        1 as is_of_child,
        null as place
    from own
    inner join session on own.session_key = session.key
    where own.origin = 4 and session.parent_key is not null
    union all
    select
        own.key,
        own.session_key as parent_key,
        own.started_at_ms,
        0 as is_of_child,
        own.place
    from own
),

-- The parent's latest prompt before the sub-agent's, else its first one.
guessed as materialized (
    select
        key,
        parent_key,
        coalesce(place_before, first_place) as place
    from (
        select
            key,
            parent_key,
            is_of_child,
            max(place) over (
                partition by parent_key
                order by started_at_ms, is_of_child
                rows unbounded preceding
            ) as place_before,
            min(place) over (partition by parent_key) as first_place
        from side_by_side
    ) as placed
    where is_of_child
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
        on
            guessed.parent_key = parent.session_key
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
        climbed.depth + 1 as depth
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
