-- One row per session: the tag set by hand, else the task that most of its operations stand under,
-- untagged where nothing is. A sub-agent without such a task goes with the session it belongs to.
with recursive
climbed as (
    select
        session.key,
        session.parent_key as at_key,
        1 as depth
    from session
    where session.parent_key is not null
    union all
    select
        climbed.key,
        above.parent_key,
        climbed.depth + 1 as depth
    from climbed
    inner join session as above on climbed.at_key = above.key
    where climbed.depth < 16 and above.parent_key is not null
),

tops as materialized (
    select
        key,
        at_key as top_key
    from (
        select
            climbed.key,
            climbed.at_key,
            row_number() over (partition by climbed.key order by climbed.depth desc) as rank
        from climbed
        inner join session on climbed.at_key = session.key
    )
    where rank = 1
),

-- The order is that of tag_session in tagging/builtin.py: a test compares the two.
weighed as materialized (
    select
        session_key,
        task
    from (
        select
            prompt.session_key,
            prompt_tasks.task,
            row_number() over (
                partition by prompt.session_key
                order by
                    prompt_tasks.task = 'untagged',
                    prompt_tasks.task in ('follow', 'chat'),
                    count(*) desc,
                    prompt_tasks.task
            ) as place
        from operation
        inner join operation as prompt on operation.prompt_key = prompt.key
        inner join prompt_tasks on prompt.key = prompt_tasks.key
        where prompt.origin < 4
        group by prompt.session_key, prompt_tasks.task
    )
    where place = 1
),

by_hand as (
    select
        manual_tag.key,
        manual_tag.tag
    from manual_tag
    where manual_tag.kind = 'session'
)

select
    session.key as session_key,
    coalesce(own_hand.tag, top_hand.tag, own.task, of_top.task, 'untagged') as tag
from session
left join tops on session.key = tops.key
left join by_hand as own_hand on session.key = own_hand.key
left join by_hand as top_hand on tops.top_key = top_hand.key
left join weighed as own on session.key = own.session_key
left join weighed as of_top on tops.top_key = of_top.session_key
