-- One row per log file ever read, and how far.
select
    log_file.path,
    log_file.agent,
    log_file.size,
    log_file.offset,
    log_file.size - log_file.offset as pending_bytes,
    log_file.mtime_ns / 1000000 as modified_at_ms,
    log_file.gone,
    log_file.damage
from log_file
