-- One row per field bag, names joined.
select
    bag.id,
    bag.op,
    phase.text as phase,
    action.text as action,
    object_kind.text as object_kind,
    skill.text as skill,
    repeat.text as repeat,
    tool.text as tool,
    category.text as category,
    cmd.text as cmd,
    effect.text as effect,
    process.text as process,
    model.text as model,
    tier.text as tier
from field_bag as bag
inner join name as phase on bag.phase_id = phase.id
inner join name as action on bag.action_id = action.id
inner join name as object_kind on bag.object_kind_id = object_kind.id
inner join name as skill on bag.skill_id = skill.id
inner join name as repeat on bag.repeat_id = repeat.id
inner join name as tool on bag.tool_id = tool.id
inner join name as category on bag.category_id = category.id
inner join name as cmd on bag.cmd_id = cmd.id
inner join name as effect on bag.effect_id = effect.id
inner join name as process on bag.process_id = process.id
inner join name as model on bag.model_id = model.id
inner join name as tier on bag.tier_id = tier.id
