-- One row per project root; two roots of one name are told apart by their parent's name.
select
    workspace.root,
    case
        when count(*) over (partition by workspace.project) > 1 and workspace.parent != ''
            then workspace.parent || '/' || workspace.project
        else workspace.project
    end as project
from (
    select distinct
        root,
        project,
        parent
    from workspace
) as workspace
