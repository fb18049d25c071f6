-- One row per session, text and next step of its LLM calls: how many. The text only where rules
-- look at it. `next_phases` is select/next_phases.sql.
select
    operation.session_key,
    next_phases.next_phase,
    case when :with_texts then coalesce(operation.text, '') else '' end as answer,
    count(*) as answers
from next_phases
inner join operation on next_phases.id = operation.id
where
    (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
group by operation.session_key, next_phases.next_phase, answer
