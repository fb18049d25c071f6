-- One row per session with prompts: the tag set by hand, else the task that most of its operations
-- stand under.
select
    manual_tag.key as session_key,
    manual_tag.tag
from manual_tag
where manual_tag.kind = 'session'
union all
select
    session_key,
    task as tag
from (
    select
        prompt.session_key,
        prompt_tasks.task,
        row_number() over (
            partition by prompt.session_key
            order by
                prompt_tasks.task in ('follow', 'chat', 'untagged'),
                count(*) desc,
                prompt_tasks.task
        ) as place
    from operation
    inner join operation as prompt on operation.prompt_key = prompt.key
    inner join prompt_tasks on prompt.key = prompt_tasks.key
    where prompt.origin < 4
    group by prompt.session_key, prompt_tasks.task
)
where
    place = 1
    and session_key not in (
        select manual_tag.key
        from manual_tag
        where manual_tag.kind = 'session'
    )
