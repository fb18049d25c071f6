-- One row per LLM call with a text, the newest first: number and text.
select
    operation.id,
    operation.text
from operation
where
    operation.op = 1
    and operation.text != ''
    and operation.session_key in (
        select chosen.value from json_each(:session_keys) as chosen
    )
    and (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
order by operation.started_at_ms desc, operation.id desc
