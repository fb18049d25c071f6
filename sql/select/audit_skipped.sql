-- One row per agent, kind and version of record that is no operation, or unknown to us: of all
-- logs, or of those that tell of some sessions (a JSON list of keys).
select
    log_file.agent,
    skipped_record.kind,
    skipped_record.version,
    skipped_record.is_unknown,
    sum(skipped_record.records) as records
from skipped_record
inner join log_file on skipped_record.log_file_id = log_file.id
where
    :session_keys is null
    or log_file.id in (
        select session.log_file_id
        from json_each(:session_keys) as chosen
        inner join session on chosen.value = session.key
        union
        select told_record.log_file_id
        from json_each(:session_keys) as chosen
        inner join told_record on chosen.value = told_record.session_key
    )
group by log_file.agent, skipped_record.kind, skipped_record.version, skipped_record.is_unknown
order by log_file.agent, skipped_record.is_unknown, skipped_record.kind, skipped_record.version
