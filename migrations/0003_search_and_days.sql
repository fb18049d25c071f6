-- Full-text search over prompts, commands and answers, and days in the database's zone.

-- The search index. It holds no text of its own and no places: for each run of three characters
-- the numbers of the operations that have it, a fifth of what an index with places takes
-- (docs/performance.md). A search compares what it finds with the texts, so an entry that has
-- become stale does no harm, and nothing here slows indexing down: `agentpprof search` fills it.
create virtual table search_text using fts5 (
    text,
    content = 'operation',
    content_rowid = 'id',
    tokenize = 'trigram',
    detail = none,
    columnsize = 0
);

-- One large run is written at once instead of many small ones that are merged later.
insert into search_text (search_text, rank) values ('hashsize', 16777216);

-- One row: operations up to this number are in the search index.
create table search_state (
    indexed_to_id integer not null
) strict;

insert into search_state (indexed_to_id) values (0);

-- One row per operation whose text has changed since it came into the search index.
create table search_changed (
    operation_id integer primary key
) strict;

create trigger search_text_changed after update of text on operation
when old.text is not new.text and old.id <= (select indexed_to_id from search_state)
begin
    insert or ignore into search_changed (operation_id) values (new.id);
end;

-- SQLite gives the number of a deleted last row away again.
create trigger search_text_gone after delete on operation
when old.id <= (select indexed_to_id from search_state)
begin
    update search_state set
        indexed_to_id = min(indexed_to_id, (select coalesce(max(id), 0) from operation));
end;

-- One row per stretch of time in which the database's zone has one offset, from 2020 to 2040.
create table zone_span (
    from_ms integer primary key,
    offset_ms integer not null
) strict;
