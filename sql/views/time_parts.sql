-- One row per operation and part of time; the parts of a thread sum to its wall clock.
select
    operation.id as operation_id,
    session.session_id,
    case operation.op when 0 then 'user' when 1 then 'model' else 'tool' end as part,
    operation.active_ms as duration_ms
from operation
inner join session on operation.session_key = session.key
where operation.active_ms > 0
union all
select
    operation.id as operation_id,
    session.session_id,
    'idle' as part,
    operation.idle_ms as duration_ms
from operation
inner join session on operation.session_key = session.key
where operation.idle_ms > 0
