-- One row per response (an LLM call that its log gives a count for), with its tokens by component;
-- output_tokens include reasoning_tokens.
select
    operations.operation_id,
    operations.session_id,
    operations.prompt_id,
    operations.agent,
    operations.project,
    operations.task,
    operations.subagent,
    operations.skill,
    operations.model,
    operations.action,
    operations.result,
    operations.started_at_ms,
    operations.ended_at_ms,
    operations.active_ms,
    operations.input_tokens,
    operations.cache_write_tokens,
    operations.cache_read_tokens,
    operations.output_tokens,
    operations.reasoning_tokens,
    operations.input_tokens
    + operations.cache_write_tokens
    + operations.cache_read_tokens
    + operations.output_tokens as total_tokens,
    operations.quality,
    operations.log_path,
    operations.log_offset
from operations
where operations.op = 'llm' and operations.input_tokens is not null
