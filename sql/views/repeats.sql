-- One row per tool call that came before in its session: again (nothing was written to its object
-- since), retry (it had failed) or loop (third time and more), with what the repetition cost.
-- result_tokens is an estimate: a token is about four bytes.
select
    tool_calls.operation_id,
    tool_calls.session_id,
    tool_calls.prompt_id,
    tool_calls.agent,
    tool_calls.project,
    tool_calls.task,
    tool_calls.subagent,
    tool_calls.started_at_ms,
    tool_calls.repeat,
    tool_calls.tool,
    tool_calls.action,
    tool_calls.object,
    tool_calls.command,
    tool_calls.result,
    tool_calls.active_ms,
    tool_calls.result_bytes,
    tool_calls.result_bytes / 4 as result_tokens
from tool_calls
where tool_calls.repeat is not null
