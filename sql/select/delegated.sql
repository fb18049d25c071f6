-- One row per call that started sub-agents: how much of its time their own records cover, in
-- milliseconds. An operation's time ends where it ends; what lies outside the call covers none of
-- it: a sub-agent may go on in the background, or be taken up again by a later call.
select
    session_spawn.call_key,
    sum(
        max(
            0,
            min(
                coalesce(work.ended_at_ms, work.started_at_ms),
                coalesce(call.ended_at_ms, work.ended_at_ms, work.started_at_ms)
            )
            - max(
                call.started_at_ms,
                coalesce(work.ended_at_ms, work.started_at_ms) - work.active_ms
            )
        )
    ) as covered_ms
from operation as work
inner join session_spawn on work.session_key = session_spawn.session_key
inner join operation as call on session_spawn.call_key = call.key
where
    work.session_key in (select session_spawn.session_key from session_spawn)
    and work.op != 0
    and work.active_ms > 0
    and coalesce(work.ended_at_ms, work.started_at_ms) is not null
    and call.started_at_ms is not null
group by session_spawn.call_key
