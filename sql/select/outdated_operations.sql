-- Among some operations, those that an older parser read from logs that are read again now.
select key from operation
where
    key in (select value from json_each(:keys))
    and parser_version < :parser_version
    and log_file_id in (select value from json_each(:log_file_ids))
