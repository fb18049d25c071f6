-- What a newer parser no longer finds in a file that it has read whole is no operation.
delete from operation
where
    log_file_id = :log_file_id and parser_version < :parser_version
    -- A record taken without its newline may stand behind what can be read now.
    and offset < :offset
