"""Rules of `semantics.tools`: what a tool call means."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.models import Meaning
from agentpprof.semantics.mcp import split_name
from agentpprof.semantics.tools import describe_call, known_tools
from agentpprof.vocabulary import ACCESSES, ACTIONS, CATEGORIES, EFFECTS, OBJECT_KINDS

_CWD = "/w"
_PATCH = """*** Begin Patch
*** Update File: src/a.py
@@
-*** Add File: data.py
+x
*** Update File: old.py
*** Move to: new.py
*** End Patch"""


@pytest.mark.parametrize(
    ("name", "tool_input", "action", "kind", "thing", "category", "effect"),
    [
        ("Read", {"file_path": "a.py"}, "read", "path", "/w/a.py", "read", "read"),
        ("Edit", {"file_path": "/w/./a.py"}, "edit", "path", "/w/a.py", "edit", "write"),
        ("MultiEdit", {"file_path": "a.py"}, "edit", "path", "/w/a.py", "edit", "write"),
        ("Write", {"file_path": "a.py"}, "create", "path", "/w/a.py", "edit", "write"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "edit", "path", "/w/a.ipynb", "edit", "write"),
        ("Grep", {"pattern": "x", "path": "src"}, "search", "path", "/w/src", "read", "read"),
        ("Grep", {"pattern": "x"}, "search", "path", "/w", "read", "read"),
        ("Glob", {"pattern": "*.py"}, "list", "path", "/w", "read", "read"),
        ("LS", {"path": "/w/x/"}, "list", "path", "/w/x", "read", "read"),
        ("view_image", {"path": "x.png"}, "read", "path", "/w/x.png", "read", "read"),
        ("Bash", {"command": "pytest -q"}, "test", "program", "pytest", "shell", "test"),
        ("Bash", {"command": "echo x > a.txt"}, "create", "path", "/w/a.txt", "shell", "write"),
        ("Bash", {"command": "cat a.txt"}, "read", "path", "/w/a.txt", "shell", "read"),
        ("Bash", {"command": "cat a.txt b.txt"}, "read", "program", "cat", "shell", "read"),
        ("Bash", {"command": "curl https://a.com/x"}, "fetch", "domain", "a.com", "shell", "network"),
        ("Bash", {"command": ""}, "run", "tool", "Bash", "shell", "process"),
        ("PowerShell", {"command": "Get-ChildItem src"}, "list", "path", "/w/src", "shell", "read"),
        ("shell", {"command": ["bash", "-lc", "make test"]}, "test", "program", "make", "shell", "test"),
        ("shell", {"command": ["cat", "my file"]}, "read", "path", "/w/my file", "shell", "read"),
        ("shell", {"command": ["powershell.exe", "-Command", "dir x"]}, "list", "path", "/w/x", "shell", "read"),
        ("exec_command", {"cmd": "cat a", "workdir": "sub"}, "read", "path", "/w/sub/a", "shell", "read"),
        ("local_shell", {"action": {"command": ["ls", "src"]}}, "list", "path", "/w/src", "shell", "read"),
        ("shell", {"command": ["apply_patch", _PATCH]}, "edit", "path", "/w/src/a.py", "shell", "write"),
        ("apply_patch", {"input": _PATCH}, "edit", "path", "/w/src/a.py", "edit", "write"),
        ("apply_patch", _PATCH, "edit", "path", "/w/src/a.py", "edit", "write"),
        ("apply_patch", {"patch": "*** Delete File: x"}, "delete", "path", "/w/x", "edit", "write"),
        ("WebFetch", {"url": "https://U:P@A.com:1/x"}, "fetch", "domain", "a.com", "network", "network"),
        ("WebSearch", {"query": "x"}, "websearch", "tool", "WebSearch", "network", "network"),
        ("Task", {"subagent_type": "Explore"}, "delegate", "agent", "Explore", "subagent", "process"),
        ("Agent", {}, "delegate", "agent", "general-purpose", "subagent", "process"),
        ("spawn_agent", {"agent_type": "worker"}, "delegate", "agent", "worker", "subagent", "process"),
        ("wait_agent", {}, "wait", "tool", "wait_agent", "subagent", "process"),
        ("BashOutput", {"bash_id": "1"}, "wait", "tool", "BashOutput", "tool", "process"),
        ("write_stdin", {"chars": ""}, "wait", "tool", "write_stdin", "shell", "process"),
        ("TodoWrite", {"todos": []}, "plan", "tool", "TodoWrite", "plan", "process"),
        ("update_plan", {}, "plan", "tool", "update_plan", "plan", "process"),
        ("AskUserQuestion", {}, "ask", "tool", "AskUserQuestion", "tool", "process"),
        ("Skill", {"skill": "pdf"}, "run", "skill", "pdf", "tool", "process"),
        ("SlashCommand", {"command": "/review 12"}, "run", "skill", "review", "tool", "process"),
        ("ToolSearch", {"query": "x"}, "search", "tool", "ToolSearch", "tool", "read"),
        ("LSP", {"operation": "hover", "filePath": "a.py"}, "search", "path", "/w/a.py", "read", "read"),
        ("mcp__github__get_issue", {}, "read", "server", "github", "tool", "read"),
        ("mcp__github__list_issues", {}, "list", "server", "github", "tool", "read"),
        ("mcp__github__create_issue", {}, "edit", "server", "github", "tool", "write"),
        ("mcp__db__deleteRow", {}, "delete", "server", "db", "tool", "write"),
        ("mcp__browser__click", {}, "run", "server", "browser", "tool", "process"),
        ("mcp__web__fetch", {"url": "https://a.com"}, "read", "server", "web", "network", "network"),
        ("Zork", {"x": 1}, "run", "tool", "Zork", "tool", "process"),
        ("", None, "run", "tool", "unknown", "tool", "process"),
    ],
)  # fmt: skip
def test_a_call_means(
    name: str, tool_input: Any, action: str, kind: str, thing: str, category: str, effect: str
) -> None:
    meaning = describe_call(name, tool_input, _CWD)
    assert meaning[:4] == (action, kind, thing, category)
    assert meaning.effect == effect


def test_a_patch_names_its_files_by_its_headers_alone() -> None:
    assert describe_call("apply_patch", {"input": _PATCH}, _CWD).paths == (
        ("/w/src/a.py", "write"),
        ("/w/old.py", "write"),
        ("/w/new.py", "move"),
    )


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("mcp__github__get_issue", ("github", "get_issue")),
        ("mcp__a__b__c", ("a__b", "c")),
        ("mcp__plugin_docs_search__query", ("docs_search", "query")),
        ("mcp__lonely", ("lonely", "")),
        ("mcp__", ("mcp", "")),
        ("mcp____x", ("mcp", "x")),
    ],
)
def test_mcp_names_are_split_at_the_first_and_the_last_double_underscore(
    name: str, parts: tuple[str, str]
) -> None:
    assert split_name(name) == parts


def test_a_skill_and_an_agent_name_what_they_start() -> None:
    assert describe_call("Skill", {"skill": "pdf"}, "").skill == "pdf"
    assert describe_call("Task", {"subagent_type": "Plan"}, "").agent_type == "Plan"


def _is_sound(meaning: Meaning) -> bool:
    """Whether every field is within its vocabulary."""
    return (
        meaning.action in ACTIONS
        and meaning.object_kind in OBJECT_KINDS
        and meaning.object != ""
        and meaning.category in CATEGORIES
        and meaning.effect in EFFECTS
        and all(path and access in ACCESSES for path, access in meaning.paths)
        and all(host and access in ACCESSES for host, access in meaning.hosts)
    )


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                "command cmd file_path path url query pattern input patch workdir action skill".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


@given(
    st.sampled_from([*known_tools(), "mcp__a__get_b", "mcp__", "x", ""]),
    _JSON,
    st.sampled_from(["/w", "", "C:\\w"]),
)
def test_any_input_of_any_tool_has_a_sound_meaning(name: str, tool_input: Any, cwd: str) -> None:
    assert _is_sound(describe_call(name, tool_input, cwd))
