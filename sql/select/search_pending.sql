-- One row: how many texts the search index lacks, and the number of the last operation.
select
    (
        select count(*)
        from operation
        where
            operation.id > (select search_state.indexed_to_id from search_state)
            and operation.text is not null
    ) + (select count(*) from search_changed) as pending,
    coalesce((select max(operation.id) from operation), 0) as last_id,
    (select search_state.indexed_to_id from search_state) as indexed_to_id
