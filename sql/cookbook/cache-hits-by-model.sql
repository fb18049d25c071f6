-- How much of what each model read came from the prompt cache?
-- :project = null  only this project
select
    model,
    count(*) as responses,
    sum(input_tokens) as input_tokens,
    sum(cache_write_tokens) as cache_write_tokens,
    sum(cache_read_tokens) as cache_read_tokens,
    sum(output_tokens) as output_tokens,
    round(
        100.0 * sum(cache_read_tokens)
        / nullif(sum(input_tokens + cache_write_tokens + cache_read_tokens), 0), 1
    ) as from_cache_percent
from responses
where total_tokens > 0 and (:project is null or project = :project)
group by model
order by cache_read_tokens desc, model asc
