-- Give a stored sub-agent the type that the file beside its log tells; as in session.sql, the
-- later one by text is kept.
update session set agent_type_id = told.id
from (select name.id, name.text from name where name.id = ?) as told
where
    session.key = ?
    and told.text > (select name.text from name where name.id = session.agent_type_id)
