-- Which hosts are talked to, and by what?
-- :limit = 15  how many
select
    network_events.domain,
    tool_calls.tool,
    tool_calls.cmd as program,
    count(*) as calls,
    sum(tool_calls.result = 'error') as failed,
    count(distinct network_events.session_id) as sessions
from network_events
inner join tool_calls on network_events.operation_id = tool_calls.operation_id
group by network_events.domain, tool_calls.tool, tool_calls.cmd
order by calls desc, network_events.domain asc, tool_calls.tool asc
limit :limit
