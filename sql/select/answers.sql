-- One row per session, prompt and text of its LLM calls: how many. The text only where rules look
-- at it.
select
    operation.session_key,
    operation.prompt_key,
    case when :with_texts then coalesce(operation.text, '') else '' end as answer,
    count(*) as answers
from operation
where
    operation.op = 1
    and (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
group by operation.session_key, operation.prompt_key, answer
