-- One row per stretch of a log that could not be read.
select
    log_file.path,
    bad_line."offset",
    bad_line.length,
    bad_line.reason
from bad_line
inner join log_file on bad_line.log_file_id = log_file.id
