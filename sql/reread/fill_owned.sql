insert into owned_operation (log_file_id, key)
select
    log_file_id,
    key
from operation
where log_file_id in (select id from reread_file)
