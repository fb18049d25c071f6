-- One row per project that a wish to forget is about: the folder of its root.
select distinct workspace.root
from temp.forgotten_now
inner join session on forgotten_now.session_key = session.key
inner join workspace on session.workspace_id = workspace.id
where workspace.root is not null
order by workspace.root
