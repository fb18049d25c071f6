-- One row: how many of the sessions that a wish to forget is about are sub-agents of known ones.
select count(*) as subagents
from temp.forgotten_now
inner join session on forgotten_now.session_key = session.key
inner join session as parent on session.parent_key = parent.key
