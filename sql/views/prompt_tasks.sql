-- One row per prompt: the task it counts under. A prompt that only goes on keeps the task before
-- it in its session; a sub-agent's prompt stands under the prompt that spawned the sub-agent.
with recursive
marked as (
    select
        *,
        max(case when tag != 'follow' then place end) over (
            partition by session_key
            order by place
        ) as from_place
    from prompt_tags
),

own as (
    select
        marked.key,
        marked.session_key,
        marked.origin,
        marked.started_at_ms,
        coalesce(source.tag, marked.tag) as task
    from marked
    left join marked as source
        on marked.session_key = source.session_key
        and marked.from_place = source.place
),

above as (
    select
        own.key,
        coalesce(
            (
                select min(call.prompt_key)
                from session_spawn
                inner join operation as call on session_spawn.call_key = call.key
                where session_spawn.session_key = own.session_key
            ),
            (
                select parent.key
                from prompt_tags as parent
                where
                    parent.session_key = session.parent_key
                    and parent.started_at_ms <= own.started_at_ms
                order by parent.place desc
                limit 1
            ),
            (
                select parent.key
                from prompt_tags as parent
                where parent.session_key = session.parent_key
                order by parent.place
                limit 1
            )
        ) as above_key
    from own
    inner join session on own.session_key = session.key
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
)

select
    climbed.key,
    own.task
from climbed
inner join own on climbed.at_key = own.key
where
    climbed.depth = (
        select max(deepest.depth)
        from climbed as deepest
        where deepest.key = climbed.key
    )
