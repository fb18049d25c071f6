-- One row per agent, kind and version of record that is no operation, or unknown to us.
select
    log_file.agent,
    skipped_record.kind,
    skipped_record.version,
    skipped_record.is_unknown,
    sum(skipped_record.records) as records
from skipped_record
inner join log_file on skipped_record.log_file_id = log_file.id
group by log_file.agent, skipped_record.kind, skipped_record.version, skipped_record.is_unknown
order by log_file.agent, skipped_record.is_unknown, skipped_record.kind, skipped_record.version
