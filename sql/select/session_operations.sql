-- One row per operation of a session, in the order of its log; texts are people's own.
select
    operation.op,
    operation.started_at_ms,
    operation.result,
    operation.origin,
    operation.text_hash,
    manual_tag.tag as hand_tag,
    tool.text as tool,
    model.text as model,
    substr(operation.text, 1, :preview) as preview
from operation
inner join field_bag as bag on operation.bag_id = bag.id
inner join name as tool on bag.tool_id = tool.id
inner join name as model on bag.model_id = model.id
left join manual_tag on operation.key = manual_tag.key and manual_tag.kind = 'prompt'
where operation.session_key = :session_key
order by operation.log_file_id, operation.offset, operation.op
