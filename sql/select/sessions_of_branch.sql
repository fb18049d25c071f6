-- One row per session that ran on a git branch, and per sub-agent of one.
select session.key
from session
inner join name as branch on session.branch_id = branch.id
left join session as parent on session.parent_key = parent.key
left join name as parent_branch on parent.branch_id = parent_branch.id
where coalesce(nullif(branch.text, ''), parent_branch.text) = ?
