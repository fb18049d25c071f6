-- One row per tool call, with what it was, what it did and what came back.
select
    operations.operation_id,
    operations.session_id,
    operations.prompt_id,
    operations.agent,
    operations.project,
    operations.task,
    operations.subagent,
    operations.skill,
    operations.started_at_ms,
    operations.ended_at_ms,
    operations.ended_at_ms - operations.started_at_ms as duration_ms,
    operations.active_ms,
    operations.tool,
    operations.category,
    operations.phase,
    operations.action,
    operations.object,
    operations.cmd,
    operations.command,
    operations.repeat,
    operations.result,
    operations.result_bytes,
    operations.log_path,
    operations.log_offset
from operations
where operations.op = 'tool'
