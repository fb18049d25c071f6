-- One row per text of prompts that a tagger has not tagged: its hash, and a prompt that holds it.
select
    operation.text_hash,
    min(operation.key) as prompt_key
from operation
where
    operation.op = 0
    and not exists (
        select 1
        from tag
        where
            tag.tagger_id = (
                select tagger.id from tagger where tagger.definition_hash = :definition_hash
            )
            and tag.kind = 'prompt'
            and tag.text_hash = operation.text_hash
    )
group by operation.text_hash
