-- What a newer parser no longer finds in a file that it has read whole.
select key from operation
where
    key in (select key from owned_operation where log_file_id = :log_file_id)
    and log_file_id = :log_file_id
    and parser_version < :parser_version
    -- A record taken without its newline may stand behind what can be read now.
    and offset < :offset
