-- Delete everything that a tombstone stands for; run statement by statement in one transaction.

-- What stands for each of them alone, should another session's log hold a copy.
insert or ignore into forgotten_operation
select operation.key
from operation
inner join forgotten_session on operation.session_key = forgotten_session.session_key
where
    coalesce(operation.started_at_ms, operation.ended_at_ms, 0) <= forgotten_session.until_ms;

-- How far logs of forgotten sessions were read: the state beside it holds their last words. Such a
-- log is read from its start when it grows.
create temporary table if not exists forgotten_file (log_file_id integer primary key);

delete from temp.forgotten_file;

insert or ignore into temp.forgotten_file
select log_file_id from operation where key in (select key from forgotten_operation)
union
select log_file_id from usage_line where operation_key in (select key from forgotten_operation)
union
select log_file_id from told_record
where session_key in (select session_key from forgotten_session)
union
select log_file_id from session where key in (select session_key from forgotten_session);

update log_file set
    offset = 0,
    head_length = 0,
    head_hash = x'',
    tail_hash = x'',
    is_tail_seen = 1,
    damage = 'forgotten'
where id in (select log_file_id from temp.forgotten_file);

delete from log_file_state where log_file_id in (select log_file_id from temp.forgotten_file);

-- The operations, and what hangs on them.
delete from operation_path where operation_key in (select key from forgotten_operation);

delete from operation_host where operation_key in (select key from forgotten_operation);

delete from stray_result where operation_key in (select key from forgotten_operation);

delete from usage_line where operation_key in (select key from forgotten_operation);

delete from session_spawn where call_key in (select key from forgotten_operation);

delete from operation where key in (select key from forgotten_operation);

update operation set prompt_key = null
where prompt_key in (select key from forgotten_operation);

-- Sessions; one that goes on behind its tombstone keeps its row.
create temporary table if not exists emptied_session (session_key integer primary key);

delete from temp.emptied_session;

insert into temp.emptied_session
select session_key from forgotten_session
except
select session_key from operation;

delete from usage_line where session_key in (select session_key from temp.emptied_session);

delete from told_record where session_key in (select session_key from temp.emptied_session);

delete from session_spawn where session_key in (select session_key from temp.emptied_session);

delete from session where key in (select session_key from temp.emptied_session);

update session set started_at_ms = forgotten_session.until_ms
from forgotten_session
where
    forgotten_session.session_key = session.key
    and session.started_at_ms < forgotten_session.until_ms;

-- Tags, and everything else that nothing refers to any more.
delete from manual_tag
where
    (kind = 'prompt' and key in (select key from forgotten_operation))
    or (kind = 'session' and key in (select session_key from temp.emptied_session));

delete from tag
where text_hash not in (select text_hash from operation where text_hash is not null);

delete from field_bag where id not in (select bag_id from operation);

delete from workspace
where id not in (select workspace_id from session where workspace_id is not null);

delete from path
where
    id not in (select path_id from operation_path)
    and id not in (
        select operation.object_id
        from operation
        inner join field_bag as bag on operation.bag_id = bag.id
        inner join name on bag.object_kind_id = name.id
        where name.text = 'path'
    );

delete from name
where
    id > 0
    and id not in (
        select operation.object_id
        from operation
        inner join field_bag as bag on operation.bag_id = bag.id
        inner join name as kind on bag.object_kind_id = kind.id
        where kind.text != 'path'
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
        union select tier_id from field_bag
        union select agent_type_id from session
        union select branch_id from session
        union select version_id from session
        union select host_id from operation_host
    );

-- Logs that are gone and of which nothing is left.
delete from temp.forgotten_file
where
    log_file_id in (select id from log_file where not gone)
    or log_file_id in (select log_file_id from operation)
    or log_file_id in (select log_file_id from session)
    or log_file_id in (select log_file_id from usage_line);

delete from bad_line where log_file_id in (select log_file_id from temp.forgotten_file);

delete from skipped_record where log_file_id in (select log_file_id from temp.forgotten_file);

delete from stray_result where log_file_id in (select log_file_id from temp.forgotten_file);

delete from told_record where log_file_id in (select log_file_id from temp.forgotten_file);

delete from log_file where id in (select log_file_id from temp.forgotten_file);
