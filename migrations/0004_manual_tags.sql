-- Tags set by hand: they beat every tagger. Keys come from natural ids, so they outlive re-reads.

-- One row per session or prompt that a person gave a tag.
create table manual_tag (
    kind text not null check (kind in ('session', 'prompt')),
    key integer not null,
    tag text not null,
    set_at_ms integer not null,
    primary key (kind, key)
) strict, without rowid;
