-- One row per prompt in a JSON list of keys: its text, and the slash command or skill it started.
select
    operation.key,
    operation.text,
    skill.text as skill
from operation
inner join field_bag as bag on operation.bag_id = bag.id
inner join name as skill on bag.skill_id = skill.id
where operation.key in (select given.value from json_each(?) as given)
