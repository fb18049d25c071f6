-- The sessions that a wish to forget is about: chosen ones with all their sub-agents, each with the
-- time up to which. One that goes on behind that time keeps what comes later; one without times was
-- not before any.
with recursive chosen (session_key) as (
    select session.key
    from session
    left join workspace on session.workspace_id = workspace.id
    where
        (:session_id is null or session.session_id = :session_id)
        and (:root is null or workspace.root = :root)
        and (:before_ms is null or session.started_at_ms < :before_ms)
    union
    select session.key
    from session
    inner join chosen on session.parent_key = chosen.session_key
)

insert or replace into temp.forgotten_now (session_key, until_ms)
select
    chosen.session_key,
    max(
        :until_ms,
        iif(:before_ms is null, coalesce(session.ended_at_ms, 0), 0),
        coalesce((
            select forgotten_session.until_ms
            from forgotten_session
            where forgotten_session.session_key = chosen.session_key
        ), 0)
    )
from chosen
inner join session on chosen.session_key = session.key
