-- What could be read of a damaged database is made whole: each row's references lead somewhere.
-- Rows that lack something are dropped where their log is there to tell of them once more, and get
-- stand-ins where it is gone. Then every log is to be read again from its start.
create temporary table lost_name (id integer primary key);

insert or ignore into temp.lost_name (id)
select agent_type_id from session
union select branch_id from session
union select version_id from session
union select host_id from operation_host
union select phase_id from field_bag
union select action_id from field_bag
union select object_kind_id from field_bag
union select skill_id from field_bag
union select repeat_id from field_bag
union select tool_id from field_bag
union select category_id from field_bag
union select cmd_id from field_bag
union select effect_id from field_bag
union select process_id from field_bag
union select model_id from field_bag
union select tier_id from field_bag;

delete from temp.lost_name where id in (select id from name);

create temporary table lacking_bag (id integer primary key);

insert or ignore into temp.lacking_bag (id)
select bag_id from operation where bag_id not in (select id from field_bag)
union
select id from field_bag
where
    phase_id in (select id from temp.lost_name)
    or action_id in (select id from temp.lost_name)
    or object_kind_id in (select id from temp.lost_name)
    or skill_id in (select id from temp.lost_name)
    or repeat_id in (select id from temp.lost_name)
    or tool_id in (select id from temp.lost_name)
    or category_id in (select id from temp.lost_name)
    or cmd_id in (select id from temp.lost_name)
    or effect_id in (select id from temp.lost_name)
    or process_id in (select id from temp.lost_name)
    or model_id in (select id from temp.lost_name)
    or tier_id in (select id from temp.lost_name);

delete from operation
where
    log_file_id in (select id from log_file where not gone)
    and (
        bag_id in (select id from temp.lacking_bag)
        or object_id not in (select id from path union select id from name)
    );

delete from session
where
    log_file_id in (select id from log_file where not gone)
    and (
        agent_type_id in (select id from temp.lost_name)
        or branch_id in (select id from temp.lost_name)
        or version_id in (select id from temp.lost_name)
        or workspace_id not in (select id from workspace)
    );

insert or ignore into field_bag
select
    null, op, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
from operation
where bag_id not in (select id from field_bag)
group by op;

update operation set
    object_id = 0,
    bag_id = (
        select field_bag.id from field_bag
        where
            field_bag.op = operation.op
            and (
                phase_id, action_id, object_kind_id, skill_id, repeat_id, tool_id,
                category_id, cmd_id, effect_id, process_id, model_id, tier_id
            ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    )
where bag_id not in (select id from field_bag);

insert or ignore into name (id, text)
select id, 'lost-name-' || id from temp.lost_name
union
select object_id, 'lost-name-' || object_id from operation
where object_id not in (select id from path union select id from name);

insert or ignore into path (id, path)
select path_id, 'lost-path-' || path_id from operation_path
where path_id not in (select id from path);

update session set workspace_id = null
where workspace_id not in (select id from workspace);

insert or ignore into log_file (
    id, path, agent, device, inode, size, mtime_ns, ctime_ns,
    offset, head_length, head_hash, tail_hash, parser_version, gone
)
select
    log_file_id, 'lost-log-' || log_file_id, 'claude', 0, 0, 0, 0, 0, 0, 0, x'', x'', 1, 1
from (
    select log_file_id from operation
    union select log_file_id from session
    union select log_file_id from usage_line
)
where log_file_id not in (select id from log_file);

insert or ignore into session (
    key, agent, session_id, agent_type_id, owner_rank, log_file_id, branch_id, version_id,
    started_at_ms, ended_at_ms
)
select
    operation.session_key,
    log_file.agent,
    'lost-session-' || operation.session_key,
    0,
    4611686018427387904,
    operation.log_file_id,
    0,
    0,
    min(operation.started_at_ms),
    max(operation.ended_at_ms)
from operation
inner join log_file on operation.log_file_id = log_file.id
where log_file.gone and operation.session_key not in (select key from session)
group by operation.session_key;

delete from tag where tagger_id not in (select id from tagger);

delete from operation_path where operation_key not in (select key from operation);

delete from operation_host where operation_key not in (select key from operation);

update log_file set
    offset = 0, head_length = 0, head_hash = x'', tail_hash = x'', mtime_ns = -1, is_tail_seen = 0;
