-- One row per tagger, kind of text and text: its tag.
select
    tagger.name as tagger,
    tag.kind,
    tag.text_hash,
    tag.tag,
    tag.created_at_ms
from tag
inner join tagger on tag.tagger_id = tagger.id
