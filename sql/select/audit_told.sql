-- One row per session and kind: how often logs told of prompts and calls, copies apart.
select
    told_record.session_key,
    told_record.op,
    told_record.is_copy,
    sum(told_record.records) as records
from told_record
group by told_record.session_key, told_record.op, told_record.is_copy
