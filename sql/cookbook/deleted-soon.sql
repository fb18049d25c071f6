-- Which transcripts will Claude Code delete soon (30 days after their last change), and are they in
-- the database?
-- :days = 30  days that transcripts are kept
-- :within = 5  due within so many days
select
    date(modified_at_ms / 1000 + :days * 86400, 'unixepoch') as deleted_on,
    count(*) as transcripts,
    round(sum(size) / 1e6, 1) as megabytes,
    sum(pending_bytes > 0) as not_wholly_stored
from log_files
where
    agent = 'claude'
    and not gone
    and modified_at_ms / 1000 + :days * 86400 < unixepoch() + :within * 86400
group by deleted_on
order by deleted_on
