-- Join what came back for one call, apart from it, into the call's row.
update operation set
    result = max(operation.result, stray.result),
    ended_at_ms = max(
        coalesce(operation.ended_at_ms, stray.ended_at_ms),
        coalesce(stray.ended_at_ms, operation.ended_at_ms)
    ),
    result_bytes = max(coalesce(operation.result_bytes, 0), stray.result_bytes)
from
    (
        select
            max(result) as result,
            max(ended_at_ms) as ended_at_ms,
            max(result_bytes) as result_bytes
        from stray_result
        where operation_key = :key
        having count(*) > 0
    ) as stray
where operation.key = :key
