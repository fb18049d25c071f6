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
    inner join session on manual_tag.key = session.key
    where manual_tag.kind = 'session'
),

-- The first that there is counts. One list, as SQLite would scan some of as many joined tables.
found as (
    select
        by_hand.key,
        by_hand.tag,
        1 as place
    from by_hand
    union all
    select
        tops.key,
        by_hand.tag,
        2 as place
    from tops
    inner join by_hand on tops.top_key = by_hand.key
    union all
    select
        weighed.session_key as key,
        weighed.task as tag,
        3 as place
    from weighed
    union all
    select
        tops.key,
        weighed.task as tag,
        4 as place
    from tops
    inner join weighed on tops.top_key = weighed.session_key
    union all
    select
        session.key,
        'untagged' as tag,
        5 as place
    from session
)

select
    key as session_key,
    tag
from (
    select
        found.key,
        found.tag,
        row_number() over (partition by found.key order by found.place) as rank
    from found
)
where rank = 1
