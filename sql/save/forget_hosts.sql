-- A file that a newer parser reads again tells its hosts anew.
delete from operation_host
where operation_key in (select key from operation where log_file_id = ?)
