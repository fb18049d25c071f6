-- Insert a session, or widen its span; sql/save/session_owner.sql decides the rest.
insert into session (
    key, agent, session_id, parent_key, agent_type_id, owner_rank, log_file_id,
    workspace_id, branch_id, version_id, started_at_ms, ended_at_ms
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (key) do update set
    parent_key = coalesce(parent_key, excluded.parent_key),
    agent_type_id = case
        when agent_type_id = excluded.agent_type_id then agent_type_id
        when (select text from name where id = agent_type_id)
            > (select text from name where id = excluded.agent_type_id)
            then agent_type_id
        else excluded.agent_type_id
    end,
    started_at_ms = min(
        coalesce(started_at_ms, excluded.started_at_ms),
        coalesce(excluded.started_at_ms, started_at_ms)
    ),
    ended_at_ms = max(
        coalesce(ended_at_ms, excluded.ended_at_ms),
        coalesce(excluded.ended_at_ms, ended_at_ms)
    )
