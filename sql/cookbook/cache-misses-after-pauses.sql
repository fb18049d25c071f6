-- Which pauses were the most expensive? After five minutes, or an hour, the prompt cache is gone.
-- :project = null  only this project
-- :limit = 10  how many pauses
select
    project,
    agent,
    model,
    datetime(
        cache_misses.started_at_ms / 1000 + coalesce(
            (
                select zone_span.offset_ms / 1000
                from zone_span
                where zone_span.from_ms <= cache_misses.started_at_ms
                order by zone_span.from_ms desc
                limit 1
            ), 0
        ), 'unixepoch'
    ) as went_on_at,
    round(pause_ms / 60000.0) as pause_minutes,
    expected_tokens,
    missed_tokens
from cache_misses
where reason like 'pause%' and (:project is null or project = :project)
order by missed_tokens desc, operation_id asc
limit :limit
