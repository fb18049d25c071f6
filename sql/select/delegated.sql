-- One row per call that started sub-agents: how much of its time their own records cover.
select
    session_spawn.call_key,
    sum(coalesce(child.active_ms, 0)) as covered_ms
from session_spawn
left join
    (
        select
            operation.session_key,
            sum(operation.active_ms) as active_ms
        from operation
        where
            operation.session_key in (select session_spawn.session_key from session_spawn)
            and operation.op != 0
        group by operation.session_key
    ) as child
    on session_spawn.session_key = child.session_key
group by session_spawn.call_key
