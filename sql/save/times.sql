-- The owner's durations only grow: a later read of its file knows more of an open call.
update operation set
    active_ms = max(active_ms, :active_ms),
    idle_ms = max(idle_ms, :idle_ms)
where
    key = :key
    and log_file_id = :log_file_id
    and owner_rank = :owner_rank
    and offset = :offset
