-- Keep a result whose call is not live; it waits for the call's row.
insert into stray_result (operation_key, log_file_id, result, ended_at_ms, result_bytes)
values (?, ?, ?, ?, ?)
on conflict do update set
    result = max(result, excluded.result),
    ended_at_ms = max(
        coalesce(ended_at_ms, excluded.ended_at_ms),
        coalesce(excluded.ended_at_ms, ended_at_ms)
    ),
    result_bytes = max(result_bytes, excluded.result_bytes)
