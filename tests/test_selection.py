"""Which sessions a profile is made of."""

import pytest

from agentpprof.errors import NothingFoundError
from agentpprof.models import PromptRow, SessionInfo
from agentpprof.profile.selection import (
    Selection,
    choose_sessions,
    home_of,
    name_of_root,
    newest_sessions,
    project_names,
    tasks_of_sessions,
    top_of,
    with_tag,
)


def session(key: int, **fields: object) -> SessionInfo:
    plain = SessionInfo(
        key,
        "claude",
        f"id-{key}",
        None,
        "",
        "/p/shop/src",
        "/p/shop",
        "shop",
        "p",
        100,
        200,
        None,
        None,
    )
    return plain._replace(**fields)


SESSIONS = [
    session(1),
    session(2, agent="codex", root="/p/docs", cwd="/p/docs", project="docs", ended_at_ms=900),
    session(3, parent_key=1, root=None, cwd=None, session_id="id-1/agent"),
    session(4, started_at_ms=None, ended_at_ms=None),
]


def chosen(**selection: object) -> list[int]:
    return [each.key for each in choose_sessions(SESSIONS, Selection(**selection))]


@pytest.mark.parametrize(
    ("selection", "keys"),
    [
        ({}, [1, 2, 3, 4]),
        ({"project_root": "/p/shop"}, [1, 3, 4]),
        ({"project_root": "/p/shop/src"}, [1, 3, 4]),
        ({"project_root": "/p"}, [1, 2, 3, 4]),
        ({"project_root": "/"}, [1, 2, 3, 4]),
        ({"project_root": "/p/sho"}, []),
        ({"agent": "co"}, [2]),
        ({"agent": "c"}, [1, 2, 3, 4]),
        ({"session_id": "d-1"}, [1, 3]),
        ({"since_ms": 201}, [2]),
        ({"since_ms": 200}, [1, 2, 3]),
        ({"until_ms": 100}, []),
        ({"until_ms": 101}, [1, 2, 3]),
        ({"session_keys": frozenset({2, 3})}, [2, 3]),
        ({"session_keys": frozenset()}, []),
    ],
)
def test_every_selector_narrows(selection: dict[str, object], keys: list[int]) -> None:
    assert chosen(**selection) == keys


def test_the_newest_sessions_keep_their_sub_agents() -> None:
    every = {each.key: each for each in SESSIONS}
    newest = [each.key for each in newest_sessions(SESSIONS, every, 2)]
    assert newest == [1, 2, 3]
    assert newest_sessions(SESSIONS, every, None) == SESSIONS


def test_a_sub_agent_without_a_folder_has_its_parents() -> None:
    every = {each.key: each for each in SESSIONS}
    assert home_of(every[3], every).key == 1
    assert top_of(every[3], every).key == 1


def test_a_loop_of_parents_ends() -> None:
    loop = {1: session(1, parent_key=2, root=None), 2: session(2, parent_key=1, root=None)}
    assert home_of(loop[1], loop).key in loop
    assert top_of(loop[1], loop).key in loop


def test_tags_choose_sessions_and_sub_agents_go_with_theirs() -> None:
    every = {each.key: each for each in SESSIONS}
    prompts = [PromptRow(10, 1, 0, 0, 0, 0), PromptRow(20, 2, 0, 0, 0, 0)]
    tasks = tasks_of_sessions(every, prompts, {10: "debug", 20: "docs"})
    assert tasks == {1: {"debug"}, 2: {"docs"}, 3: {"debug"}, 4: set()}
    kept = with_tag(SESSIONS, tasks, "prompt", "debug")
    assert [each.key for each in kept] == [1, 3]
    with pytest.raises(NothingFoundError, match=r"no prompt .* 'plan'; the tags are debug, docs"):
        with_tag(SESSIONS, tasks, "prompt", "plan")
    with pytest.raises(NothingFoundError, match="none has any tag"):
        with_tag(SESSIONS, {}, "session", "plan")


def test_two_projects_of_one_name_are_told_apart() -> None:
    twins = [session(1), session(2, root="/q/shop", parent_folder="q"), session(3, root="/p/one")]
    twins[2] = twins[2]._replace(project="one")
    assert project_names(twins) == {"/p/shop": "p/shop", "/q/shop": "q/shop", "/p/one": "one"}


def test_a_root_is_called_by_its_folder() -> None:
    assert name_of_root("/p/shop") == "shop"
    assert name_of_root("/") == "project"
