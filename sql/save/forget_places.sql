-- A file that a newer parser reads again tells its paths anew.
delete from operation_path
where operation_key in (select key from operation where log_file_id = ?)
