"""Rules of `semantics.tools`: what a tool call means."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.semantics.mcp import split_name
from agentpprof.semantics.meaning import Meaning
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


# Tool, input, and what it means: action, category, effect, kind and name of the object.
_CALLS: list[tuple[str, Any, str]] = [
    ("Read", {"file_path": "a.py"}, "read read read path /w/a.py"),
    ("Edit", {"file_path": "/w/./a.py"}, "edit edit write path /w/a.py"),
    ("MultiEdit", {"file_path": "a.py"}, "edit edit write path /w/a.py"),
    ("Write", {"file_path": "a.py"}, "create edit write path /w/a.py"),
    ("NotebookEdit", {"notebook_path": "a.ipynb"}, "edit edit write path /w/a.ipynb"),
    ("Grep", {"pattern": "x", "path": "src"}, "search read read path /w/src"),
    ("Grep", {"pattern": "x"}, "search read read path /w"),
    ("Glob", {"pattern": "*.py"}, "list read read path /w"),
    ("LS", {"path": "/w/x/"}, "list read read path /w/x"),
    ("view_image", {"path": "x.png"}, "read read read path /w/x.png"),
    ("Bash", {"command": "pytest -q"}, "test shell test program pytest"),
    ("Bash", {"command": "echo x > a.txt"}, "create shell write path /w/a.txt"),
    ("Bash", {"command": "cat a.txt"}, "read shell read path /w/a.txt"),
    ("Bash", {"command": "cat a.txt b.txt"}, "read shell read program cat"),
    ("Bash", {"command": "curl https://a.com/x"}, "fetch shell network domain a.com"),
    ("Bash", {"command": ""}, "run shell process tool Bash"),
    ("PowerShell", {"command": "Get-ChildItem src"}, "list shell read path /w/src"),
    ("shell", {"command": ["bash", "-lc", "make test"]}, "test shell test program make"),
    ("shell", {"command": ["cat", "my file"]}, "read shell read path /w/my file"),
    ("shell", {"command": ["powershell.exe", "-Command", "dir x"]}, "list shell read path /w/x"),
    ("exec_command", {"cmd": "cat a", "workdir": "sub"}, "read shell read path /w/sub/a"),
    ("local_shell", {"action": {"command": ["ls", "src"]}}, "list shell read path /w/src"),
    ("shell", {"command": ["apply_patch", _PATCH]}, "edit shell write path /w/src/a.py"),
    ("apply_patch", {"input": _PATCH}, "edit edit write path /w/src/a.py"),
    ("apply_patch", _PATCH, "edit edit write path /w/src/a.py"),
    ("apply_patch", {"patch": "*** Delete File: x"}, "delete edit write path /w/x"),
    ("WebFetch", {"url": "https://U:P@A.com:1/x"}, "fetch network network domain a.com"),
    ("WebSearch", {"query": "x"}, "websearch network network tool WebSearch"),
    ("Task", {"subagent_type": "Explore"}, "delegate subagent process agent Explore"),
    ("Agent", {}, "delegate subagent process agent general-purpose"),
    ("spawn_agent", {"agent_type": "worker"}, "delegate subagent process agent worker"),
    ("wait_agent", {}, "wait subagent process tool wait_agent"),
    ("BashOutput", {"bash_id": "1"}, "wait tool process tool BashOutput"),
    ("write_stdin", {"chars": ""}, "wait shell process tool write_stdin"),
    ("TodoWrite", {"todos": []}, "plan plan process tool TodoWrite"),
    ("update_plan", {}, "plan plan process tool update_plan"),
    ("AskUserQuestion", {}, "ask tool process tool AskUserQuestion"),
    ("Skill", {"skill": "pdf"}, "run tool process skill pdf"),
    ("SlashCommand", {"command": "/review 12"}, "run tool process skill review"),
    ("ToolSearch", {"query": "x"}, "search tool read tool ToolSearch"),
    ("LSP", {"operation": "hover", "filePath": "a.py"}, "search read read path /w/a.py"),
    ("mcp__github__get_issue", {}, "read tool read server github"),
    ("mcp__github__list_issues", {}, "list tool read server github"),
    ("mcp__github__create_issue", {}, "edit tool write server github"),
    ("mcp__db__deleteRow", {}, "delete tool write server db"),
    ("mcp__browser__click", {}, "run tool process server browser"),
    ("mcp__web__fetch", {"url": "https://a.com"}, "read network network server web"),
    ("Zork", {"x": 1}, "run tool process tool Zork"),
    ("", None, "run tool process tool unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "tool_input", "answer"), _CALLS)
def test_a_call_means(name: str, tool_input: Any, answer: str) -> None:
    meaning = describe_call(name, tool_input, _CWD)
    parts = (meaning.action, meaning.category, meaning.effect, meaning.object_kind, meaning.object)
    assert " ".join(parts) == answer


def test_a_patch_names_its_files_by_its_headers_alone() -> None:
    assert describe_call("apply_patch", {"input": _PATCH}, _CWD).paths == (
        ("/w/src/a.py", "write"),
        ("/w/old.py", "move"),
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


_KEYS = "command cmd file_path path url query pattern input patch workdir action skill"
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(_KEYS.split()),
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
