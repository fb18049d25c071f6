-- One row per operation whose text may hold what is looked for, newest first. Whether it does is
-- found out from the text itself: the index knows runs of three characters, not their places.
-- Shorter words are in no index, so all texts are looked through.
with found as (
    select search_text.rowid as id
    from search_text
    where search_text match :match
    union
    select search_changed.operation_id as id
    from search_changed
    where :by_index
    union
    select tail.id
    from operation as tail
    where
        :by_index
        and tail.id > (select search_state.indexed_to_id from search_state)
        and tail.text is not null
    union
    select scanned.id
    from operation as scanned
    where
        not :by_index
        and (instr(scanned.text, :word) or :has_case and instr(lower(scanned.text), :word))
)

-- Sessions are looked up only for a filter that was given: a common word has many candidates.
select operation.id
from found
inner join operation on found.id = operation.id
where
    (:op is null or operation.op = :op)
    and (:since_ms is null or operation.started_at_ms >= :since_ms)
    and (:until_ms is null or operation.started_at_ms < :until_ms)
    and (
        :agent is null
        or operation.session_key in (
            select session.key
            from session
            where instr(session.agent, :agent) = 1
        )
    )
    and (
        :session_id is null
        or operation.session_key in (
            select session.key
            from session
            where instr(session.session_id, :session_id)
        )
    )
    and (
        :project is null
        or operation.session_key in (
            select session.key
            from session
            left join session as parent on session.parent_key = parent.key
            inner join workspace
                on coalesce(session.workspace_id, parent.workspace_id) = workspace.id
            inner join projects on workspace.root = projects.root
            where projects.project = :project
        )
    )
    and (
        :tag is null
        or operation.prompt_key in (
            select prompt_tasks.key
            from prompt_tasks
            where prompt_tasks.task = :tag
        )
    )
order by operation.started_at_ms desc, operation.id desc
