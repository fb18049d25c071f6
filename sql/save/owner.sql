-- Give the owner unit of an operation to the record with the better claim: the lower rank, then
-- the earlier session id, path and offset; a newer parser's reading of the same file always wins.
update operation set
    owner_rank = :owner_rank,
    session_key = :session_key,
    prompt_key = :prompt_key,
    log_file_id = :log_file_id,
    offset = :offset,
    active_ms = :active_ms,
    idle_ms = :idle_ms,
    bag_id = :bag_id,
    object_id = :object_id,
    parser_version = :parser_version
where
    key = :key
    and (
        owner_rank > :owner_rank
        or (log_file_id = :log_file_id and parser_version < :parser_version)
        or (
            owner_rank = :owner_rank
            and (
                coalesce((select session_id from session where key = operation.session_key), ''),
                (select path from log_file where id = operation.log_file_id),
                offset
            ) > (
                coalesce((select session_id from session where key = :session_key), ''),
                (select path from log_file where id = :log_file_id),
                :offset
            )
        )
    )
