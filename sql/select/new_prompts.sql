-- One row per prompt behind the last one seen whose text a tagger has not tagged.
select
    operation.text_hash,
    operation.key
from operation
where
    operation.id > :last_id
    and operation.id <= :newest_id
    and operation.op = 0
    and operation.text_hash is not null
    and not exists (
        select 1
        from tag
        inner join tagger on tag.tagger_id = tagger.id
        where
            tagger.definition_hash = :definition_hash
            and tag.kind = 'prompt'
            and tag.text_hash = operation.text_hash
    )
