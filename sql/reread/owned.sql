-- What those logs own when the pass begins: one scan, as no index leads from logs to operations.
create temporary table owned_operation (
    log_file_id integer not null,
    key integer not null,
    primary key (log_file_id, key)
) without rowid
