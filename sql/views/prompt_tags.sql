-- One row per prompt, whoever wrote it: its own tag, set by hand or else by the tagger in meta, and
-- its place.

-- The linter's grammar takes the column offset for a clause. -- noqa: disable=LT02
select
    operation.key,
    operation.session_key,
    operation.origin,
    coalesce(operation.started_at_ms, 0) as started_at_ms,
    coalesce(manual_tag.tag, tag.tag, 'untagged') as tag,
    row_number() over (
        partition by operation.session_key
        order by operation.started_at_ms, operation.offset, operation.key
    ) as place
from operation
left join manual_tag on operation.key = manual_tag.key and manual_tag.kind = 'prompt'
left join tag
    on operation.text_hash = tag.text_hash
    and tag.kind = 'prompt'
    and tag.tagger_id = (select cast(value as integer) from meta where key = 'tagger_id')
where operation.op = 0
