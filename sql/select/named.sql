-- One row per session, and per prompt of a person, whose id begins with a text.
select
    'session' as kind,
    session.key,
    session.session_id as id
from session
where substr(session.session_id, 1, length(:text)) = :text
union all
select
    'prompt' as kind,
    operation.key,
    operation.natural_id as id
from operation
where
    operation.op = 0
    and operation.origin < 4
    and substr(operation.natural_id, 1, length(:text)) = :text
order by id, kind
