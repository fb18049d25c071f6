-- Where a session was at home is what its first record says; one without a folder says nothing
-- while another one says it.
update session set
    owner_rank = :owner_rank,
    log_file_id = :log_file_id,
    workspace_id = :workspace_id,
    branch_id = :branch_id,
    version_id = :version_id
where
    key = :key
    and (
        workspace_id is null,
        owner_rank,
        (select path from log_file where id = session.log_file_id)
    ) > (
        :workspace_id is null,
        :owner_rank,
        (select path from log_file where id = :log_file_id)
    )
