-- Among some operations, those that an older parser read, each with the log that owns it.
select
    key,
    log_file_id
from operation
where key in (select value from json_each(:keys)) and parser_version < :parser_version
