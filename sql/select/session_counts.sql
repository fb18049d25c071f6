-- One row per session that has operations: how many of each kind.
select
    operation.session_key,
    sum(operation.op = 0 and operation.origin < 4) as prompts,
    sum(operation.op = 1) as llm_calls,
    sum(operation.op = 2) as tool_calls,
    sum(operation.op = 2 and operation.result in (6, 7, 8, 9)) as failed_calls
from operation
group by operation.session_key
