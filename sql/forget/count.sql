-- One row: how many operations, and prompts among them, a wish to forget is about.
select
    count(*) as operations,
    coalesce(sum(operation.op = 0), 0) as prompts
from operation
inner join temp.forgotten_now on operation.session_key = forgotten_now.session_key
where coalesce(operation.started_at_ms, operation.ended_at_ms, 0) <= forgotten_now.until_ms
