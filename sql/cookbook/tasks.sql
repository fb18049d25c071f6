-- What is the agent used for, and what does a prompt of each kind take?
-- :project = null  only this project
select
    prompted.task,
    prompted.prompts,
    prompted.not_answered,
    used.tokens,
    used.tokens / prompted.prompts as tokens_a_prompt
from (
    select
        task,
        count(*) as prompts,
        sum(outcome in ('failed', 'interrupted')) as not_answered
    from prompts
    where :project is null or project = :project
    group by task
) as prompted
left join (
    select
        task,
        sum(total_tokens) as tokens
    from responses
    where :project is null or project = :project
    group by task
) as used on prompted.task = used.task
order by used.tokens desc, prompted.task asc
