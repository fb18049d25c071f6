-- One row: an operation with its text, and where it stands.
select
    operation.id as operation_id,
    case operation.op when 0 then 'prompt' when 1 then 'answer' else 'command' end as kind,
    session.session_id,
    session.agent,
    projects.project,
    operation.started_at_ms,
    coalesce(manual_tag.tag, tag.tag) as tag,
    nullif(tool.text, '') as tool,
    log_file.path as log_path,
    operation."offset" as log_offset,
    operation.text
from operation
inner join session on operation.session_key = session.key
inner join field_bag as bag on operation.bag_id = bag.id
inner join name as tool on bag.tool_id = tool.id
inner join log_file on operation.log_file_id = log_file.id
left join session as parent on session.parent_key = parent.key
left join workspace on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
left join projects on workspace.root = projects.root
left join operation as prompt on operation.prompt_key = prompt.key
left join manual_tag on manual_tag.kind = 'prompt' and prompt.key = manual_tag.key
left join tag
    on
        prompt.text_hash = tag.text_hash
        and tag.kind = 'prompt'
        and tag.tagger_id = (
            select cast(meta.value as integer)
            from meta
            where meta.key = 'tagger_id'
        )
where operation.id = ?
