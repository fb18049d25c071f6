-- One row per day in the database's zone, project and agent: what was done and what it took.
select
    date(days.day * 86400, 'unixepoch') as day,
    projects.project,
    session.agent,
    count(distinct days.session_key) as sessions,
    sum(days.prompts) as prompts,
    sum(days.responses) as responses,
    sum(days.tool_calls) as tool_calls,
    sum(days.failed_calls) as failed_calls,
    coalesce(sum(days.input_tokens), 0) as input_tokens,
    coalesce(sum(days.cache_write_tokens), 0) as cache_write_tokens,
    coalesce(sum(days.cache_read_tokens), 0) as cache_read_tokens,
    coalesce(sum(days.output_tokens), 0) as output_tokens,
    sum(days.active_ms) as active_ms
from (
    select
        operation.session_key,
        (
            operation.started_at_ms + (
                select zone_span.offset_ms
                from zone_span
                where zone_span.from_ms <= operation.started_at_ms
                order by zone_span.from_ms desc
                limit 1
            )
        ) / 86400000 as day,
        sum(operation.op = 0 and operation.origin < 4) as prompts,
        sum(operation.op = 1 and operation.input_tokens is not null) as responses,
        sum(operation.op = 2) as tool_calls,
        sum(operation.op = 2 and operation.result in (6, 7, 8, 9)) as failed_calls,
        sum(operation.input_tokens) as input_tokens,
        sum(
            operation.cache_write_5m_tokens + operation.cache_write_1h_tokens
        ) as cache_write_tokens,
        sum(operation.cache_read_tokens) as cache_read_tokens,
        sum(operation.output_tokens) as output_tokens,
        sum(case when operation.op > 0 then operation.active_ms else 0 end) as active_ms
    from operation
    where operation.started_at_ms is not null
    group by operation.session_key, day
) as days
inner join session on days.session_key = session.key
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
group by days.day, projects.project, session.agent
