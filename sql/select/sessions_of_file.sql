-- One row per session that a log file tells of, also where another file owns what it tells.
select session.key
from session
inner join log_file on session.log_file_id = log_file.id
where log_file.path = ?1
union
select operation.session_key
from operation
inner join log_file on operation.log_file_id = log_file.id
where log_file.path = ?1
union
select usage_line.session_key
from usage_line
inner join log_file on usage_line.log_file_id = log_file.id
where log_file.path = ?1
